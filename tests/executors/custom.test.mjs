// examples/custom_executor: executors that a team writes itself.
import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { HERE, LIMIT, Session, recorder, until } from './support.mjs';

const scripts = path.join(HERE, '../../examples/custom_executor/scripts');

/** Starts a command by bg_start and gives its id. */
async function start(session, command) {
  return (await session.data('bg_start', { command })).id;
}

async function outputAtEnd(session, id) {
  await session.data('wait_for', { id, exit: true });
  return (await session.data('bg_output', { id, since_last_read: false })).stdout;
}

async function fakeKubectl(t) {
  const { program, calls } = await recorder(t, 'kubectl');
  return { program, calls: async () => (await calls()).trim().split('\n') };
}

test('nice runs a command with a lower priority', LIMIT, async (t) => {
  const session = await Session.start(t, "{ executor = 'nice', executors = { nice = { niceness = 13 } } }",
    { scripts });
  const niceness = Math.min(os.getPriority() + 13, 19);
  assert.equal(await outputAtEnd(session, await start(session, 'nice')), `${niceness}\n`);
});

test('nice keeps a command on the named processors', LIMIT, async (t) => {
  const session = await Session.start(t, "{ executor = 'nice', executors = { nice = { cpus = '0' } } }",
    { scripts });
  assert.equal(await outputAtEnd(session, await start(session, 'nproc')), '1\n');
});

test('kubectl runs a pod, and deletes it after the command', LIMIT, async (t) => {
  const fake = await fakeKubectl(t);
  const session = await Session.start(t, `{ executor = 'kubectl', executors = { kubectl = {
    image = 'busybox', program = '${fake.program}' } } }`, { scripts });
  assert.equal(await outputAtEnd(session, await start(session, 'echo from the pod')), 'from the pod\n');
  const calls = (await fake.calls()).join('\n');
  assert.match(calls, /run gibbous-\S+ --image busybox --restart Never --attach --quiet (--env [^]*)?--command -- /);
  assert.match(calls, /delete pod gibbous-\S+ --ignore-not-found/);
});

test('a pod of a host that is killed is deleted', LIMIT, async (t) => {
  const fake = await fakeKubectl(t);
  const session = await Session.start(t, `{ executor = 'kubectl', executors = { kubectl = {
    image = 'busybox', program = '${fake.program}' } } }`, { scripts });
  await start(session, 'sleep 1000');
  await session.kill();
  await until('the pod is deleted', async () => (await fake.calls()).some((call) => call.includes(
    'delete pod')));
});
