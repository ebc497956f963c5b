// scripts/executors/ssh.lua against a real sshd on loopback, with keys and a configuration of its own,
// which the tests start and end. Where that is not possible they say why, loudly, and are skipped.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, chown, constants, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Session, output, until } from './support.mjs';

const SSHD = '/usr/sbin/sshd';
const MEBIBYTE = 1024 * 1024;
let server;

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => { socket.destroy(); resolve(true); });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/** An sshd, or { reason }. */
async function startServer() {
  if (await access(SSHD, constants.X_OK).then(() => false, () => true)) {
    return { reason: 'there is no sshd (Debian: openssh-server)' };
  }
  const root = await mkdtemp(path.join(tmpdir(), 'gibbous-sshd-'));
  const key = (name) => path.join(root, name);
  for (const name of ['host', 'user']) {
    await output('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key(name)]);
  }
  await writeFile(key('authorized'), await readFile(key('user.pub')), { mode: 0o600 });
  const port = await freePort();
  await writeFile(key('sshd_config'), [`Port ${port}`, 'ListenAddress 127.0.0.1',
    `HostKey ${key('host')}`, `AuthorizedKeysFile ${key('authorized')}`, 'PidFile none',
    'StrictModes no', 'UsePAM no', 'PasswordAuthentication no', 'PermitRootLogin yes', ''].join('\n'));
  if (process.getuid() === 0) await mkdir('/run/sshd', { recursive: true });
  const daemon = spawn(SSHD, ['-D', '-e', '-f', key('sshd_config')], { stdio: 'ignore' });
  const ended = new Promise((resolve) => daemon.once('exit', resolve));
  const stop = async () => {
    daemon.kill();
    await ended;
    await rm(root, { recursive: true, force: true });
  };
  try {
    await until('sshd answers', () => answers(port), 20_000);
  } catch (problem) {
    await stop();
    return { reason: problem.message };
  }
  return { root, port, key: key('user'), stop };
}

before(async () => {
  server = await startServer();
  if (server.reason) console.error(`\n*** NOT TESTED: the ssh executor: ${server.reason}\n`);
}, { timeout: 60_000 });
after(() => server.stop?.());

/** A test with a session whose runs are on the other side of ssh. */
function ssh(name, body) {
  test(name, { timeout: 90_000 }, async (t) => {
    if (server.reason) return t.skip(server.reason);
    return body(await Session.start(t, `{ executor = 'ssh', executors = { ssh = {
      host = '${userInfo().username}@127.0.0.1', port = ${server.port}, identity = '${server.key}',
      pid_directory = '${server.root}/runs',
      options = { '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null',
        '-o', 'LogLevel=ERROR' },
    } } }`), t);
  });
}

/** How many sleeps have this tag. */
async function sleeping(tag) {
  const { stdout } = await output('ps', ['-e', '-o', 'args=']);
  return stdout.split('\n').filter((line) => /^(\/bin\/)?sleep /.test(line) && line.includes(tag))
    .length;
}

async function alive(tag) {
  return await sleeping(tag) > 0;
}

/** A number that sleeps are told apart by. */
let lastSleep = 0;
function sleepTag() {
  lastSleep += 1;
  return `${100000 + (process.pid % 10000) * 10 + lastSleep}`;
}

ssh('streams, exit code, variables and quotes come through', async (session) => {
  const end = await session.finish(await session.start({
    command: 'echo "$WORD"; echo "it\'s" >&2; exit 5', env: { WORD: "a 'b' $c" },
  }));
  assert.equal(end.out, "a 'b' $c\n");
  assert.equal(end.err, "it's\n");
  assert.equal(end.exit_code, 5);
  assert.equal(end.reason, 'exit code 5');
});

ssh('stdin reaches the command', async (session) => {
  const id = await session.start({ argv: ['cat'], stdin: 'pipe' });
  await session.data('write', { id, text: 'typed\n' });
  const end = await session.finish(id);
  assert.equal(end.out, 'typed\n');
  assert.equal(end.state, 'completed');
});

ssh('a terminal is one on the other side, too, and is ended with all that is in it', async (session) => {
  const tag = sleepTag();
  const id = await session.start({
    command: `tty; stty size; sleep ${tag} & wait`, pty: { rows: 30, cols: 90 },
  });
  await session.data('wait_for', { id, output_regex: '^30 90', timeout: 90_000 });
  await until('the sleep runs', () => alive(tag));
  await session.data('bg_kill', { id });
  await until('the sleep is gone', async () => !(await alive(tag)));
});

ssh('a kill ends the whole tree on the other side', async (session) => {
  const tag = sleepTag();
  const id = await session.start({ command: `sleep ${tag} & sleep ${tag}; wait` });
  await until('it runs there', () => alive(tag));
  await session.data('bg_kill', { id });
  assert.equal(await alive(tag), false);
});

/** Starts a command, and kills the run when `count` sleeps of the tag are there. */
async function killed(session, command, tag, count = 1) {
  const id = await session.start({ command });
  await until('they run there', async () => await sleeping(tag) === count);
  await session.data('bg_kill', { id });
  return session.info(id);
}

ssh('a kill ends what has made a session of its own', async (session) => {
  const tag = sleepTag();
  await killed(session, `setsid sh -c 'sleep ${tag}; true' & sleep ${tag}`, tag, 2);
  assert.equal(await sleeping(tag), 0);
});

ssh('a kill ends what has left its parents as a daemon does', async (session) => {
  const tag = sleepTag();
  const daemon = `(nohup setsid sh -c '(sleep ${tag}; true) & wait' >/dev/null 2>&1 &)`;
  await killed(session, `${daemon}; sleep ${tag}`, tag, 2);
  assert.equal(await sleeping(tag), 0);
});

ssh('a kill ends what has neither the session nor the mark, but parents', async (session) => {
  const tag = sleepTag();
  await killed(session, `setsid env -i /bin/sh -c '/bin/sleep ${tag}; true' & wait`, tag);
  assert.equal(await sleeping(tag), 0);
});

ssh('a kill ends what ignores SIGTERM in a session of its own', async (session) => {
  const tag = sleepTag();
  await killed(session, `trap '' TERM; setsid sleep ${tag} & sleep ${tag}`, tag, 2);
  assert.equal(await sleeping(tag), 0);
});

ssh('a kill ends a program that forks on SIGTERM', async (session) => {
  const tag = sleepTag();
  const stubborn = `trap "setsid sleep ${tag} &" TERM; while true; do sleep ${tag} & wait; done`;
  await killed(session, `setsid sh -c '${stubborn}' & wait`, tag);
  assert.equal(await sleeping(tag), 0);
});

ssh('a kill leaves the processes of other runs alone', async (session) => {
  const [mine, other] = [sleepTag(), sleepTag()];
  const id = await session.start({ command: `setsid sleep ${other} & wait` });
  await until('the other one runs', () => alive(other));
  await killed(session, `setsid sleep ${mine} & wait`, mine);
  assert.ok(await alive(other));
  await session.data('bg_kill', { id });
  assert.equal(await alive(other), false);
});

ssh('usage is that of the processes there', async (session) => {
  const tag = sleepTag();
  const id = await session.start({
    // Busy, but not in the way of the connections that measure it.
    command: `setsid sleep ${tag} & exec nice -n 19 sh -c 'while :; do :; done'`,
  });
  await until('it runs there', () => alive(tag));
  const usage = await until('it has used the processor', async () => {
    const now = await session.usage(id);
    return now.by && now.cpu_time_ms >= 100 && now;
  });
  assert.equal(usage.by, 'ssh');
  assert.equal(usage.processes, 2);
  assert.equal(usage.threads, 2);
  assert.ok(usage.rss_bytes > 0 && usage.rss_bytes < 64 * MEBIBYTE);
  assert.ok(usage.cpu_percent > 0);
  await session.data('bg_kill', { id });
});

ssh('a host that is killed leaves nothing on the other side', async (session) => {
  const tag = sleepTag();
  await session.start({ command: `sleep ${tag}; echo over` });
  await until('it runs there', () => alive(tag));
  await session.kill();
  await until('it is gone there', async () => !await alive(tag));
});

ssh('a directory to start in is used, or refused', async (session) => {
  const there = path.join(server.root, 'there');
  await mkdir(path.join(there, 'sub dir'), { recursive: true });
  const executor = { name: 'ssh', directory: there };
  const pwd = async (options) => {
    const answer = await session.call('start', { command: 'pwd', ...options });
    if (answer.error) return answer.error.message;
    const end = await session.finish(answer.result.data.id);
    return end.state === 'completed' ? end.out.trim() : end.reason;
  };
  assert.equal(await pwd({ executor }), there);
  assert.equal(await pwd({ executor, cwd: 'sub dir' }), path.join(there, 'sub dir'));
  assert.equal(await pwd({ executor, cwd: '/usr' }), '/usr');
  assert.match(await pwd({ executor, cwd: '../x' }), /^cwd: .* leads out of the workspace/);
  assert.equal(await pwd({ executor, cwd: 'missing' }),
    `cwd: there is no directory ${there}/missing on ${userInfo().username}@127.0.0.1`);
});

ssh('values of variables are in no command line on either side', async (session) => {
  const secret = `secret of ${process.pid}`;
  const id = await session.start({
    command: 'echo "$SECRET"; env | grep -c "^inner="; read line', env: { SECRET: secret, PATH: '/bin:/usr/bin' },
    stdin: 'pipe',
  });
  await session.data('wait_for', { id, output_regex: 'secret', timeout: 90_000 });
  const { stdout } = await output('ps', ['-e', '-o', 'args=']);
  assert.ok(stdout.includes(`gibbous-${id}`) && !stdout.includes(secret));
  await session.data('write', { id, text: 'over\n' });
  assert.equal((await session.finish(id)).out, `${secret}\n0\n`);
  assert.deepEqual(await readdir(`${server.root}/runs-${process.getuid()}`), []);
});

ssh('exit code 255 may be the command\'s', async (session) => {
  const end = await session.finish(await session.start({ command: 'exit 255' }));
  assert.equal(end.reason, 'exit code 255');
});

ssh('a directory for pids of another user is refused', async (session, t) => {
  if (process.getuid() !== 0) return t.skip('needs root to give it away');
  const pids = path.join(server.root, 'foreign');
  await mkdir(`${pids}-0`);
  await chown(`${pids}-0`, 12345, 12345);
  const end = await session.finish(await session.start({
    command: 'true', executor: { name: 'ssh', pid_directory: pids },
  }));
  assert.match(end.reason, /^pid_directory: .*foreign, followed by/);
});

ssh('limits are those of the processes there, and what cannot be held is refused', async (session) => {
  const id = await session.start({
    command: "ulimit -v; ulimit -n; ulimit -t; sh -c 'ulimit -f'", // sh counts in 512 bytes
    limits: { memory_bytes: 256 * MEBIBYTE, open_files: 99, cpu_time_ms: 7000, file_size_bytes: MEBIBYTE },
  });
  const end = await session.finish(id);
  assert.equal(end.out, '262144\n99\n7\n2048\n');
  assert.equal(end.limits_by.memory_bytes, 'ssh');
  const answer = await session.call('start', { command: 'true', limits: { pids: 10 } });
  assert.match(answer.error.message, /limits\.pids: ssh cannot enforce it/);
});

ssh('no connection is a clear reason', async (session) => {
  const port = await freePort();
  const end = await session.finish(await session.start({
    command: 'true', executor: { name: 'ssh', host: '127.0.0.1', port },
  }));
  assert.equal(end.state, 'failed');
  assert.match(end.reason, /no connection to 127\.0\.0\.1/);
});
