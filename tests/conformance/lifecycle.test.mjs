// A server ends quickly during any work, and leaves no process behind.
import assert from 'node:assert/strict';
import { readdir, readlink } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { RawServer, Workbench } from './support.mjs';

// It takes some 20 ms, and a shared machine may pause: the quickest of several runs counts.
const EXIT_LIMIT_MS = 250;
const ATTEMPTS = 8;
const STUBBORN = "trap '' TERM INT HUP; setsid sleep 600 & sleep 600 & while :; do sleep 600; done";

const ENDS = {
  'the end of its input': (server) => server.child.stdin.end(),
  SIGINT: (server) => server.child.kill('SIGINT'),
  SIGTERM: (server) => server.child.kill('SIGTERM'),
  SIGHUP: (server) => server.child.kill('SIGHUP'),
};

/** What a process has open: such as `pipe:[42]`. */
async function opened(pid, descriptors = undefined) {
  const links = `/proc/${pid}/fd`;
  const names = descriptors ?? await readdir(links);
  return Promise.all(names.map((name) => readlink(`${links}/${name}`).catch(() => 'closed')));
}

const OCCUPATIONS = {
  'with nothing to do': async () => {},
  'with a call that waits and a child that ignores signals': async (server) => {
    const started = await server.ask(server.modern('start', 'tools/call', {
      name: 'bg_start', arguments: { command: STUBBORN } }));
    assert.ok(!started.result.isError, JSON.stringify(started));
    server.say(server.modern('wait', 'tools/call', {
      name: 'wait_for', arguments: { id: started.result.structuredContent.id, exit: true } }));
    assert.ok((await server.ask(server.modern('next', 'tools/list'))).result);
  },
  'with a script that spins': async (server) => {
    server.say(server.modern('spin', 'tools/call', { name: 'probe_spin' }));
    assert.ok((await server.ask(server.modern('next', 'tools/list'))).result);
  },
  'with a script that cannot be interrupted': async (server) => {
    assert.ok((await server.ask(server.modern('before', 'tools/list'))).result);
    server.say(server.modern('sort', 'tools/call', { name: 'probe_sort' }));
  },
};

for (const [end, act] of Object.entries(ENDS)) {
  describe(`the server ends on ${end}`, () => {
    for (const [occupation, occupy] of Object.entries(OCCUPATIONS)) {
      test(`${occupation}: in time, and nothing is left`, async (t) => {
        const times = [];
        while (times.length < ATTEMPTS && !(Math.min(...times) < EXIT_LIMIT_MS)) {
          const bench = await Workbench.for(t);
          const server = new RawServer(t, bench);
          await server.handshake();
          await occupy(server);
          const began = performance.now();
          act(server);
          const { code, signal, at } = await server.exited;
          assert.equal(signal, null);
          assert.equal(code, 0);
          times.push(at - began);
          await bench.untilNothingIsLeft();
        }
        t.diagnostic(`exit after ${times.map((time) => time.toFixed(1)).join(', ')} ms`);
        assert.ok(Math.min(...times) < EXIT_LIMIT_MS, `exit took ${times.join(', ')} ms`);
      });
    }
  });
}

test('requests are answered whose client went before the server served', async (t) => {
  const bench = await Workbench.for(t);
  const server = new RawServer(t, bench);
  const answers = Promise.all([
    server.ask(server.modern('list', 'tools/list')),
    server.ask(server.modern('run', 'tools/call', {
      name: 'bg_start', arguments: { command: 'echo hello', until: { exit: true } } })),
  ]);
  server.child.stdin.end();
  const [listed, ran] = await answers;
  assert.ok(listed.result.tools.length > 0);
  assert.ok(!ran.result.isError, JSON.stringify(ran));
  assert.equal((await server.exited).code, 0);
});

test('a killed server leaves no process behind', async (t) => {
  const bench = await Workbench.for(t);
  const server = new RawServer(t, bench);
  await OCCUPATIONS['with a call that waits and a child that ignores signals'](server);
  assert.ok((await bench.processes()).length > 2);
  server.child.kill('SIGKILL');
  await server.exited;
  await bench.untilNothingIsLeft();
});

test('a child inherits no pipe of the client', async (t) => {
  const bench = await Workbench.for(t);
  const server = new RawServer(t, bench);
  await OCCUPATIONS['with a call that waits and a child that ignores signals'](server);
  const streams = await opened(server.child.pid, [0, 1]);  // its stderr is no pipe
  assert.ok(streams.every((file) => /^(pipe|socket):/.test(file)), streams.join(' '));
  for (const { pid, command } of await bench.processes()) {
    if (pid === server.child.pid) continue;
    const inherited = (await opened(pid)).filter((file) => streams.includes(file));
    assert.deepEqual(inherited, [], command);
  }
  const closed = new Promise((resolve) => server.child.once('close', resolve));
  server.child.stdin.end();
  await server.exited;
  await closed;
  await bench.untilNothingIsLeft();
});

test('open subscriptions are ended properly', async (t) => {
  const bench = await Workbench.for(t);
  const server = new RawServer(t, bench);
  server.say(server.modern('s', 'subscriptions/listen', {
    notifications: { toolsListChanged: true } }));
  await server.hear('the acknowledgement',
    ({ method }) => method === 'notifications/subscriptions/acknowledged');
  server.child.kill('SIGTERM');
  const ended = await server.answer('s');
  assert.equal(ended.result.resultType, 'complete');
  assert.equal(ended.result._meta['io.modelcontextprotocol/subscriptionId'], 's');
  assert.equal((await server.exited).code, 0);
});
