// A call that is answered with a task wakes the agent: its turn ends, and the host opens another by itself when
// what it waited for has happened. Claude Code in a terminal only: neither `claude -p` nor Codex declares tasks.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { claude } from './claude.mjs';
import { inTerminal } from './hosts.mjs';
import { call, say } from './model.mjs';
import { Bench, discover, idOf, promised } from './support.mjs';

const TASKS = 'io.modelcontextprotocol/tasks';

// A build that outlives the server, as one does that a person wants to see the end of.
const LASTING = `
local build = tool {
  name = 'probe_build', description = 'Builds until the file finish is there', permission = 'execute',
  input = schema.object {},
  run = function()
    local run = assert(run.start {
      command = 'until [ -e finish ]; do sleep 0.1; done; echo "main.c:7: error: expected ;" >&2; exit 3',
      detach = true, on_host_death = 'keep',
    })
    return 'Process started: id=' .. run.id
  end,
}
return { name = 'probe', tools = { build } }
`;

/** What the model's script and the test know of each other. */
function parts() {
  return { idle: promised(), rested: promised(), woken: promised() };
}

async function* untilIdle({ idle }, started) {
  const task = yield call('wait_for', { id: idOf(started), exit: true, timeout: 600_000 });
  assert.doesNotMatch(task.result, /error: expected/);
  idle.resolve();
}

/** The build fails: the host has to say so by itself. */
async function assertWakes({ woken }, bench, terminal) {
  await writeFile(path.join(bench.project, 'finish'), '');
  const { news } = await woken.promise;
  assert.match(news, /<task-notification>/);
  assert.match(news, /main\.c:7: error: expected ;/);
  await terminal.untilShown(/The build has failed\./);
  await terminal.close();
  await bench.untilNothingIsLeft();
}

async function assertOffersTasks(t) {
  const offered = await discover(await Bench.for(t));
  assert.ok(offered.capabilities.extensions?.[TASKS], `the server does not offer ${TASKS}: nothing can wake the agent`);
}

test('Claude Code: a build that fails opens a turn by itself, which begins with its error', async (t) => {
  await assertOffersTasks(t);
  const known = parts();
  const { bench, terminal } = await inTerminal(t, claude, async function* () {
    const started = yield call('bg_start', {
      command: 'until [ -e finish ]; do sleep 0.1; done; echo "main.c:7: error: expected ;" >&2; exit 3' });
    yield* untilIdle(known, started);
    known.woken.resolve(yield say('I go on when the build has ended.'));
    yield say('The build has failed.');
  });
  await known.idle.promise;
  await terminal.untilShown(/I go on when the build has ended\./);
  await assertWakes(known, bench, terminal);
});

test('Claude Code: so does one whose server was killed, and started again by the person', async (t) => {
  await assertOffersTasks(t);
  const known = parts();
  const { bench, terminal } = await inTerminal(t, claude, async function* () {
    const started = yield call('probe_build');
    yield* untilIdle(known, started);
    known.woken.resolve(yield say('I go on when the build has ended.'));
    yield say('The build has failed.');
  }, (made) => made.writeTools(LASTING));
  await known.idle.promise;
  await terminal.untilShown(/I go on when the build has ended\./);
  await bench.killServer();
  // In a terminal, this host starts a server again when the person wants it.
  await terminal.type('/mcp reconnect gibbous');
  await terminal.press('Enter');
  await terminal.untilShown(/[Rr]econnected/);
  await assertWakes(known, bench, terminal);
});
