// Calls that become tasks, on the wire: over stdio and over HTTP, with the fixtures of the official
// suite (profile/tasks.lua) and with tools that hold processes.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';

import { HttpServer, MODERN, RawServer, Workbench, until } from './support.mjs';

const PROFILE = process.env.GIBBOUS_PROFILE;
assert.ok(PROFILE, 'GIBBOUS_PROFILE must name the directory profile');

const EXTENSION = 'io.modelcontextprotocol/tasks';
const TAKING = { extensions: { [EXTENSION]: {} } };
const ASKABLE = { ...TAKING, elicitation: {} };
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const LONG = { seconds: 600 };

/** A client over stdio with one method, `ask`, that gives a response. */
class StdioClient {
  static async start(t, bench, mode) {
    const client = new StdioClient();
    client.server = new RawServer(t, bench, mode);
    client.last = 0;
    return client;
  }

  message(method, params, capabilities = TAKING) {
    return this.server.modern(++this.last, method, params, { [CAPABILITIES]: capabilities });
  }

  ask(method, params, capabilities) {
    return this.server.ask(this.message(method, params, capabilities));
  }

  /** The messages of a subscription, as a function that gives the next one. */
  async listen(notifications) {
    const message = this.message('subscriptions/listen', { notifications });
    this.server.say(message);
    return () => this.server.hear('a message of the subscription',
      ({ params }) => params?._meta?.[SUBSCRIPTION] === message.id);
  }

  async kill() {
    this.server.child.kill('SIGKILL');
    await this.server.exited;
  }
}

/** The same over HTTP, with the headers that belong to it. */
class HttpClient {
  static async start(t, bench, mode) {
    const client = new HttpClient();
    client.server = await HttpServer.start(t, bench, { mode });
    client.last = 0;
    client.streams = new AbortController();
    t.after(() => client.streams.abort());
    return client;
  }

