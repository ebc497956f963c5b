// What a session has started, its later runs end by pid and by name, in every sandbox and whatever
// program does it; what is another session's, or no session's, they do not.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards, is_alive, make_place, until } from '../seeds/session.mjs';

const SERVER = 'echo $$ > server.pid; exec tail -f /dev/null --pid=$$';

test('later runs end a server by pid, by name and by a script, and no other session does', { timeout: 120_000 }, async (t) => {
  const doctor = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  if (Number(/"ABI (\d+)/.exec(doctor)?.[1] ?? 0) < 6) return t.skip('signals have no scope here');
  const place = await make_place();
  afterwards(t, place.remove);
  const file = (name) => path.join(place.workspace, name);
  const session = await Session.start({ place, toolsets: ['bg'] });
  afterwards(t, () => session.end());
  const run = (command, own = 'a') => session.text('bg_start', { command, until: { exit: true } }, { session: own });
  const serve = async (own = 'a') => {
    fs.rmSync(file('server.pid'), { force: true });
    const { id } = await session.data('bg_start', { command: SERVER }, { session: own });
    await until('the server runs', () => fs.existsSync(file('server.pid')) && fs.readFileSync(file('server.pid'), 'utf8'));
    return id;
  };

  fs.writeFileSync(file('stop.sh'), '#!/bin/sh\nkill "$(cat server.pid)" && echo stopped\n', { mode: 0o755 });
  fs.writeFileSync(file('stop.js'), 'process.kill(Number(require("fs").readFileSync("server.pid")));\n');
  fs.writeFileSync(file('name.sh'), '#!/bin/sh\npkill -f "tail -f /dev/null --pid=$(cat server.pid)"\n', { mode: 0o755 });
  for (const line of ['read PID < server.pid; kill -0 $PID && kill $PID', './stop.sh', './name.sh', 'node stop.js']) {
    const id = await serve();
    await run(line);
    const { reason } = await session.event('run_ended', id);
    assert.match(reason, /SIGTERM/, line);
  }

  const other = await serve('b');
  const said = await run('read PID < server.pid; kill $PID');
  assert.match(said, /Operation not permitted[^]*end a run by its id/);
  assert.match(await run('read PID < server.pid; kill -0 $PID'), /Operation not permitted/);
  const user = spawn('tail', ['-f', '/dev/null'], { stdio: 'ignore' });
  t.after(() => user.kill('SIGKILL'));
  fs.writeFileSync(file('server.pid'), `${user.pid}\n`);
  assert.doesNotMatch(await run('./stop.sh'), /stopped/);
  assert.ok(is_alive(user.pid));
  assert.ok(!session.events.some((event) => event.event === 'run_ended' && event.run === other));
});
