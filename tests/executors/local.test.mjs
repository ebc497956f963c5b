// The executors that stay on this machine: host, bwrap where it can make namespaces, and systemd-run,
// which has no user manager to answer here: against programs that write down how they were called.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { LIMIT, Session, output, recorder, temporaryDirectory, until } from './support.mjs';

const MEBIBYTE = 1024 * 1024;

async function systemd(t) {
  const run = await recorder(t, 'systemd-run');
  const control = await recorder(t, 'systemctl');
  const session = await Session.start(t, `{ executor = 'systemd-run', executors = {
    ['systemd-run'] = { program = '${run.program}', systemctl = '${control.program}' } } }`);
  return { session, run, control };
}

test('the host can be named as an executor', LIMIT, async (t) => {
  const session = await Session.start(t);
  const end = await session.finish(await session.start({ command: 'echo here', executor: 'host' }));
  assert.equal(end.out, 'here\n');
  assert.equal(end.executor, undefined);
});

/** A test with a session whose runs are in bubblewrap, where it may make namespaces. */
function bwrap(name, body, settings = '') {
  test(name, LIMIT, async (t) => {
    const can = await output('bwrap', ['--unshare-user-try', '--unshare-pid', '--unshare-net',
      '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', 'true']).then(() => true, () => false);
    if (!can) {
      console.error('\n*** NOT TESTED: the bwrap executor: no bwrap that may make namespaces\n');
      return t.skip('no bwrap that may make namespaces');
    }
    return body(await Session.start(t, `{ executor = 'bwrap', executors = { bwrap = { ${settings} } } }`),
      t);
  });
}

bwrap('bwrap shows a command the workspace and nothing else to write', async (session) => {
  const end = await session.finish(await session.start({
    command: 'echo "$WORD" > made; cat made; touch /var/tmp/outside', env: { WORD: 'inside' },
  }));
  assert.equal(end.out, 'inside\n');
  assert.equal(end.state, 'failed');
  assert.equal(end.executor, 'bwrap');
  assert.equal(await readFile(path.join(session.workspace, 'made'), 'utf8'), 'inside\n');
});

bwrap('bwrap changes nothing for a profile that writes nothing', async (session) => {
  const end = await session.finish(await session.start({
    command: 'touch made || echo refused; touch /tmp/own && echo own', sandbox: 'readonly',
  }));
  assert.equal(end.out, 'refused\nown\n');
});

bwrap('bwrap shows nothing that a profile hides, and keeps what it protects', async (session, t) => {
  const home = await temporaryDirectory(t);
  await mkdir(path.join(home, '.ssh'));
  await writeFile(path.join(home, '.ssh/id'), 'secret\n');
  await writeFile(path.join(home, '.netrc'), 'secret\n');
  await mkdir(path.join(session.workspace, '.git/hooks'), { recursive: true });
  await writeFile(path.join(session.workspace, '.git/config'), 'config\n');
  const other = await Session.start(t, `{ executor = 'bwrap', executors = { bwrap = {
    write = { '${home}' } } } }`, { env: { HOME: home }, workspace: session.workspace });
  const end = await other.finish(await other.start({
    command: `grep -rs secret ${home}; echo x > .git/config; echo x > .git/hooks/new; mv .git old; echo x > made && echo y > .git/new
      cat made .git/config`,
    sandbox: 'workspace',
  }));
  assert.equal(end.out, 'x\nconfig\n');
  assert.equal(await readFile(path.join(session.workspace, '.git/new'), 'utf8'), 'y\n');
});

