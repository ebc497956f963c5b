// The executors that stay on this machine: host, bwrap where it can make namespaces, and systemd-run,
// which has no user manager to answer here: against programs that write down how they were called.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { LIMIT, Session, output, recorder, until } from './support.mjs';

const MEBIBYTE = 1024 * 1024;

async function systemd(t) {
  const run = await recorder(t, 'systemd-run');
  const control = await recorder(t, 'systemctl');
  const session = await Session.start(t, `{ executor = 'systemd-run', executors = {
    ['systemd-run'] = { program = '${run.program}', systemctl = '${control.program}' } } }`);
  return { session, run, control };
}

test('the host is an executor that may be named', LIMIT, async (t) => {
  const session = await Session.start(t);
  const end = await session.finish(await session.start({ command: 'echo here', executor: 'host' }));
  assert.equal(end.out, 'here\n');
  assert.equal(end.executor, undefined);
});

test('bwrap shows a command the workspace and nothing else to write', LIMIT, async (t) => {
  const can = await output('bwrap', ['--unshare-user-try', '--unshare-pid', '--unshare-net', '--ro-bind',
    '/', '/', '--dev', '/dev', '--proc', '/proc', 'true']).then(() => true, () => false);
  if (!can) {
    console.error('\n*** NOT TESTED: the bwrap executor: no bwrap that may make namespaces\n');
    return t.skip('no bwrap that may make namespaces');
  }
  const session = await Session.start(t, "{ executor = 'bwrap' }");
  const end = await session.finish(await session.start({
    command: 'echo "$WORD" > made; cat made; touch /var/tmp/outside', env: { WORD: 'inside' },
  }));
  assert.equal(end.out, 'inside\n');
  assert.equal(end.state, 'failed');
  assert.equal(end.executor, 'bwrap');
  assert.equal(await readFile(path.join(session.workspace, 'made'), 'utf8'), 'inside\n');
});

test('systemd-run gives limits to the unit, and stops the unit of a killed run', LIMIT, async (t) => {
  const { session, run, control } = await systemd(t);
  const id = await session.start({
    command: 'sleep 1000', limits: { memory_bytes: 64 * MEBIBYTE, pids: 20, cpu_share: 0.5 },
  });
  await until('it was called', async () => (await run.calls()) !== '');
  assert.match(await run.calls(), new RegExp(`--user .*--unit gibbous-${id} .*`
    + `MemoryMax=${64 * MEBIBYTE} .*CPUQuota=50% .*TasksMax=20 -- /bin/sh -c sleep 1000`));
  assert.equal((await session.info(id)).limits_by.pids, 'systemd-run');
  await session.data('bg_kill', { id });
  assert.match(await control.calls(), new RegExp(`--user stop gibbous-${id}\\.service`));
});

test('systemd-run has nothing to stop after an end by itself', LIMIT, async (t) => {
  const { session, control } = await systemd(t);
  const end = await session.finish(await session.start({ command: 'echo done; exit 4' }));
  assert.equal(end.out, 'done\n');
  assert.equal(end.exit_code, 4);
  await session.end();
  assert.equal(await control.calls(), '');
});

test('a start learns the ports that are known only when it runs, if they make sense', LIMIT, async (t) => {
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
