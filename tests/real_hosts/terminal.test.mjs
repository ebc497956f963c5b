// Hosts in a terminal, with a person at it: what the dialog of a question shows, and what comes of the answer.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HOSTS, inTerminal } from './hosts.mjs';
import { call } from './model.mjs';
import { freePort, promised } from './support.mjs';

const gone = (text) => (screen) => !screen.includes(text);

async function chooseInClaude(terminal, choice) {
  await terminal.pressUntil('Right', /❯ ◯ Allow once/);
  if (choice !== 'Allow once') {
    await terminal.pressUntil('Down', /❯ ◯ Allow for this session/);
    await terminal.pressUntil('Down', /❯ ◯ Always/);
    await terminal.pressUntil('Down', /❯ ◯ Deny/);
  }
  await terminal.pressUntil('Enter', new RegExp(`✔ Answer: ${choice}`));
}

async function acceptInClaude(terminal) {
  await terminal.pressUntil('Down', /❯ Accept/);
  await terminal.pressUntil('Enter', gone('requests your input'));
}

/** How a person answers in the dialog of each host. */
const DIALOGS = {
  'Claude Code': {
    first: /requests your input\s+(.+)\n/,
    async allow(terminal) {
      await chooseInClaude(terminal, 'Allow once');
      await acceptInClaude(terminal);
    },
    async refuse(terminal) {
      await chooseInClaude(terminal, 'Deny');
      await terminal.type('use the other server');
      await terminal.untilShown(/Reason: +use the other server/);
      await acceptInClaude(terminal);
    },
    refused: /was denied \(rule modes\.default\.unmatched\)[^]*use the other server/,
  },
  Codex: {
    first: /Field 1\/1.*\n+ *(.+)\n/,
    async allow(terminal) {
      await terminal.untilShown(/› 1\. Allow once/);
      await terminal.pressUntil('Enter', gone('Field 1/1'));
    },
    async refuse(terminal) {
      await terminal.pressUntil('Up', /› 4\. Deny/);
      await terminal.pressUntil('Enter', gone('Field 1/1'));
    },
    refused: /was denied \(rule modes\.default\.unmatched\)/,
  },
};

for (const host of HOSTS) {
  describe(host.name, () => {
    const dialog = DIALOGS[host.name];

    for (const answer of ['allow', 'refuse']) {
      test(`the dialog of a question begins with the command, and a person can ${answer} it`, async (t) => {
        const port = await freePort();
        const command = `python3 -u -m http.server ${port} --bind 127.0.0.1`;
        const answered = promised();
        const { bench, terminal, env } = await inTerminal(t, host, async function* () {
          answered.resolve(yield call('bg_start', { command, until: { port } }));
        }, async (bench) => {
          bench.serverOptions = ['--mode', 'default'];
        });
        const shown = await terminal.untilShown(/Answers: once;/);
        assert.equal(dialog.first.exec(shown)?.[1].trim(), command);
        assert.equal(await bench.processOf('http.server'), undefined);
        await dialog[answer](terminal);
        const { result } = await answered.promise;
        if (answer === 'allow') {
          assert.match(result, /\(pid \d+\) ready after \S+: port \d+ listens/);
          await bench.untilProcess('http.server');
        } else {
          assert.match(result, dialog.refused);
          assert.equal(await bench.processOf('http.server'), undefined);
        }
        await terminal.untilShown(/That is all\./);
        await terminal.close();
        await host.afterTerminal?.(bench, env);
        await bench.untilNothingIsLeft(host.stays);
      });
    }
  });
}
