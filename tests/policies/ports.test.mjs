// A development server of a session, in `build` or confined, answers the session's other runs in
// either sandbox and the person's browser, and no other session.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards, make_place, until } from '../seeds/session.mjs';

const UNKNOWN = 'frobnicate; '; // no rule knows it, so that the whole line is confined
const GET = `import sys, urllib.request
try:
    print('got', urllib.request.urlopen('http://127.0.0.1:' + sys.argv[1], timeout=30).read().decode())
except OSError as error:
    print('failed', error)
`;

async function free_port() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const get = (port) => fetch(`http://127.0.0.1:${port}`).then((answer) => answer.text(), () => '');

for (const [name, way, sandbox] of [['build', '', 'build'], ['confined', UNKNOWN, 'confined']]) {
  test(`a server in ${name} serves its session and the machine, and no other session`, { timeout: 120_000 }, async (t) => {
    const doctor = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
    if (!/"sandbox\.network_namespace","grade":"good"/.test(doctor)) return t.skip('no network namespaces here');
    const place = await make_place();
    afterwards(t, place.remove);
    fs.writeFileSync(path.join(place.workspace, 'index.html'), 'hello');
    fs.writeFileSync(path.join(place.workspace, 'get.py'), GET);
    const session = await Session.start({ place, toolsets: ['bg'] });
    afterwards(t, () => session.end());
    const start = (command, own, until) => session.data('bg_start', { command, ...(until && { until }) }, { session: own });
    const run = async (command, own = 'a') => {
      const { id } = await start(command, own, { exit: true });
      return session.text('bg_output', { id }, { session: own });
    };

    const port = await free_port();
    const http = `python3 -m http.server --bind 127.0.0.1 ${port}`;
    // Others that were there before find it, too.
    const early = await start(`${UNKNOWN}while ! python3 get.py ${port} | grep got; do sleep 0.1; done`, 'a');
    const server = await start(way + http, 'a', { port, timeout: 60_000 });
    assert.equal(server.until.outcome, 'ready', JSON.stringify(server));
    assert.equal((await session.event('run_started', server.id)).sandbox.profile, sandbox);

    assert.equal(await get(port), 'hello');
    for (const from of ['', UNKNOWN]) assert.match(await run(`${from}python3 get.py ${port}`), /got hello/, from);
    await session.event('run_ended', early.id);
    for (const from of ['', UNKNOWN]) assert.match(await run(`${from}python3 get.py ${port}`, 'b'), /failed/, from);
    await session.call('bg_kill', { id: server.id }, { session: 'a' });
    await until('the port is closed', async () => !await get(port));
  });
}
