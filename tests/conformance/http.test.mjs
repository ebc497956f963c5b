// `gibbous mcp --http` through the official clients, and by requests that no client library sends.
import assert from 'node:assert/strict';
import { lstat, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect as connectTo } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';

import { HTTP_CLIENTS, HttpServer, MODERN, Workbench, promised, textOf, until } from './support.mjs';

/** A server, and a client that is connected to it. Both are gone when the test ends. */
async function connect(t, client, options = {}) {
  const bench = await Workbench.for(t);
  if (options.onElicit) await bench.askAboutStarts();
  const server = await HttpServer.start(t, bench);
  const session = await client.connect(server, options);
  t.after(() => session.close());
  assert.equal(session.revision, client.revision);
  return { bench, server, session };
}

for (const client of HTTP_CLIENTS) {
  describe(client.name, () => {
    test('lists tools and resources, starts a process and reads its output', async (t) => {
      const { bench, session } = await connect(t, client);
      assert.match(session.client.getInstructions(), /bg_start/);
      const names = (await session.listTools()).map((tool) => tool.name);
      assert.ok(names.includes('bg_start'));
      const started = await session.callTool('bg_start', { command: 'echo hello; sleep 600' });
      const { id, pid } = started.structuredContent;
      const seen = await session.callTool('wait_for', { id, output_regex: 'hello' });
      assert.ok(!seen.isError, textOf(seen));
      assert.ok(await bench.isAlive(pid));
      const { resources } = await session.client.listResources();
      assert.deepEqual(resources.map(({ uri }) => uri),
        ['probe://static', 'gibbous://report', `gibbous://runs/${id}`]);
      const killed = await session.callTool('bg_kill', { id });
      assert.ok(!killed.isError, textOf(killed));
    });

    test('progress rises until the result', async (t) => {
      const { session } = await connect(t, client);
      const seen = [];
      let noted;
      const result = await session.callTool('probe_count', { until_seen: true }, {
        onprogress: (progress) => {
          seen.push(progress.progress);
          if (progress.progress === progress.total) noted = session.callTool('probe_saw', {});
        } });
      await noted;
      assert.equal(textOf(result), 'counted');
      assert.deepEqual(seen, [0, 50, 100]);
    });

    test('a cancelled call kills its child, and the server continues', async (t) => {
      const { bench, session } = await connect(t, client);
      const stop = new AbortController();
      const started = promised('the pid of the child');
      const call = session.callTool('probe_hang', {}, {
        signal: stop.signal, onprogress: ({ message }) => started.resolve(message) });
      const refused = assert.rejects(call);
      const pid = Number((await started.promise).replace('pid ', ''));
      await until('it runs', () => bench.isAlive(pid));
      stop.abort('not needed any more');
      await refused;
      await until('the child is gone', async () => !(await bench.isAlive(pid)));
      assert.ok(!(await session.callTool('bg_status', {})).isError);
    });

    test('an edited script is announced', async (t) => {
      const changes = [];
      const { bench, session } = await connect(t, client, {
        onToolsChanged: () => changes.push(1) });
      await session.listTools();
      await bench.addTool();
      await until('the change is announced', () => changes.length > 0);
      assert.equal(textOf(await session.callTool('probe_extra', {})), 'extra');
    });

    test('a question of the policy reaches the user', async (t) => {
      const asked = [];
      const { bench, session } = await connect(t, client, { onElicit: (params) => {
        asked.push(params);
        return { action: 'accept', content: { answer: 'once' } };
      } });
      const started = await session.callTool('bg_start', { command: 'sleep 600' });
      assert.ok(!started.isError, textOf(started));
      assert.equal(asked.length, 1);
      await until('it runs', () => bench.isAlive(started.structuredContent.pid));
    });
  });
}

test('requests without the token, of other pages and by other names are refused', async (t) => {
  const server = await HttpServer.start(t, await Workbench.for(t));
  const status = async (headers) => (await server.post(
    { id: 1, method: 'server/discover' }, headers)).status;
  assert.equal(await status({}), 200);
  assert.equal(await status({ Authorization: 'Bearer wrong' }), 401);
  assert.equal(await status({ Origin: 'http://evil.example' }), 403);
  assert.equal(await status({ Origin: 'http://localhost:1' }), 200);
  assert.equal(await status({ 'Mcp-Method': 'tools/list' }), 400);
});

test('the server ends in time on SIGTERM, with streams open and a process that ignores signals', async (t) => {
  const times = [];
  for (let attempt = 0; attempt < 3; ++attempt) {
    const bench = await Workbench.for(t);
    const server = await HttpServer.start(t, bench);
    const started = await server.post({ id: 1, method: 'tools/call', params: {
      name: 'bg_start', arguments: { command: "trap '' TERM; while :; do sleep 600; done" } } },
    { Accept: 'application/json' });
    assert.ok(!(await started.json()).result.isError);
    const listening = await server.post({ id: 's', method: 'subscriptions/listen', params: {
      notifications: { toolsListChanged: true } } });
    const began = performance.now();
    server.child.kill('SIGTERM');
    const { code, at } = await server.exited;
    assert.equal(code, 0);
    times.push(at - began);
    assert.match(await listening.text(), /"resultType":"complete"/);
    await bench.untilNothingIsLeft();
  }
  t.diagnostic(`exit after ${times.map((time) => time.toFixed(1)).join(', ')} ms`);
  assert.ok(Math.min(...times) < 250, `exit took ${times.join(', ')} ms`);
});

