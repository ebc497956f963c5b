// Commands that no rule knows, where namespaces are refused as in docker's default container: they
// run without any network, and say so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, afterwards } from '../seeds/session.mjs';

const FIXTURE = path.join(path.dirname(GIBBOUS), 'fixture_lacking');
const NONE_LEFT = 'echo 0 > /proc/sys/user/max_user_namespaces'
  + ' && exec setpriv --bounding-set=-all "$@"';
const WAYS = [
  { name: 'by a seccomp filter', words: [FIXTURE, 'namespaces'], hint: /seccomp=unconfined/ },
  {
    name: 'by max_user_namespaces', words: ['unshare', '-Ur', 'sh', '-c', NONE_LEFT, 'sh'],
    hint: /user\.max_user_namespaces/,
  },
];
const PROBE = 'import socket\ntry:\n  socket.socket()\n  print("a network")\n'
  + 'except OSError:\n  print("no network")\n';

for (const { name, words, hint } of WAYS) {
  test(`what no rule knows runs without a network where one is refused ${name}`, (t) => {
    const can = spawnSync(words[0], [...words.slice(1), 'true']);
    if (can.status !== 0) return t.skip('cannot be had here');
    const own = fs.mkdtempSync(path.join(os.tmpdir(), 'gibbous-none-'));
    afterwards(t, () => fs.rmSync(own, { recursive: true, force: true }));
    const gibbous = (...args) => {
      const done = spawnSync(words[0], [...words.slice(1), GIBBOUS, ...args], {
        cwd: own, encoding: 'utf8', env: { ...process.env, HOME: own, XDG_STATE_HOME: own },
      });
      return { ...done, text: done.stdout + done.stderr };
    };
    const doctor = gibbous('doctor').text;
    if (/sandbox\.landlock +none/.test(doctor)) return t.skip('no Landlock here');
    assert.match(doctor, hint);

    const call = { command: `python3 -c '${PROBE}'; frobnicate`, until: 'exit' };
    const lean = ['--toolset', 'lean', '--mode', 'auto', '--state', own];
    const ran = gibbous('call', 'run', JSON.stringify(call), ...lean);
    assert.match(ran.text, /no network/);
    assert.doesNotMatch(ran.text, /start_failed|a network of its own/);

    const judged = gibbous('policy', 'check', '--mode', 'auto', 'frobnicate').text;
    assert.match(judged, /sandbox confined/);
    assert.match(judged, /no network at all.*`allow = \["network"\]`/s);

    const wish = gibbous('call', 'run', JSON.stringify({ ...call, allow: ['network'] }), ...lean);
    assert.match(wish.text, /approval/);
  });
}