bwrap('variables are the command\'s, not those of bubblewrap, and are in no command line', async (s) => {
  const secret = 'a secret\nof two lines';
  const id = await s.start({
    command: 'echo "$SECRET|$TMPDIR|$LD_PRELOAD"; tr "\\0" " " </proc/1/cmdline; read line',
    env: { SECRET: secret, TMPDIR: '/var/tmp', LD_PRELOAD: '/no/such.so' }, stdin: 'pipe',
  });
  await s.data('wait_for', { id, output_regex: 'bwrap', timeout: 90_000 });
  const { pid } = await s.info(id);
  assert.ok(!(await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(secret));
  assert.ok(!(await readFile(`/proc/${pid}/environ`, 'utf8')).includes('\0LD_PRELOAD='));
  await s.data('write', { id, text: 'over\n' });
  const end = await s.finish(id);
  assert.ok(end.out.startsWith(`${secret}|/var/tmp|/no/such.so\n`));
  assert.ok(!end.out.slice(secret.length).includes(secret));
});

bwrap('a terminal in bubblewrap controls its session', async (session) => {
  const end = await session.finish(await session.start({
    command: 'echo typed >/dev/tty && echo fine', pty: { rows: 24, cols: 80 },
  }));
  assert.match(end.out, /typed\r?\nfine/);
});

test('names that are not names of variables are refused', LIMIT, async (t) => {
  const session = await Session.start(t);
  for (const executor of [{ name: 'bwrap' }, { name: 'systemd-run' }, { name: 'ssh', host: 'nowhere' },
    { name: 'docker', image: 'none' }]) {
    for (const name of ['*', '-S echo', 'a-b', '']) {
      const answer = await session.call('start', { command: 'true', env: { [name]: 'x' }, executor });
      assert.match(answer.error?.message ?? '', /env: .* is not the name of a variable/, executor.name);
    }
  }
});

const DEVICES = 'tail -n +3 /proc/net/dev | wc -l';

bwrap('a profile with network takes nothing from settings without it', async (session) => {
  const profile = await session.finish(await session.start({
    command: DEVICES, sandbox: { profile: 'workspace', network: 'on' },
  }));
  const none = await session.finish(await session.start({ command: DEVICES }));
  assert.equal(profile.out, none.out);
});

bwrap('a profile without network takes it from settings that have it', async (session) => {
  const end = await session.finish(await session.start({
    command: DEVICES, sandbox: { network: 'off' },
  }));
  assert.ok(Number(end.out) <= 1);
}, "network = 'on'");

test('systemd-run gives limits to the unit, and stops the unit of a killed run', LIMIT, async (t) => {
  const { session, run, control } = await systemd(t);
  const id = await session.start({
    command: 'sleep 1000', limits: { memory_bytes: 64 * MEBIBYTE, pids: 20, cpu_share: 0.5 },
  });
  await until('it was called', async () => (await run.calls()) !== '');
  assert.match(await run.calls(), new RegExp(`--user .*--unit gibbous-${id} .*`
    + `MemoryMax=${64 * MEBIBYTE} .*CPUQuota=50% .*TasksMax=20 -- (/bin/sh|\\S+/bash --norc -p) -c sleep 1000`));
  assert.equal((await session.info(id)).limits_by.pids, 'systemd-run');
  await session.data('bg_kill', { id });
  assert.match(await control.calls(), new RegExp(`--user stop gibbous-${id}\\.service`));
});

test('systemd-run stops nothing after a run has ended normally', LIMIT, async (t) => {
  const { session, control } = await systemd(t);
  const end = await session.finish(await session.start({ command: 'echo done; exit 4' }));
  assert.equal(end.out, 'done\n');
  assert.equal(end.exit_code, 4);
  await session.end();
  assert.equal(await control.calls(), '');
});

test('a start learns ports that are known only at run time, if they are valid', LIMIT, async (t) => {
  const session = await Session.start(t, '{ limits = { max_concurrent = 10 } }');
  const start = async (ports) => (await session.data('start', {
    command: 'sleep 1000', ports: ['3000'], executor: { name: 'told', ports },
  })).info.ports;
  assert.deepEqual(await start([{ port: 3000, host: 4000 }]), [{ port: 3000, host: 4000 }]);
  for (const ports of [undefined, [], 'many', [{ port: 3000 }], [{ port: 3000, host: 0 }]]) {
    assert.equal(await start(ports), undefined, JSON.stringify(ports));
  }
});

test('runs that are executed elsewhere cannot be kept', LIMIT, async (t) => {
  const { session } = await systemd(t);
  const answer = await session.call('start', { command: 'true', on_host_death: 'keep' });
  assert.equal(answer.error.code, 'invalid_arguments');
  assert.match(answer.error.message, /executor systemd-run cannot keep a run/);
});