  send(method, params, capabilities = TAKING, headers = {}) {
    const name = params?.name ?? params?.taskId;
    return fetch(this.server.url, {
      method: 'POST',
      signal: this.streams.signal,
      headers: {
        Authorization: `Bearer ${this.server.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': MODERN,
        'Mcp-Method': method,
        ...(name === undefined ? {} : { 'Mcp-Name': name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++this.last, method, params: { ...params, _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        [CAPABILITIES]: capabilities,
      } } }),
    });
  }

  async ask(method, params, capabilities, headers) {
    const response = await this.send(method, params, capabilities, headers);
    const text = await response.text();
    this.status = response.status;
    if (!(response.headers.get('content-type') ?? '').includes('event-stream')) {
      return JSON.parse(text);
    }
    const messages = [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => JSON.parse(data));
    return messages.at(-1);
  }

  async listen(notifications) {
    const { body } = await this.send('subscriptions/listen', { notifications });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let unread = '';
    return async () => {
      for (;;) {
        const found = /^data: ?(.+)\n/m.exec(unread);
        if (found) {
          unread = unread.slice(found.index + found[0].length);
          return JSON.parse(found[1]);
        }
        const { value, done } = await reader.read();
        assert.ok(!done, 'the subscription ended');
        unread += value;
      }
    };
  }

  async kill() {
    this.server.child.kill('SIGKILL');
    await this.server.exited;
  }
}

const CLIENTS = [['stdio', StdioClient], ['HTTP', HttpClient]];

async function profile(t, Client) {
  const bench = await Workbench.for(t);
  bench.scripts = PROFILE;
  return { bench, client: await Client.start(t, bench) };
}

const call = (client, name, args = {}, capabilities = TAKING) =>
  client.ask('tools/call', { name, arguments: args }, capabilities);
const get = async (client, taskId) => (await client.ask('tasks/get', { taskId })).result;

async function task(client, name, args, capabilities) {
  const { result } = await call(client, name, args, capabilities);
  assert.equal(result.resultType, 'task', JSON.stringify(result));
  return result.taskId;
}

/** A task of a wait that is given up first, and goes on with its handle. */
async function resumedWait(client, conditions) {
  const { result: late } = await call(client, 'wait_for', { ...conditions, timeout: 10 });
  const { resume } = late._meta['gibbous/errorData'];
  return task(client, 'wait_for', { resume, timeout: 600_000 });
}

const reaches = (client, taskId, status) => until(`the task is ${status}`, async () => {
  const found = await get(client, taskId);
  return found.status === status && found;
});

for (const [name, Client] of CLIENTS) {
  describe(name, () => {
    test('a call that goes on is a task, and its result is fetched', async (t) => {
      const { client } = await profile(t, Client);
      const { result: { capabilities } } = await client.ask('server/discover');
      assert.deepEqual(capabilities.extensions, { [EXTENSION]: {} });
      const { result: made } = await call(client, 'slow_compute', { seconds: 1, label: 'pi' });
      assert.equal(made.resultType, 'task');
      assert.equal(made.status, 'working');
      assert.equal(made.task, undefined);
      assert.equal(made.requestState, undefined);
      const first = await get(client, made.taskId);
      assert.equal(first.resultType, 'complete');
      assert.equal(first.taskId, made.taskId);
      const done = await reaches(client, made.taskId, 'completed');
      assert.equal(done.result.content[0].text, 'Computed pi for 1 s');
      assert.equal(done.result.isError, false);
      assert.equal(done.createdAt, made.createdAt);
    });

    test('what may never be a task is none', async (t) => {
      const { client } = await profile(t, Client);
      const { result } = await call(client, 'greet');
      assert.equal(result.resultType, 'complete');
      assert.equal(result.content[0].text, 'Hello, World!');
    });

    test('errors of tools complete a task, and a broken script fails it', async (t) => {
      const { client } = await profile(t, Client);
      const failing = await task(client, 'failing_job');
      const broken = await task(client, 'protocol_error_job');
      const done = await reaches(client, failing, 'completed');
      assert.equal(done.result.isError, true);
      assert.equal(done.result.content[0].text, 'The job has failed');
      const failed = await reaches(client, broken, 'failed');
      assert.equal(failed.error.code, -32603);
      assert.match(failed.error.message, /The job is broken/);
      assert.equal(failed.result, undefined);
    });

    test('a client that does not declare tasks gets none, and cannot use them', async (t) => {
      const { client } = await profile(t, Client);
      const plain = await call(client, 'slow_compute', { seconds: 0.4 }, {});
      assert.equal(plain.result.resultType, 'complete');
      const refused = await call(client, 'failing_job', {}, {});
      assert.equal(refused.error.code, -32021);
      assert.deepEqual(refused.error.data, { requiredCapabilities: TAKING });
      const taskId = await task(client, 'slow_compute', LONG);
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const answer = await client.ask(method, { taskId, inputResponses: {} }, {});
        assert.equal(answer.error.code, -32021, method);
        if (client.status) assert.equal(client.status, 400);
      }
      for (const method of ['tasks/list', 'tasks/result']) {
        assert.equal((await client.ask(method, { taskId })).error.code, -32601, method);
      }
      assert.equal((await client.ask('tasks/get', { taskId: 'nobody-s' })).error.code, -32602);
    });

    test('a task asks, is answered in part, and goes on', async (t) => {
      const { client } = await profile(t, Client);
      const taskId = await task(client, 'multi_input', {}, ASKABLE);
      const asked = await until('both questions are there', async () => {
        const found = await get(client, taskId);
        return Object.keys(found.inputRequests ?? {}).length === 2 && found;
      });
      assert.equal(asked.status, 'input_required');
      const [first, second] = Object.keys(asked.inputRequests);
      assert.equal(asked.inputRequests[first].method, 'elicitation/create');
      const yes = { action: 'accept', content: { confirm: true } };
      const acknowledged = await client.ask('tasks/update', {
        taskId, inputResponses: { [first]: yes, unknown: { ignored: true } } });
      assert.equal(acknowledged.result.resultType, 'complete');
      assert.equal(acknowledged.result.status, undefined);
      const left = await get(client, taskId);
      assert.equal(left.status, 'input_required');
      assert.deepEqual(Object.keys(left.inputRequests), [second]);
      await client.ask('tasks/update', { taskId, inputResponses: { [second]: yes } });
      const done = await reaches(client, taskId, 'completed');
      assert.equal(done.result.content[0].text, 'Confirmed: true and true');
    });

    test('a cancelled task is over, and its process is gone', async (t) => {
      const bench = await Workbench.for(t);
      await bench.writeProbe(HOLDING);
      const client = await Client.start(t, bench);
      const taskId = await task(client, 'hold');
      const pid = await until('the process runs', async () =>
        Number((await get(client, taskId)).statusMessage));
      await until('it runs', () => bench.isAlive(pid));
      for (let time = 0; time < 2; time += 1) {
        const { result } = await client.ask('tasks/cancel', { taskId });
        assert.equal(result.resultType, 'complete');
        assert.equal((await get(client, taskId)).status, 'cancelled');
      }
      await until('the process is gone', async () => !(await bench.isAlive(pid)));
    });

    test('a subscription is told of changes', async (t) => {
      const { client } = await profile(t, Client);
      const taskId = await task(client, 'confirm_delete', { filename: 'x' }, ASKABLE);
      const next = await client.listen({ taskIds: [taskId, 'nobody-s'] });
      const known = await next();
      assert.equal(known.method, 'notifications/subscriptions/acknowledged');
      assert.deepEqual(known.params.notifications, { taskIds: [taskId] });
      const asked = await next();
      assert.equal(asked.method, 'notifications/tasks');
      assert.equal(asked.params.status, 'input_required');
      assert.equal(asked.params.resultType, undefined);
      const [key] = Object.keys(asked.params.inputRequests);
      await client.ask('tasks/update', { taskId, inputResponses: {
        [key]: { action: 'accept', content: { confirm: false } } } });
      assert.equal((await next()).params.status, 'working');
      const done = await next();
      assert.equal(done.params.status, 'completed');
      assert.equal(done.params.result.content[0].text, 'Kept x');
    });

    test('a task goes on through a reload', async (t) => {
      const bench = await Workbench.for(t);
      await bench.writeProbe(HOLDING);
      const client = await Client.start(t, bench);
      const taskId = await task(client, 'rest');
      await bench.writeProbe(`${HOLDING}\n-- edited`);
      const done = await reaches(client, taskId, 'completed');
      assert.equal(done.result.content[0].text, 'rested');
    });

    test('after a crash, a task that was over is there, and a wait goes on', async (t) => {
      const bench = await Workbench.for(t);
      await bench.writeProbe(HOLDING);
      const first = await Client.start(t, bench);
      const over = await task(first, 'rest');
      const result = (await reaches(first, over, 'completed')).result;
      const file = path.join(bench.directory, 'there');
      const waiting = await task(first, 'wait_for', { file, timeout: 600_000 });
      const lost = await task(first, 'hold');
      const pid = await until('the process runs', async () =>
        Number((await get(first, lost)).statusMessage));
      const { result: { taskId: cancelled } } = await call(first, 'rest', { ms: 600_000 });
      await first.ask('tasks/cancel', { taskId: cancelled });
      await until('the tasks are recorded', async () =>
        (await bench.recorded()).includes(lost) && (await bench.recorded()).includes('rested') &&
        (await bench.recorded()).includes('cancelled by the client'));
      await first.kill();

      const client = await Client.start(t, bench);
      assert.equal((await get(client, over)).status, 'completed');
      assert.deepEqual((await get(client, over)).result, result);
      assert.equal((await get(client, cancelled)).status, 'cancelled');
      // The call only reads, so that it is made again.
      assert.equal((await get(client, waiting)).status, 'working');
      await writeFile(file, '');
      const waited = await reaches(client, waiting, 'completed');
      assert.equal(waited.result.isError, false, waited.result.content[0].text);
      // This one is not made again, and says so.
      const gone = await reaches(client, lost, 'completed');
      assert.equal(gone.result.isError, true);
      assert.match(gone.result.content[0].text, /its result is lost/);
      await until('the process is gone', async () => !(await bench.isAlive(pid)));
      assert.equal((await client.ask('tasks/get', { taskId: 'nobody-s' })).error.code, -32602);
    });

    test('after a crash, a wait that had gone on with a handle goes on again', async (t) => {
      const bench = await Workbench.for(t);
      const first = await Client.start(t, bench);
      const file = path.join(bench.directory, 'there');
      const waiting = await resumedWait(first, { file });
      // The handle is used up, and a reload changes nothing.
      await bench.writeProbe(HOLDING);
      await until('the scripts are reloaded', async () =>
        !(await call(first, 'rest')).error);
      assert.equal((await get(first, waiting)).status, 'working');
      // Its run ends while the server is away.
      const started = await call(first, 'bg_start', { command: 'sleep 600' });
      const [, id] = /id=(\w+)/.exec(started.result.content[0].text);
      const ending = await resumedWait(first, { id, exit: true });
      await until('the waits are recorded', async () =>
        (await bench.recorded()).includes(waiting) && (await bench.recorded()).includes(ending));
      await first.kill();

      const client = await Client.start(t, bench);
      assert.equal((await get(client, waiting)).status, 'working');
      const ended = await reaches(client, ending, 'completed');
      assert.equal(ended.result.isError, false, ended.result.content[0].text);
      assert.match(ended.result.content[0].text, new RegExp(`${id} ended`));
      // It was made again with its conditions, and is again when this one dies, too.
      await client.kill();
      const last = await Client.start(t, bench);
      assert.equal((await get(last, waiting)).status, 'working');
      await writeFile(file, '');
      const waited = await reaches(last, waiting, 'completed');
      assert.equal(waited.result.isError, false, waited.result.content[0].text);
      assert.match(waited.result.content[0].text, /there is there/);
    });

    test('without a place for the journal, tasks live as long as the server', async (t) => {
      const bench = await Workbench.for(t);
      await bench.writeProbe(HOLDING);
      bench.state = '/proc/nowhere';
      const client = await Client.start(t, bench);
      const taskId = await task(client, 'rest');
      await reaches(client, taskId, 'completed');
      assert.equal((await client.ask('tasks/get', { taskId: 'nobody-s' })).error.code, -32602);
    });

    test('the end of the server ends the process of a task', async (t) => {
      const bench = await Workbench.for(t);
      await bench.writeProbe(HOLDING);
      const client = await Client.start(t, bench);
      const taskId = await task(client, 'hold');
      const pid = await until('the process runs', async () =>
        Number((await get(client, taskId)).statusMessage));
      client.server.child.kill('SIGTERM');
      assert.equal((await client.server.exited).signal, null);
      await until('the process is gone', async () => !(await bench.isAlive(pid)));
    });
  });
}

// Tools of one's own: one holds a process, one ends by itself.
const HOLDING = `
local hold = tool {
  name = 'hold', description = 'Holds a process', permission = 'execute', task = 0,
  run = function()
    local handle, err = run.start { argv = { 'sleep', '600' } }
    if not handle then tool.error(err.code, err.message) end
    tool.progress(1, nil, tostring(handle:info().pid))
    handle:wait { any = { { kind = 'exit' } }, timeout_ms = 600000 }
    return 'never'
  end,
}
local rest = tool {
  name = 'rest', description = 'Rests', permission = 'read', task = 0,
  input = schema.object { ms = schema.number { default = 600 } },
  run = function(args)
    time.sleep(args.ms)
    return 'rested'
  end,
}
return { name = 'holding', tools = { hold, rest } }
`;

test('over HTTP, the headers of tasks/* must say what the body says', async (t) => {
  const { client } = await profile(t, HttpClient);
  const taskId = await task(client, 'slow_compute', LONG);
  for (const headers of [{ 'Mcp-Name': 'another' }, { 'Mcp-Method': 'tasks/cancel' }]) {
    const { error } = await client.ask('tasks/get', { taskId }, TAKING, headers);
    assert.equal(error.code, -32020);
    assert.equal(client.status, 400);
  }
  assert.equal((await get(client, taskId)).status, 'working');
});

test('two clients of one user do not see each other’s tasks', async (t) => {
  const { bench, client } = await profile(t, StdioClient);
  const taskId = await task(client, 'slow_compute', LONG);
  const other = await StdioClient.start(t, bench);
  assert.equal((await other.ask('tasks/get', { taskId })).error.code, -32602);
  assert.equal((await other.ask('tasks/cancel', { taskId })).error.code, -32602);
  assert.equal((await get(client, taskId)).status, 'working');
});

test('over HTTP, closing the connection that made a task leaves the task', async (t) => {
  const { client } = await profile(t, HttpClient);
  const taskId = await task(client, 'slow_compute', { seconds: 1 });
  client.streams.abort();
  client.streams = new AbortController();
  assert.equal((await reaches(client, taskId, 'completed')).result.isError, false);
});

test('a wait that timed out goes on with its handle, also after a reload', async (t) => {
  const bench = await Workbench.for(t);
  const client = await StdioClient.start(t, bench);
  const file = path.join(bench.directory, 'there');
  const wait = async (args) => (await call(client, 'wait_for', args, {})).result;
  const late = await wait({ file, timeout: 10 });
  assert.equal(late.isError, true);
  const [, resume] = /resume="(\w+)"/.exec(late.content[0].text);
  assert.equal(late._meta['gibbous/errorData'].resume, resume);
  const next = await client.listen({ toolsListChanged: true });
  await next();
  await bench.addTool();
  await next();
  await writeFile(file, '');
  assert.equal((await wait({ resume })).isError, false);
  const again = await wait({ resume });
  assert.equal(again._meta['gibbous/errorCode'], 'unknown_wait');
});

test('over HTTP, the handle of a wait belongs to its session', async (t) => {
  const bench = await Workbench.for(t);
  const client = await HttpClient.start(t, bench);
  const file = path.join(bench.directory, 'there');
  const { result: late } = await call(client, 'wait_for', { file, timeout: 10 }, {});
  const { resume } = late._meta['gibbous/errorData'];
  const session = await client.server.open();
  const answer = await fetch(client.server.url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${client.server.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'Mcp-Session-Id': session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: {
      name: 'wait_for', arguments: { resume } } }),
  });
  assert.match(await answer.text(), /unknown_wait/);
  await writeFile(file, '');
  assert.equal((await call(client, 'wait_for', { resume }, {})).result.isError, false);
});

test('a call asks first, and becomes a task when it is answered', async (t) => {
  const { client } = await profile(t, StdioClient);
  const { result: asked } = await call(client, 'test_tool_with_task', {}, ASKABLE);
  assert.equal(asked.resultType, 'input_required');
  assert.equal(asked.taskId, undefined);
  const [key] = Object.keys(asked.inputRequests);
  const { result: made } = await client.ask('tools/call', {
    name: 'test_tool_with_task', arguments: {}, requestState: asked.requestState,
    inputResponses: { [key]: { action: 'accept', content: { name: 'Alice' } } },
  }, ASKABLE);
  assert.equal(made.resultType, 'task');
  assert.equal(made.requestState, undefined);
  const done = await reaches(client, made.taskId, 'completed');
  assert.equal(done.result.content[0].text, 'The task of Alice is done');
});
