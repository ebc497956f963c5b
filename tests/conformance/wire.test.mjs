// Below the client libraries: both eras at once in one process, broken lines, and the bytes on the
// wire.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RawServer, Workbench } from './support.mjs';

async function start(t) {
  const bench = await Workbench.for(t);
  return { bench, server: new RawServer(t, bench) };
}

test('both eras work at the same time in one process', async (t) => {
  const { bench, server } = await start(t);
  const discovered = await server.ask(server.modern(1, 'server/discover'));
  assert.deepEqual(discovered.result.supportedVersions, ['2026-07-28']);
  const { protocolVersion } = await server.handshake('2025-06-18');
  assert.equal(protocolVersion, '2025-06-18');
  const legacy = await server.ask({ id: 2, method: 'tools/list' });
  const modern = await server.ask(server.modern(3, 'tools/list'));
  assert.equal(legacy.result.resultType, undefined);
  assert.equal(modern.result.resultType, 'complete');
  assert.deepEqual(legacy.result.tools, modern.result.tools);

  server.say(server.modern('s', 'subscriptions/listen', {
    notifications: { toolsListChanged: true } }));
  await server.hear('the acknowledgement',
    ({ method }) => method === 'notifications/subscriptions/acknowledged');
  await bench.addTool();
  const isChange = ({ method }) => method === 'notifications/tools/list_changed';
  await server.hear('the legacy announcement', (message) => isChange(message) && !message.params);
  const tagged = await server.hear('the modern announcement',
    (message) => isChange(message) && message.params);
  assert.equal(tagged.params._meta['io.modelcontextprotocol/subscriptionId'], 's');
});

test('subscribers in both eras are told that a resource of a script has changed', async (t) => {
  const { server } = await start(t);
  await server.handshake();
  const uri = 'probe://items/a';
  await server.ask({ id: 1, method: 'resources/subscribe', params: { uri } });
  server.say(server.modern('s', 'subscriptions/listen', {
    notifications: { resourceSubscriptions: [uri, 'other://x'] } }));
  const { params } = await server.hear('the acknowledgement',
    ({ method }) => method === 'notifications/subscriptions/acknowledged');
  assert.deepEqual(params.notifications, { resourceSubscriptions: [uri] });
  const touched = await server.ask({ id: 2, method: 'tools/call',
    params: { name: 'probe_touch', arguments: { uri } } });
  assert.equal(touched.result.content[0].text, 'touched');
  const isUpdate = (message) => message.method === 'notifications/resources/updated' &&
    message.params.uri === uri;
  await server.hear('the legacy update', (message) => isUpdate(message) && !message.params._meta);
  await server.hear('the modern update', (message) => isUpdate(message) && message.params._meta);
});

test('a broken line is answered, and the next one is read', async (t) => {
  const { server } = await start(t);
  const isFault = (message) => message.error !== undefined && message.id === undefined;
  server.write('{broken\n');
  assert.equal((await server.hear('the parse error', isFault)).error.code, -32700);
  server.write('[]\n');
  assert.equal((await server.hear('the refusal of a batch', isFault)).error.code, -32600);
  server.write(`${'['.repeat(200_000)}${']'.repeat(200_000)}\n`);
  assert.equal((await server.hear('the refusal of the depth', isFault)).error.code, -32600);
  server.write('\r\n\n{"jsonrpc":"2.0","id":"x",');
  server.write('"method":"ping"}\r\n');
  assert.deepEqual((await server.answer('x')).result, {});
});

test('the errors of the protocol', async (t) => {
  const { server } = await start(t);
  const code = async (message) => (await server.ask(message)).error.code;
  assert.equal(await code({ id: 1, method: 'tools/list' }), -32602);
  assert.equal(await code(server.modern(2, 'ping')), -32601);
  assert.equal(await code(server.modern(3, 'tools/list', { cursor: 'nonsense' })), -32602);
  const wrong = server.modern(4, 'tools/list', {},
    { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' });
  const refused = await server.ask(wrong);
  assert.equal(refused.error.code, -32022);
  assert.deepEqual(refused.error.data, { supported: ['2026-07-28'], requested: '2099-01-01' });
});

test('empty tables and whole numbers keep their JSON type', async (t) => {
  const { server } = await start(t);
  const list = await server.ask(server.modern(1, 'tools/list'));
  const { inputSchema } = list.result.tools.find((tool) => tool.name === 'probe_count');
  assert.ok(!Array.isArray(inputSchema.properties));
  assert.ok(Array.isArray(inputSchema.required ?? []));
  assert.ok(Number.isInteger(list.result.ttlMs));
  const result = (await server.ask(server.modern(2, 'tools/call', {
    name: 'bg_status', arguments: {} }))).result;
  assert.deepEqual(result.structuredContent, { processes: [] });
});

test('invalid UTF-8 in output becomes replacement characters', async (t) => {
  const { server } = await start(t);
  const call = (id, name, args) =>
    server.ask(server.modern(id, 'tools/call', { name, arguments: args }));
  const started = await call(1, 'bg_start', { command: "printf 'a\\377b\\n\\303'" });
  const { id } = started.result.structuredContent;
  await call(2, 'wait_for', { id, exit: true });
  const output = (await call(3, 'bg_output', { id })).result;
  assert.match(output.structuredContent.stdout, /a\uFFFDb/);
});

test('a result that exceeds the limit of clients is an error', async (t) => {
  const { server } = await start(t);
  const result = (await server.ask(server.modern(1, 'tools/call', {
    name: 'probe_large', arguments: { bytes: 11 * 1024 * 1024 } }))).result;
  assert.equal(result.isError, true);
  assert.ok(result.content[0].text.length > 20);
});

test('a slow client gets every answer', async (t) => {
  const { server } = await start(t);
  server.child.stdout.pause();
  const requests = 50;
  for (let id = 0; id < requests; ++id) {
    server.say(server.modern(id, 'tools/call', {
      name: 'probe_large', arguments: { bytes: 256 * 1024 } }));
  }
  server.child.stdout.resume();
  for (let id = 0; id < requests; ++id) {
    const { result } = await server.answer(id);
    assert.equal(result.content[0].text.length, 256 * 1024);
  }
});
