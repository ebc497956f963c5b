// Questions of the policy where a host was started without a person: what the model reads then.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HOSTS, run } from './hosts.mjs';
import { call } from './model.mjs';

// The shipped policy asks about it in this mode.
const COMMAND = 'python3 -u -m http.server 8765 --bind 127.0.0.1';
const askAboutStarts = async (bench) => {
  bench.serverOptions = ['--mode', 'default'];
};

const EXPECTED = {
  // Nothing was chosen, so that the question waits for others.
  'Claude Code': [/needs approval \(rule modes\.default\.unmatched\)/, /gibbous asks --state \S+ \(question \w+\)/,
    /Make the same call again/],
  Codex: [/was denied \(rule modes\.default\.unmatched\)/, /declined by the user/,
    /a client that was started without one/, /approve it in your client, or add a rule that allows it/],
};

for (const host of HOSTS) {
  test(`${host.name}: a question that nobody is there to answer tells the model how it can be`, async (t) => {
    const seen = {};
    const { bench } = await run(t, host, async function* (bench) {
      seen.asked = yield call('bg_start', { command: COMMAND });
      assert.equal(await bench.processOf('http.server'), undefined);
    }, askAboutStarts);
    for (const expected of EXPECTED[host.name]) assert.match(seen.asked.result, expected);
    assert.deepEqual(await bench.processes(), []);
  });
}

test('Claude Code: a person answers in a second terminal, and the model repeats its call', async (t) => {
  const claude = HOSTS[0];
  const seen = {};
  await run(t, claude, async function* (bench) {
    const asked = yield call('bg_start', { command: COMMAND });
    const [, question] = /\(question (\w+)\)/.exec(asked.result);
    await bench.gibbous('asks', 'allow', question);
    seen.started = yield call('bg_start', { command: COMMAND });
  }, askAboutStarts);
  assert.match(seen.started.result, /Process started: id=\w+/);
});
