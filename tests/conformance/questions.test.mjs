// A question of the policy reaches the user through every official client that supports elicitation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { CLIENTS, Workbench, textOf, until } from './support.mjs';

const COMMAND = 'true && sleep 600';

/** A client whose user gives these answers, one after the other, and what was put to them. */
async function connect(t, client, answers) {
  const bench = await Workbench.for(t);
  await bench.askAboutStarts();
  const asked = [];
  const onElicit = answers && ((params) => {
    asked.push(params);
    assert.ok(answers.length > 0, 'asked too often');
    return answers.shift();
  });
  const session = await client.connect(bench, { onElicit });
  t.after(() => session.close());
  const start = () => session.callTool('bg_start', { command: COMMAND });
  return { bench, session, asked, start };
}

const accepting = (answer) => ({ action: 'accept', content: { answer } });

for (const client of CLIENTS) {
  describe(client.name, () => {
    test('an approval lets the call continue', async (t) => {
      const { bench, asked, start } = await connect(t, client, [accepting('once')]);
      const started = await start();
      assert.ok(!started.isError, textOf(started));
      await until('it runs', () => bench.isAlive(started.structuredContent.pid));
      assert.equal(asked.length, 1);
      assert.ok(asked[0].message.startsWith(`${COMMAND}\nWhy: It starts.\nAnswers: once; `),
        asked[0].message);
      for (const part of ['Tool: bg_start', 'sleep 600', 'test.start']) {
        assert.ok(asked[0].message.includes(part), asked[0].message);
      }
      const { answer } = asked[0].requestedSchema.properties;
      assert.deepEqual(answer.oneOf.map((option) => option.const),
        ['once', 'session', 'always', 'rule', 'deny']);
    });

    test('a refusal, and a missing answer, reach the model with advice', async (t) => {
      const answers = [{ action: 'decline' }, { action: 'cancel' },
        { action: 'accept', content: { answer: 'deny', reason: 'use make' } }];
      const { bench, start } = await connect(t, client, answers);
      for (const expected of [/declined by the user/, /gibbous asks/, /use make/]) {
        const result = await start();
        assert.equal(result.isError, true);
        assert.match(textOf(result), expected);
      }
      const left = await bench.processes();
      assert.ok(left.every((process) => !process.command.startsWith('sleep')));
    });

    test('an answer for the session is not asked for again', async (t) => {
      const { asked, start } = await connect(t, client, [accepting('session')]);
      for (let time = 0; time < 3; ++time) assert.ok(!(await start()).isError);
      assert.equal(asked.length, 1);
    });

    test('questions at the same time each get their answer', async (t) => {
      const { asked, start } = await connect(t, client,
        [accepting('once'), { action: 'decline' }, accepting('once')]);
      const results = await Promise.all([start(), start(), start()]);
      assert.equal(results.filter((result) => result.isError).length, 1);
      assert.equal(asked.length, 3);
    });

    test('a script asks twice in one call, and each answer reaches it', async (t) => {
      const { session, asked } = await connect(t, client, [
        { action: 'accept', content: { colour: 'blue' } }, { action: 'accept', content: {} },
        { action: 'decline' }]);
      assert.equal(textOf(await session.callTool('probe_pick', {})), 'picked blue');
      assert.deepEqual(asked.map(({ message }) => message), ['Which?', 'Really blue?']);
      assert.deepEqual(asked[0].requestedSchema.properties,
        { colour: { type: 'string', enum: ['red', 'blue'] } });
      assert.equal(textOf(await session.callTool('probe_pick', {})), 'declined');
    });

    test('a script learns that its client cannot be asked', async (t) => {
      const { session } = await connect(t, client, undefined);
      assert.equal(textOf(await session.callTool('probe_pick', {})), 'cannot_ask');
    });

    test('a client that cannot ask learns how to get an approval', async (t) => {
      const { start } = await connect(t, client, undefined);
      const result = await start();
      assert.equal(result.isError, true);
      assert.match(textOf(result), /needs approval/);
    });
  });
}