test('a token file is used, and nothing secret is printed', async (t) => {
  const bench = await Workbench.for(t);
  const server = await HttpServer.start(t, bench, { token: 'a-token-of-our-own-choice' });
  assert.ok(!server.said.includes('a-token-of-our-own'));
  assert.equal((await server.post({ id: 1, method: 'server/discover' })).status, 200);
  assert.equal(MODERN, (await (await server.post({ id: 1, method: 'server/discover' })).json())
    .result.supportedVersions[0]);
});

test('programs of the user reach a unix socket without a token, as long as the server serves', async (t) => {
  const bench = await Workbench.for(t);
  const socketPath = path.join(bench.directory, 'mcp.sock');
  const server = await HttpServer.start(t, bench, { socket: socketPath });
  assert.equal((await lstat(socketPath)).mode & 0o7777, 0o600);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } });
  const status = await new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: '/mcp', method: 'POST', headers: {
      'Content-Type': 'application/json', 'Content-Length': body.length } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end(body);
  });
  assert.equal(status, 200);
  server.child.kill('SIGTERM');
  await server.exited;
  await assert.rejects(lstat(socketPath), { code: 'ENOENT' });
});

test('a client that ends its sending after its request gets the answer', async (t) => {
  const bench = await Workbench.for(t);
  const server = await HttpServer.start(t, bench);
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {
    name: 'wait_for', arguments: { timer_ms: 1500 }, _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    } } });
  for (const accepted of ['application/json', 'application/json, text/event-stream']) {
    const socket = connectTo(Number(port), hostname);
    // This only ends the sending.
    socket.end([
      'POST /mcp HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${server.token}`,
      'Content-Type: application/json', `Accept: ${accepted}`, `MCP-Protocol-Version: ${MODERN}`,
      'Mcp-Method: tools/call', 'Mcp-Name: wait_for', `Content-Length: ${Buffer.byteLength(body)}`,
      '', body].join('\r\n'));
    const answer = (await socket.setEncoding('utf8').toArray()).join('');
    const interim = accepted.includes('event') ? '' : 'HTTP/1.1 102 Processing\r\n\r\n';
    assert.ok(answer.startsWith(`${interim}HTTP/1.1 200 `), answer);
    assert.match(answer, /the time is over/);
  }
});

test('the end of a session ends its processes, and no other ones', async (t) => {
  const bench = await Workbench.for(t);
  const server = await HttpServer.start(t, bench);
  const start = async (session) => {
    const answer = await server.inSession(session, { id: 2, method: 'tools/call', params: {
      name: 'bg_start', arguments: { command: 'sleep 600' } } });
    return (await answer.json()).result.structuredContent.pid;
  };
  const [one, other] = [await server.open(), await server.open()];
  const [ends, stays] = [await start(one), await start(other)];
  const deleted = await fetch(server.url, { method: 'DELETE', headers: {
    Authorization: `Bearer ${server.token}`, 'Mcp-Session-Id': one } });
  assert.equal(deleted.status, 200);
  await until('its process is gone', async () => !(await bench.isAlive(ends)));
  assert.ok(await bench.isAlive(stays));
});

test('the waits that one session gives up leave the handles of another', async (t) => {
  const server = await HttpServer.start(t, await Workbench.for(t), {});
  const wait = async (session, args) => {
    const answer = await server.inSession(session, { id: 1, method: 'tools/call',
      params: { name: 'wait_for', arguments: args } });
    return (await answer.json()).result.content[0].text;
  };
  const never = { file: '/nonexistent/file', timeout: 1 };
  const [one, other] = [await server.open(), await server.open()];
  const [, resume] = /resume="(\w+)"/.exec(await wait(one, never));
  for (let given = 0; given < 33; ++given) assert.match(await wait(other, never), /resume="/);
  assert.match(await wait(other, { resume, timeout: 1 }), /There is no wait/);
  assert.match(await wait(one, { resume, timeout: 1 }), /timed out/);
});

test('processes do not inherit the limit of open files that the server needs', async (t) => {
  const limit = '300';
  const server = await HttpServer.start(t, await Workbench.for(t), { openFiles: limit });
  const limits = await readFile(`/proc/${server.child.pid}/limits`, 'utf8');
  const [, raised] = /Max open files\s+(\d+)/.exec(limits);
  assert.ok(Number(raised) > Number(limit), limits);
  const started = await server.post({ id: 1, method: 'tools/call', params: {
    name: 'bg_start', arguments: { command: 'echo "limit $(ulimit -Sn)"' } } },
  { Accept: 'application/json' });
  const { id } = (await started.json()).result.structuredContent;
  const seen = await server.post({ id: 2, method: 'tools/call', params: {
    name: 'wait_for', arguments: { id, output_regex: 'limit' } } }, { Accept: 'application/json' });
  assert.match(textOf((await seen.json()).result), /limit 300\b/);
});

test('a thousand idle clients cost at most 20 KiB each', async (t) => {
  const server = await HttpServer.start(t, await Workbench.for(t));
  const proc = `/proc/${server.child.pid}`;
  if (/lib(asan|tsan)/.test(await readFile(`${proc}/maps`, 'utf8'))) return t.skip('sanitized');
  const rssKib = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`${proc}/status`, 'utf8'))[1]);
  const streams = [];
  const open = async () => {
    const session = await server.open();
    const stream = await server.get({ 'Mcp-Session-Id': session });
    assert.equal(stream.status, 200);
    streams.push(stream);
  };
  const openMany = async (count) => {
    const together = 50;
    for (let done = 0; done < count; done += together) {
      await Promise.all(Array.from({ length: together }, open));
    }
  };
  await openMany(50);
  const before = await rssKib();
  const clients = 1000;
  await openMany(clients);
  const each = (await rssKib() - before) / clients;
  t.diagnostic(`${each.toFixed(1)} KiB each`);
  assert.ok(each <= 20, `${each} KiB each`);
  for (const stream of streams) await stream.body.cancel();
});
