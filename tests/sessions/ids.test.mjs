// An id works in every tool from the moment it is given.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client, directory } from './client.mjs';

const LIMIT = { timeout: 120_000 };
const TOOLS = ['--toolset', 'bg', '--toolset', 'wait', '--toolset', 'shell'];

async function client(t, place = {}) {
  const state = place.state ?? await directory(t);
  const workspace = place.workspace ?? await directory(t);
  const session = await Client.start(t, { state, workspace, options: TOOLS });
  return Object.assign(session, { place: { state, workspace } });
}

async function spawn(session, command, more = {}) {
  return (await session.call('shell', { action: 'spawn', command, ...more })).run_id;
}

test('a run can be waited for right after it was spawned', LIMIT, async (t) => {
  const session = await client(t);
  for (let turn = 0; turn < 20; turn += 1) {
    const id = await spawn(session, `echo turn ${turn}`);
    const { text } = await session.call('wait_for', { id, exit: true });
    assert.match(text, new RegExp(`^${id} ended: completed`));
  }
});

test('a queued run can be asked about, waited for and ended by its id', LIMIT, async (t) => {
  const session = await client(t);
  const first = await spawn(session, 'sleep 1000');
  const second = await spawn(session, 'echo hello; sleep 1000');
  const third = await spawn(session, 'true');
  const waits = new RegExp(`it waits for run ${first}`);
  const status = await session.call('bg_status', { id: second });
  assert.match(status.text, /state=queued/);
  assert.match(status.text, waits);
  assert.match((await session.call('bg_output', { id: second })).text, waits);
  await assert.rejects(session.call('wait_for', { id: second, exit: true, timeout: 200 }), waits);
  assert.match((await session.call('bg_kill', { id: third })).text, /ended before it started/);
  const hello = session.call('wait_for', { id: second, output_regex: 'hello', timeout: 60_000 });
  await session.call('wait_for', { id: first, quiet_ms: 1 });
  await session.call('bg_kill', { id: first });
  assert.match((await hello).text, /has the line: hello/);
  await assert.rejects(session.call('wait_for', { id: second, output_regex: '(', timeout: 1000 }), /output_regex/);
});

test('a run that only the journal knows can be asked about by its id', LIMIT, async (t) => {
  const first = await client(t);
  const id = await spawn(first, 'seq 1 100; echo oops >&2; exit 3');
  await first.call('wait_for', { id, exit: true });
  await first.close();
  const session = await client(t, first.place);
  const status = await session.call('bg_status', { id });
  assert.match(status.text, /state=failed .*exit=3/);
  const output = await session.call('bg_output', { id, lines: 2 });
  assert.match(output.text, /\[stdout\]\n99\n100\n\[stderr\]\noops\n/);
  await assert.rejects(session.call('bg_output', { id, stream: 'stdout', from: 5 }), /args\.from/);
  assert.match((await session.call('wait_for', { id, exit: true })).text, /ended: failed/);
  await assert.rejects(session.call('wait_for', { id, output_regex: 'x' }), /ended: failed/);
  assert.match((await session.call('bg_kill', { id })).text, /is not running \(failed/);
  await assert.rejects(session.call('bg_status', { id: 'nowhere1' }), /not found/);
});

test('a label serves as an id while it names one running process', LIMIT, async (t) => {
  const session = await client(t);
  await session.call('bg_start', { command: 'echo old', label: 'web' });
  const { id } = await session.call('bg_start', { command: 'echo up; exec sleep 1000', label: 'web' });
  const up = await session.call('wait_for', { id: 'web', output_regex: 'up' });
  assert.match(up.text, new RegExp(`${id} has the line`));
  assert.match((await session.call('bg_status', { id: 'web' })).text, new RegExp(`id=${id} `));
  assert.match((await session.call('bg_output', { id: 'web' })).text, /up/);
  const second = await session.call('bg_start', { command: 'sleep 1000', label: 'web' });
  await assert.rejects(session.call('bg_kill', { id: 'web' }), new RegExp(`${id}, ${second.id}`));
  await session.call('bg_kill', { id: second.id });
  assert.match((await session.call('bg_kill', { id: 'web' })).text, new RegExp(`^Process ${id} killed`));
  await session.close();
  const next = await client(t, session.place);
  assert.match((await next.call('bg_status', { id: 'web' })).text, /state=killed/);
});
