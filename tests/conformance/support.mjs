// Shared by the conformance tests: a server with the test's own scripts, the official clients with
// one interface, and the search for processes that should be gone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import * as v1http from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v1stdio from '@modelcontextprotocol/sdk/client/stdio.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema,
  ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as v2 from '@modelcontextprotocol/client';
import * as v2stdio from '@modelcontextprotocol/client/stdio';

export const GIBBOUS = process.env.GIBBOUS;
assert.ok(GIBBOUS, 'GIBBOUS must name the gibbous program');
/** The fixtures of the official suite; set for the tests that use them. */
export const PROFILE = process.env.GIBBOUS_PROFILE;

export const MODERN = '2026-07-28';
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 10;
const MARK = 'GIBBOUS_CONFORMANCE_MARK';
const IDENTITY = { name: 'gibbous-conformance', version: '1' };

/** Resolves when `look` gives something true; fails with `what` when it does not in time. */
export async function until(what, look) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < deadline, `waited too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** A promise with its resolve function, for things that come by callback. */
export function promised(what) {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`never came: ${what}`)), PATIENCE_MS).unref();
  });
  return { resolve, promise: Promise.race([promise, late]) };
}

// Tools that report progress, hold a child, spin, or return the version of their script, which no
// shipped tool does.
const PROBE = (edition, extra) => `
local seen = false
local count = tool {
  name = 'probe_count', description = 'Reports progress three times', permission = 'read',
  input = schema.object { until_seen = schema.boolean { default = false } },
  run = function(args)
    for _, percent in ipairs { 0, 50, 100 } do
      tool.progress(percent, 100, 'at ' .. percent)
      time.sleep(20)
    end
    while args.until_seen and not seen do time.sleep(5) end
    return 'counted'
  end,
}
local saw = tool {
  name = 'probe_saw', description = 'Says that progress was seen', permission = 'read',
  input = schema.object {},
  run = function()
    seen = true
    return 'noted'
  end,
}
local hang = tool {
  name = 'probe_hang', description = 'Starts a child and waits for its end', permission = 'read',
  input = schema.object {},
  run = function()
    local handle, err = run.start { argv = { 'sleep', '600' } }
    if not handle then tool.error(err.code, err.message) end
    tool.progress(1, nil, 'pid ' .. handle:info().pid)
    wait { any = { wait.exit(handle) }, timeout_ms = 600000 }
    return 'never'
  end,
}
local spin = tool {
  name = 'probe_spin', description = 'Never ends by itself', permission = 'read',
  input = schema.object {},
  run = function() while true do end end,
}
local sort = tool {
  name = 'probe_sort', description = 'Never ends and never yields', permission = 'read',
  input = schema.object {},
  run = function() table.sort({ 3, 1, 2 }, function() while true do end end) end,
}
local edition = tool {
  name = 'probe_edition', description = 'Says which edition it is from', permission = 'read',
  input = schema.object {},
  output = schema.object { edition = schema.string {} },
  run = function() return { text = '${edition}', data = { edition = '${edition}' } } end,
}
local large = tool {
  name = 'probe_large', description = 'Gives as many bytes as it is asked for', permission = 'read',
  input = schema.object { bytes = schema.integer { minimum = 0 } },
  run = function(args)
    local mebibyte = 1024 * 1024
    local parts = {}
    for index = 1, math.floor(args.bytes / mebibyte) do parts[index] = ('x'):rep(mebibyte) end
    parts[#parts + 1] = ('x'):rep(args.bytes % mebibyte)
    return table.concat(parts)
  end,
}
local rich = tool {
  name = 'probe_rich', description = 'Gives every kind of content', permission = 'read',
  input = schema.object { fail = schema.boolean { default = false } },
  run = function(args)
    return { text = 'all kinds', is_error = args.fail, content = {
      { type = 'image', mime_type = 'image/png', data = '\\0\\1\\255',
        annotations = { audience = { 'user' }, priority = 0.5,
          last_modified = '2026-01-12T15:00:58Z' } },
      { type = 'audio', mime_type = 'audio/wav', base64 = 'AAH/' },
      { type = 'resource', uri = 'probe://text', mime_type = 'text/plain', text = 'inside' },
      { type = 'resource', uri = 'probe://blob', data = 'xy' },
      { type = 'resource_link', uri = 'probe://link', name = 'link', size = 12 },
    } }
  end,
}
local static = resource {
  name = 'probe_static', uri = 'probe://static', title = 'Always there',
  mime_type = 'text/plain', read = function(_, ctx) return 'at ' .. ctx.uri end,
}
local item = resource {
  name = 'probe_item', uri_template = 'probe://items/{id}', mime_type = 'application/octet-stream',
  complete = { id = function(value, args)
    local words = {}
    for i = 1, 120 do words[i] = value .. (args.of or '') .. i end
    return words
  end },
  read = function(args)
    if args.id == 'none' then return nil end
    return { data = args.id .. '\\0' }
  end,
}
local touch = tool {
  name = 'probe_touch', description = 'Says that a resource has changed', permission = 'read',
  input = schema.object { uri = schema.string {} },
  run = function(args)
    resource.updated(args.uri)
    return 'touched'
  end,
}
local talk = prompt {
  name = 'probe_talk', title = 'Talk', description = 'Begins a conversation',
  arguments = { { name = 'about', description = 'What about' },
    { name = 'tone', optional = true, complete = { 'Plainly', 'politely', 'loudly' } } },
  run = function(args)
    return { 'About ' .. args.about .. ', ' .. (args.tone or 'plainly'),
      { role = 'assistant', content = { type = 'image', mime_type = 'image/png', base64 = 'AAH/' } },
    }
  end,
}
local pick = tool {
  name = 'probe_pick', description = 'Asks twice', permission = 'read', input = schema.object {},
  run = function()
    local first, err = ask { message = 'Which?', form = schema.object {
      colour = schema.string { enum = { 'red', 'blue' } } } }
    if not first then return err.code end
    local second, why = ask { message = 'Really ' .. first.colour .. '?' }
    return second and 'picked ' .. first.colour or why.code
  end,
}
return { name = 'probe', resources = { static, item }, prompts = { talk },
  tools = { count, saw, hang, spin, sort, edition, large, rich, touch, pick${extra} } }
`;

const EXTRA = `, tool {
  name = 'probe_extra', description = 'Came with a reload', permission = 'read',
  input = schema.object {},
  run = function() return 'extra' end,
}`;

const INIT = `return {
  toolsets = { require 'toolsets.bg', require 'toolsets.wait', require 'toolsets.probe' },
}
`;

// Asks about every start and allows the rest.
const ASKING_POLICY = `
local function decide(effect)
  local asks = effect.kind == 'call' and effect.tool == 'bg_start'
  return { decision = asks and 'ask' or 'allow', reason = 'It starts.', rule = 'test.start' }
end
-- A rule makes command lines be read.
local never = { id = 'test.never', decision = 'deny', program = 'never', reason = 'Never.',
  match = { 'never' }, not_match = { 'make' } }
return { modes = { dangerous = {} }, decide = decide, rules = { never } }
`;

/** A directory of scripts that is a test's own, and everything that goes with a server on them. */
export class Workbench {
  static async create() {
    const bench = new Workbench();
    bench.directory = await mkdtemp(path.join(tmpdir(), 'gibbous-conformance-'));
    bench.scripts = path.join(bench.directory, 'scripts');
    bench.mark = randomUUID();
    await mkdir(path.join(bench.scripts, 'toolsets'), { recursive: true });
    await writeFile(path.join(bench.scripts, 'init.lua'), INIT);
    await bench.writeProbe(PROBE('first', ''));
    return bench;
  }

  /** Test context `t` throws it away at the end, after the clients. */
  static async for(t) {
    const bench = await Workbench.create();
    t.after(() => bench.dispose());
    return bench;
  }

  /** The same with other scripts. */
  static async with(t, scripts) {
    assert.ok(scripts, 'GIBBOUS_PROFILE must name the directory profile');
    const bench = await Workbench.for(t);
    bench.scripts = scripts;
    return bench;
  }

  args(mode = 'dangerous') {
    return ['mcp', '--structured', '--mode', mode, '--scripts', this.scripts, '--workspace', this.directory,
      '--state', this.state ?? path.join(this.directory, 'state'),
      ...(this.policies ? ['--policies', this.policies] : [])];
  }

  /** The bytes of its journal, as they are on the disk. */
  async recorded() {
    const state = path.join(this.directory, 'state');
    const files = ['sessions.db', 'sessions.db-wal'].map((name) => path.join(state, name));
    const read = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
    return read.join('');
  }

  /** From now on its servers ask about every bg_start. */
  async askAboutStarts() {
    this.policies = path.join(this.directory, 'policies');
    await mkdir(this.policies, { recursive: true });
    await writeFile(path.join(this.policies, 'init.lua'), ASKING_POLICY);
  }

  env() {
    return { [MARK]: this.mark, HOME: this.directory };
  }

  async writeProbe(text) {
    const file = path.join(this.scripts, 'toolsets', 'probe.lua');
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  addTool() {
    return this.writeProbe(PROBE('second', EXTRA));
  }

  breakScript() {
    return this.writeProbe('return nonsense nonsense\n');
  }

  mendScript() {
    return this.writeProbe(PROBE('mended', EXTRA));
  }

  /** The processes that descend from servers of this bench, by the mark in their environment. */
  async processes() {
    const found = [];
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      if (!environment.includes(`${MARK}=${this.mark}`)) continue;
      const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
      // Empty for a zombie.
      if (command === '') continue;
      found.push({ pid: Number(pid), command: command.split('\0').join(' ').trim() });
    }
    return found;
  }

  // Its environment is not there to be read at each moment. A zombie has no words.
  async isAlive(pid) {
    return (await readFile(`/proc/${pid}/cmdline`).catch(() => '')).length > 0;
  }

  untilNothingIsLeft() {
    return until('no process of the server is left',
      async () => (await this.processes()).length === 0);
  }

  async dispose() {
    for (const { pid } of await this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    await rm(this.directory, { recursive: true, force: true });
  }
}

const overStdio = (stdio, bench, mode) => () => new stdio.StdioClientTransport({
  command: bench.program ?? GIBBOUS, args: bench.args(mode), env: bench.env(), stderr: 'ignore',
});

/** What a client declares that answers these questions. */
function capabilities({ onElicit, onSample, onRoots }) {
  return { capabilities: {
    ...(onElicit && { elicitation: {} }),
    ...(onSample && { sampling: {} }),
    ...(onRoots && { roots: {} }),
  } };
}

async function connectV1(transport, options) {
  const { onToolsChanged, onElicit, onSample, onRoots } = options;
  const client = new v1.Client(IDENTITY, capabilities(options));
  if (onElicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onElicit(params));
  if (onSample) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => onSample(params));
  }
  if (onRoots) client.setRequestHandler(ListRootsRequestSchema, () => onRoots());
  if (onToolsChanged) {
    client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  }
  await client.connect(transport());
  return {
    client,
    revision: '2025-11-25',
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args, options) =>
      client.callTool({ name, arguments: args }, undefined, options),
    close: () => client.close(),
  };
}

async function connectV2(transport, options, negotiation) {
  const { onToolsChanged, onElicit, onSample, onRoots } = options;
  const client = new v2.Client(IDENTITY, {
    versionNegotiation: { mode: negotiation },
    ...capabilities(options),
    ...(onToolsChanged && { listChanged: { tools: { onChanged: onToolsChanged, debounceMs: 0 } } }),
  });
  if (onElicit) {
    client.setRequestHandler('elicitation/create', ({ params }) => onElicit(params));
  }
  if (onSample) {
    client.setRequestHandler('sampling/createMessage', ({ params }) => onSample(params));
  }
  if (onRoots) client.setRequestHandler('roots/list', () => onRoots());
  await client.connect(transport());
  return {
    client,
    revision: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}

function connectV2Stdio(bench, options, negotiation) {
  return connectV2(overStdio(v2stdio, bench, options.mode), options, negotiation);
}

/** Every official client that a host may be built with. */
export const CLIENTS = [
  { name: 'SDK 1, legacy', revision: '2025-11-25',
    connect: (bench, options) => connectV1(overStdio(v1stdio, bench, options.mode), options) },
  { name: 'SDK 2, legacy', revision: '2025-11-25',
    connect: (bench, options) => connectV2Stdio(bench, options, 'legacy') },
  { name: 'SDK 2, negotiated', revision: MODERN,
    connect: (bench, options) => connectV2Stdio(bench, options, 'auto') },
  { name: 'SDK 2, pinned', revision: MODERN,
    connect: (bench, options) => connectV2Stdio(bench, options, { pin: MODERN }) },
];

/** `gibbous mcp --http`, once it serves. */
export class HttpServer {
  static async start(t, bench, { token, mode, socket, open, config, openFiles, allowHost } = {}) {
    const server = new HttpServer();
    const args = [...bench.args(mode), ...(socket ? ['--unix', socket] : ['--http', '127.0.0.1:0'])];
    if (allowHost) args.push('--allow-host', allowHost);
    if (config) args.push('--config', config);
    if (token) {
      const file = path.join(bench.directory, 'token');
      await writeFile(file, `${token}\n`, { mode: 0o600 });
      args.push('--token-file', file);
    }
    if (open) args.push('--token', 'none');
    const limited = ['-c', 'ulimit -Sn "$0" && exec "$@"', openFiles, GIBBOUS, ...args];
    server.child = spawn(openFiles ? '/bin/sh' : GIBBOUS, openFiles ? limited : args, {
      stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, ...bench.env() },
    });
    t.after(() => server.child.kill('SIGKILL'));
    server.exited = new Promise((resolve) => {
      server.child.once('exit', (code, signal) => resolve({ code, signal, at: performance.now() }));
    });
    server.said = '';
    server.child.stderr.setEncoding('utf8');
    server.child.stderr.on('data', (chunk) => {
      server.said += chunk;
    });
    if (socket) {
      await until('the server serves', () => server.said.includes('serving'));
      return server;
    }
    const wanted = token || open || config ? /serving (\S+)\n/ : /serving (\S+)\n[^]*Bearer (\S+)\n/;
    const [, url, made] = await until('the server serves', () => wanted.exec(server.said));
    server.url = new URL(url);
    server.token = token ?? made;
    return server;
  }

  get options() {
    return { requestInit: { headers: { Authorization: `Bearer ${this.token}` } } };
  }

  /** Opens a session, for clients with a handshake, and returns its id. */
  async open() {
    const opened = await fetch(this.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
        protocolVersion: '2025-11-25', capabilities: {}, clientInfo: IDENTITY } }),
    });
    await opened.text();
    return opened.headers.get('mcp-session-id');
  }

  /** A request in a session. */
  inSession(session, message) {
    return fetch(this.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Mcp-Session-Id': session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }

  /** The stream of a session, or one that goes on. */
  get(headers) {
    return fetch(this.url, { headers: {
      Authorization: `Bearer ${this.token}`, Accept: 'text/event-stream', ...headers } });
  }

  /** A modern request without a client library. */
  post(message, headers = {}, capabilities = {}) {
    const params = { ...message.params, _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    } };
    const name = params.name ?? params.uri;
    return fetch(this.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': MODERN,
        'Mcp-Method': message.method,
        ...(name && { 'Mcp-Name': name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message, params }),
    });
  }
}

async function connectV2Http(server, options, negotiation) {
  return connectV2(
    () => new v2.StreamableHTTPClientTransport(server.url, server.options), options, negotiation);
}

/** The same clients over HTTP. */
export const HTTP_CLIENTS = [
  { name: 'SDK 1 over HTTP, legacy', revision: '2025-11-25',
    connect: (server, options) => connectV1(
      () => new v1http.StreamableHTTPClientTransport(server.url, server.options), options) },
  { name: 'SDK 2 over HTTP, legacy', revision: '2025-11-25',
    connect: (server, options) => connectV2Http(server, options, 'legacy') },
  { name: 'SDK 2 over HTTP, pinned', revision: MODERN,
    connect: (server, options) => connectV2Http(server, options, { pin: MODERN }) },
  { name: 'SDK 2 over HTTP, negotiated', revision: MODERN,
    connect: (server, options) => connectV2Http(server, options, 'auto') },
];

/**
 * Collects the progress that comes from now on, also what comes together with an answer: SDK 1 then
 * forgets whom it is for.
 */
export function progressOf(session) {
  const seen = [];
  const { transport } = session.client;
  const pass = transport.onmessage;
  transport.onmessage = (message, ...more) => {
    if (message.method === 'notifications/progress') seen.push(message.params);
    pass(message, ...more);
  };
  return seen;
}

/** What test_tool_with_progress must report. A call that had to wait has reported that before. */
export function assertProgress(seen) {
  const amounts = seen.map(({ progress }) => progress);
  assert.deepEqual(amounts, amounts.toSorted((a, b) => a - b));
  const said = seen.filter(({ total }) => total === 100).map(({ progress }) => progress);
  assert.deepEqual(said.slice(-2), [50, 100]);
}

/** The text of a result, as a host that ignores structured content shows it. */
export function textOf(result) {
  return result.content.map((block) => block.text).join('');
}

/** A server without a client library: lines in, lines out. */
export class RawServer {
  constructor(t, bench, mode) {
    this.child = spawn(GIBBOUS, bench.args(mode), {
      stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env.PATH, ...bench.env() },
    });
    t.after(() => this.child.kill('SIGKILL'));
    this.lines = [];
    this.waiting = [];
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve({ code, signal, at: performance.now() }));
    });
    let unread = '';
    this.child.stdout.setEncoding('utf8');
    this.child.stdout.on('data', (chunk) => {
      const pieces = (unread + chunk).split('\n');
      unread = pieces.pop();
      for (const line of pieces) this.take(JSON.parse(line));
    });
    this.child.stdin.on('error', () => {});
  }

  take(message) {
    const index = this.waiting.findIndex(({ wanted }) => wanted(message));
    if (index < 0) {
      this.lines.push(message);
      return;
    }
    this.waiting.splice(index, 1)[0].resolve(message);
  }

  write(text) {
    this.child.stdin.write(text);
  }

  say(message) {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** The first message, come already or not, that `wanted` accepts. */
  hear(what, wanted) {
    const index = this.lines.findIndex(wanted);
    if (index >= 0) return Promise.resolve(this.lines.splice(index, 1)[0]);
    const { resolve, promise } = promised(what);
    this.waiting.push({ wanted, resolve });
    return promise;
  }

  answer(id) {
    return this.hear(`the answer to ${JSON.stringify(id)}`, (message) => message.id === id);
  }

  ask(message) {
    this.say(message);
    return this.answer(message.id);
  }

  modern(id, method, params = {}, meta = {}) {
    return { id, method, params: { ...params, _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      ...meta,
    } } };
  }

  async handshake(revision = '2025-11-25') {
    const answer = await this.ask({ id: 'handshake', method: 'initialize', params: {
      protocolVersion: revision, capabilities: {}, clientInfo: IDENTITY } });
    this.say({ method: 'notifications/initialized' });
    return answer.result;
  }
}
