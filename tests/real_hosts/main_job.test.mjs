// The main job in real hosts: a server is started, waited for, read and stopped, and nothing of it is left.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HOSTS, run, session } from './hosts.mjs';
import { call } from './model.mjs';
import { freePort, idOf } from './support.mjs';

// While its child runs, the call is in the middle.
const HANG = `
local hang = tool {
  name = 'probe_hang', description = 'Starts a tree of processes and waits for its end',
  permission = 'read', input = schema.object {},
  run = function()
    local handle = assert(run.start { command = 'sleep 600 & setsid sleep 601 & exec sleep 602' })
    wait { any = { wait.exit(handle) }, timeout_ms = 600000 }
    return 'never'
  end,
}
return { name = 'probe', tools = { hang } }
`;

const SHIPPED = ['bg_input', 'bg_kill', 'bg_output', 'bg_start', 'bg_status', 'wait_for'];

for (const host of HOSTS) {
  describe(host.name, () => {
    test('the model starts a server, waits until it is ready, reads its output and stops it', async (t) => {
      const port = await freePort();
      const seen = {};
      const { model } = await run(t, host, async function* (bench) {
        const started = yield call('bg_start', {
          command: `python3 -u -m http.server ${port} --bind 127.0.0.1`, label: 'server' });
        const id = idOf(started);
        seen.ready = yield call('wait_for', { id, http: `http://127.0.0.1:${port}/` });
        const page = await fetch(`http://127.0.0.1:${port}/from-the-test`);
        assert.equal(page.status, 404);
        seen.output = yield call('bg_output', { id });
        assert.ok(await bench.processOf('http.server'), 'it runs');
        seen.killed = yield call('bg_kill', { id });
        assert.equal(await bench.processOf('http.server'), undefined);
      });
      assert.deepEqual(model.requests[0].tools.sort(), SHIPPED);
      assert.match(seen.ready.result, /answered 200/);
      assert.match(seen.output.result, /Serving HTTP/);
      assert.match(seen.output.result, /from-the-test/);
      assert.match(seen.killed.result, /killed \(was running for/);
    });

    test('what still runs when the host ends by itself ends with it', async (t) => {
      const started = [];
      const { bench } = await run(t, host, async function* () {
        started.push(yield call('bg_start', { command: 'sleep 600 & sleep 601' }));
      });
      assert.match(started[0].result, /id=/);
      assert.deepEqual(await bench.processes(), []);
    });

    test('nothing is left of a call when its host is killed in the middle', async (t) => {
      const { bench, start } = await session(t, host, async function* () {
        yield call('probe_hang');
      }, (bench) => bench.writeTools(HANG));
      const running = start();
      await bench.untilProcess('sleep 602');
      process.kill(running.child.pid, 'SIGKILL');
      assert.equal((await running.ended).signal, 'SIGKILL');
      await bench.untilNothingIsLeft();
    });

    test('a command that fails tells the model its errors', async (t) => {
      const seen = {};
      await run(t, host, async function* () {
        seen.failed = yield call('bg_start', {
          command: 'python3 -c "import no_such_module_here"', until: { exit: true } });
      });
      assert.match(seen.failed.result, /ModuleNotFoundError: No module named 'no_such_module_here'/);
    });
  });
}
