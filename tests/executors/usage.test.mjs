// What a run costs, as its executor reports it: an executor with figures from its settings, and
// engines and a systemd that are one-line programs.
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { before } from '../support/before.mjs';
import { LIMIT, Session, recorder, temporaryDirectory, until } from './support.mjs';

const MEBIBYTE = 1024 * 1024;
const ANSWER_LIMIT_MS = 3000;  // for an executor's answer

/** A run of the executor `told`, which says this of it. */
async function told(session, settings) {
  return session.start({ command: 'sleep 1000', executor: { name: 'told', ...settings } });
}

test("an executor's figures replace those measured here", LIMIT, async (t) => {
  const session = await Session.start(t);
  const says = { processes: 4, threads: 9, rss_bytes: 5000, cpu_percent: 12.34, cpu_time_ms: 70 };
  const usage = await session.usage(await told(session, { says }));
  assert.deepEqual(usage, { ...says, cpu_percent: 12.3, by: 'told', ports: [] });
});

test('the percentage is computed from processor time, since the start and since the last reading', LIMIT,
  async (t) => {
    const session = await Session.start(t);
    const id = await told(session, {
      says: { processes: 1, rss_bytes: 1, cpu_time_ms: 1_000_000 },
    });
    assert.ok((await session.usage(id)).cpu_percent > 1000);
    assert.equal((await session.usage(id)).cpu_percent, 0);
  });

test('without a valid answer, the figures are those measured here', LIMIT, async (t) => {
  const session = await Session.start(t, '{ limits = { max_concurrent = 10 } }');
  const good = { processes: 1, rss_bytes: 1, cpu_percent: 1 };
  for (const settings of [{}, { fails: true }, { says: { ...good, rss_bytes: -1 } },
    { says: { ...good, processes: 'many' } }, { says: { ...good, cost: 3 } },
    { says: { processes: 1, rss_bytes: 1 } }]) {
    const id = await told(session, settings);
    // A process that has just begun may have no memory yet.
    await until('it is measured', async () => {
      const usage = await session.usage(id);
      assert.equal(usage.by, undefined, JSON.stringify(settings));
      return usage.processes >= 1 && usage.rss_bytes > 4096;
    });
  }
});

test('a listing asks all executors at the same time, and does not wait for late ones', LIMIT,
  async (t) => {
    const session = await Session.start(t);
    const ids = [];
    for (let i = 0; i < 4; i += 1) ids.push(await told(session, { late_ms: 60_000 }));
    const began = performance.now();
    const { processes } = await before(session, 4 * ANSWER_LIMIT_MS - 1000,
      () => session.data('bg_status', {}));
    const took = performance.now() - began;
    assert.deepEqual(processes.map((each) => each.id).sort(), ids.sort());
    for (const each of processes) assert.equal(each.usage.by, undefined);
    assert.ok(took >= ANSWER_LIMIT_MS, `${took} ms`);
  });

test('an answer that is late is given to the next question', LIMIT, async (t) => {
  const session = await Session.start(t);
  const says = { processes: 4, threads: 9, rss_bytes: 5000, cpu_percent: 12.3, cpu_time_ms: 70 };
  const id = await told(session, { says, late_ms: ANSWER_LIMIT_MS + 1000 });
  assert.equal((await session.usage(id)).by, undefined);
  await until('the late answer is known', async () => {
    const usage = await session.usage(id);
    return usage.by === 'told' && usage.processes === says.processes;
  });
});

test('a question that is cancelled with its call leaves the session usable', LIMIT, async (t) => {
  const session = await Session.start(t);
  const id = await told(session, { late_ms: 60_000 });
  const answer = session.call('usage', { id });
  session.cancelLast();
  assert.equal((await answer).error.code, 'cancelled');
  assert.equal((await session.info(id)).state, 'running');
});

/** A client of an engine that runs its containers by doing nothing, and says this of them. */
async function client(t, stats) {
  const program = path.join(await temporaryDirectory(t), 'client');
  await writeFile(program, `#!/bin/sh
case "$*" in
  *' stats '* | 'stats '*) echo '${JSON.stringify(stats)}' ;;
  *'run '*) exec sleep 1000 ;;
  *'system '*) exit 1 ;;
esac
`);
  await chmod(program, 0o755);
  return program;
}

async function usageOf(t, engine, stats) {
  const session = await Session.start(t, `{ executor = '${engine}', executors = { ${engine} = {
    image = 'none', program = '${await client(t, stats)}' } } }`);
  return session.usage(await session.start({ command: 'true' }));
}

test('docker reports costs with its stats if the engine\'s socket is out of reach', LIMIT, async (t) => {
  const usage = await usageOf(t, 'docker',
    { PIDs: '7', MemUsage: '12.5MiB / 1GiB', CPUPerc: '0.50%' });
  assert.deepEqual(usage,
    { by: 'docker', processes: 7, rss_bytes: 12.5 * MEBIBYTE, cpu_percent: 0.5, ports: [] });
});

test('a container that does not run has no stats', LIMIT, async (t) => {
  const usage = await usageOf(t, 'docker', { PIDs: '--', MemUsage: '-- / --', CPUPerc: '--' });
  assert.equal(usage.by, undefined);
});

test('podman reports costs with its stats', LIMIT, async (t) => {
  const usage = await usageOf(t, 'podman', [{
    pids: '3', mem_usage: '1.5GB / 25.28GB', cpu_time: '1m2.5s', cpu_percent: '50.35%',
  }]);
  assert.equal(usage.by, 'podman');
  assert.equal(usage.processes, 3);
  assert.equal(usage.rss_bytes, 1.5e9);
  assert.equal(usage.cpu_time_ms, 62_500);
});

/** A run of systemd-run whose systemctl shows these properties. */
async function unit(t, properties) {
  const program = path.join(await temporaryDirectory(t), 'systemctl');
  await writeFile(program, `#!/bin/sh
[ "$2" = show ] && printf '%s\\n' ${properties.map((each) => `'${each}'`).join(' ')}
`);
  await chmod(program, 0o755);
  const run = await recorder(t, 'systemd-run');
  const session = await Session.start(t, `{ executor = 'systemd-run', executors = {
    ['systemd-run'] = { program = '${run.program}', systemctl = '${program}' } } }`);
  return session.usage(await session.start({ command: 'sleep 1000' }));
}

test('systemd-run reports what the unit costs', LIMIT, async (t) => {
  const usage = await unit(t,
    ['CPUUsageNSec=2500000000', 'MemoryCurrent=4194304', 'TasksCurrent=5']);
  assert.equal(usage.by, 'systemd-run');
  assert.equal(usage.processes, 5);
  assert.equal(usage.rss_bytes, 4 * MEBIBYTE);
  assert.equal(usage.cpu_time_ms, 2500);
});

test('a unit without accounting reports nothing', LIMIT, async (t) => {
  const usage = await unit(t,
    ['CPUUsageNSec=[not set]', 'MemoryCurrent=18446744073709551615', 'TasksCurrent=5']);
  assert.equal(usage.by, undefined);
});
