// Servers that start what they are asked for: tmux of a run is its session's own and gone with it,
// and no run uses Gibbous itself.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards, until } from '../seeds/session.mjs';

const TIMEOUT = { timeout: 120_000 };
const has_tmux = spawnSync('tmux', ['-V'], { stdio: 'ignore' }).status === 0;
const is_alive = (pid) => fs.existsSync(`/proc/${pid}`);

function make_place(t) {
  const root = fs.mkdtempSync(path.join(process.cwd(), 'servers-'));
  afterwards(t, () => fs.rmSync(root, { recursive: true, force: true }));
  const place = { root };
  for (const name of ['workspace', 'state', 'temp', 'user']) {
    place[name] = path.join(root, name);
    fs.mkdirSync(place[name]);
  }
  return place;
}

test('a tmux server of a run ends with the session, and leads to no other', TIMEOUT, async (t) => {
  if (!has_tmux) return t.skip('no tmux');
  const place = make_place(t);
  // The user's own, in which an agent itself may run.
  const user = { ...process.env, TMUX_TMPDIR: place.user };
  execFileSync('tmux', ['-f', '/dev/null', 'new', '-d', '-s', 'mine', 'sleep 1000'], { env: user });
  t.after(() => spawnSync('tmux', ['kill-server'], { env: user }));
  const before = { ...process.env };
  afterwards(t, () => { for (const name of ['TMUX_TMPDIR', 'TMUX', 'STY', 'SCREENDIR']) {
    if (before[name] === undefined) delete process.env[name]; else process.env[name] = before[name];
  } });
  Object.assign(process.env, { TMUX_TMPDIR: place.user, TMUX: `${place.user}/tmux-${process.getuid()}/default,1,0`,
    STY: '1.x', SCREENDIR: place.user });
  const doctor = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  const has_mounts = /"sandbox\.mount_namespace","grade":"good"/.test(doctor);
  for (const mode of ['dangerous', 'auto']) {
    if (mode === 'auto' && !has_mounts) continue;
    const session = await Session.start({ place, toolsets: ['bg'], mode });
    let ended = false;
    afterwards(t, () => ended || session.end());
    const run = async (command) => {
      const { data } = await session.call('bg_start', { command, until: { exit: true } });
      return session.text('bg_output', { id: data.id });
    };

    const said = await run('echo "at $TMUX_TMPDIR [$TMUX$STY]"');
    const [, directory] = said.match(/at (\/tmp\/gibbous-\d+\/\w+\/\w+) \[\]/);
    const free = mode === 'dangerous';
    if (free) assert.equal(fs.statSync(directory).mode & 0o777, 0o700);
    const pid_file = path.join(place.workspace, 'pid');
    fs.rmSync(pid_file, { force: true });
    fs.writeFileSync(path.join(place.workspace, 'start.sh'), '#!/bin/sh\necho $$ > pid\nexec sleep 1000\n', { mode: 0o755 });
    await run('tmux new -d -s x ./start.sh');
    const pid = await until('the program has started', () => fs.existsSync(pid_file)
      && Number(fs.readFileSync(pid_file, 'utf8')));
    assert.match(await run('tmux ls'), /^x: /m);
    // Whatever name is used, the user's is not there for what a sandbox holds.
    for (const line of ['tmux ls', ...(free ? [] : ['env -i tmux ls', 'unset TMUX_TMPDIR; tmux ls',
      `tmux -S ${place.user}/tmux-${process.getuid()}/default ls`, `TMUX_TMPDIR=${place.user} tmux ls`])]) {
      assert.doesNotMatch(await run(line), /^mine: /m, line);
    }
    assert.ok(is_alive(pid));
    await session.end();
    ended = true;
    await until('the program has ended', () => !is_alive(pid));
    await until('the directory is gone', () => !fs.existsSync(directory));
  }
  assert.match(execFileSync('tmux', ['ls'], { env: user, encoding: 'utf8' }), /^mine: /m);
});

/** Sends one request of the revision that keeps nothing. */
async function call(url, token, name, args) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0', id: 1, method: 'tools/call',
      params: {
        name, arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  return { status: answer.status, text: await answer.text() };
}

test('no run uses the server that starts runs, with its token or at its socket', TIMEOUT, async (t) => {
  const place = make_place(t);
  const token_file = path.join(place.workspace, 'token');
  const socket = path.join(place.workspace, 'socket');
  fs.writeFileSync(token_file, 'swordfish-2f8e61-0123456789abcdef\n', { mode: 0o600 });
  const server = spawn(GIBBOUS, ['mcp', '--http', '127.0.0.1:0', '--token-file', token_file, '--unix', socket,
    '--mode', 'dangerous', '--toolset', 'bg', '--state', place.state, '--workspace', place.workspace],
  { stdio: ['ignore', 'ignore', 'pipe'] });
  afterwards(t, async () => { server.kill(); await once(server, 'close'); });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text) => { said += text; });
  const url = await until('the server serves', () => said.match(/http:\/\/\S+/)?.[0]);
  const token = fs.readFileSync(token_file, 'utf8').trim();
  // A script of the run reads the token, and says what it was told.
  fs.writeFileSync(path.join(place.workspace, 'use.py'), `
import http.client, socket
token = open('token').read().strip()
def use(connection):
    connection.request('POST', '/mcp', '{}', {'Authorization': 'Bearer ' + token, 'Content-Type': 'application/json'})
    return connection.getresponse().status
tcp = http.client.HTTPConnection('${new URL(url).host}')
unix = http.client.HTTPConnection('localhost')
unix.sock = socket.socket(socket.AF_UNIX)
unix.sock.connect('socket')
open('told', 'w').write('%d %d\\n' % (use(tcp), use(unix)))
`);
  const started = await call(url, token, 'bg_start', { command: 'python3 use.py', until: { exit: true } });
  assert.equal(started.status, 200, started.text);
  const told = path.join(place.workspace, 'told');
  const answers = await until('the run was answered', () => fs.existsSync(told) && fs.readFileSync(told, 'utf8'));
  assert.equal(answers, '403 403\n');
});

test('a run neither answers questions nor trusts, whatever it does to its limits', TIMEOUT, async (t) => {
  const place = make_place(t);
  fs.mkdirSync(path.join(place.workspace, '.gibbous'));
  fs.writeFileSync(path.join(place.workspace, '.gibbous/config.lua'), 'return {}\n');
  fs.writeFileSync(path.join(place.workspace, 'try.py'), `
import resource, subprocess
for limit in (10, 15):  # RLIMIT_LOCKS, RLIMIT_RTTIME
    resource.setrlimit(limit, (1, 1))
for words in (['asks', 'allow', 'abcdefgh'], ['trust', '.', '--yes']):
    done = subprocess.run(['${GIBBOUS}', *words, '--state', '${place.state}'], capture_output=True, text=True, env={'PATH': '/usr/bin:/bin'})
    print(words[0], done.returncode, done.stderr)
`);
  const session = await Session.start({ place, toolsets: ['bg'], mode: 'dangerous' });
  afterwards(t, () => session.end());
  const { data } = await session.call('bg_start', { command: 'python3 try.py', until: { exit: true } });
  const said = await session.text('bg_output', { id: data.id });
  assert.match(said, /asks 1 .*belongs to a run/);
  assert.match(said, /trust 1 .*belongs to a run/);
});
