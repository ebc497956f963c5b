// `gibbous mcp --http` with tokens of the configuration: each with its own mode, workspace, session
// and approver, and what a change of the configuration does while the server serves.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, HttpServer, Workbench, textOf, until } from './support.mjs';

const ANN = 'a-token-that-only-ann-has';
const BOB = 'a-token-that-only-bob-has';

/** A directory with a token file of ann's, and a configuration that can be changed. */
async function prepare(t) {
  const bench = await Workbench.for(t);
  const place = (name) => path.join(bench.directory, name);
  await mkdir(place('ann'));
  await mkdir(place('bob'));
  await writeFile(place('ann.token'), `${ANN}\n`, { mode: 0o600 });
  const config = place('config.lua');
  return {
    bench,
    config,
    place,
    /** Writes `tokens`, Lua text, the way editors do. */
    async write(tokens) {
      await writeFile(`${config}.new`, `return { mcp = { tokens = {\n${tokens}\n} } }\n`);
      await rename(`${config}.new`, config);
    },
  };
}

const hashed = (token) => createHash('sha256').update(token).digest('hex');
const BOTH = `ann = { file = 'ann.token', workspace = 'ann' },
  bob = { sha256 = '${hashed(BOB)}', workspace = 'bob', mode = 'plan', session = 'robert' },`;

async function serve(t, tokens = BOTH) {
  const made = await prepare(t);
  await made.write(tokens);
  made.server = await HttpServer.start(t, made.bench, { config: made.config });
  return made;
}

const as = (token) => ({ Authorization: `Bearer ${token}` });

/** The result of a call with a token, or the status of its refusal. */
async function call(server, token, name, args = {}) {
  const answer = await server.post({ id: 1, method: 'tools/call', params: { name, arguments: args } },
    { ...as(token), Accept: 'application/json' });
  if (answer.status !== 200) return answer.status;
  return (await answer.json()).result;
}

test('each token has its own workspace, mode and session, and sees nothing of the other', async (t) => {
  const { bench, server } = await serve(t);
  assert.ok(!server.said.includes('Bearer'), server.said);
  const command = 'pwd; sleep 600';
  const started = await call(server, ANN, 'bg_start', { command });
  assert.ok(!started.isError, textOf(started));
  const { id } = started.structuredContent;
  const seen = await call(server, ANN, 'wait_for', { id, output_regex: '/ann' });
  assert.ok(!seen.isError, textOf(seen));
  // plan starts nothing that changes something.
  const refused = await call(server, BOB, 'bg_start', { command: 'touch x' });
  assert.ok(refused.isError);
  assert.match(textOf(refused), /plan/);
  // The runs, their output and their resources are ann's alone.
  const listed = async (token) => {
    const answer = await server.post({ id: 1, method: 'resources/list' }, as(token));
    return (await answer.json()).result.resources.map(({ uri }) => uri);
  };
  assert.ok((await listed(ANN)).includes(`gibbous://runs/${id}`));
  assert.ok(!(await listed(BOB)).includes(`gibbous://runs/${id}`));
  const read = await server.post({ id: 1, method: 'resources/read',
    params: { uri: `gibbous://runs/${id}` } }, as(BOB));
  assert.equal((await read.json()).error.code, -32602);
  assert.equal(await call(server, 'a-token-that-nobody-has', 'bg_status'), 401);
  assert.equal((await server.post({ id: 1, method: 'server/discover' }, { Authorization: '' })).status,
    401);
  const { stdout } = await run(['ps', '--json', '--state', path.join(bench.directory, 'state')], bench);
  assert.match(stdout, /"ann@[^"]*\/ann"/);
});

test('a session without runs has no report, and is told of no other, before its first call and after it', async (t) => {
  const { server } = await serve(t);
  const started = await call(server, ANN, 'bg_start', { command: 'echo a-secret-line; sleep 600' });
  const { id } = started.structuredContent;
  const report = async (token) => (await server.post({ id: 1, method: 'resources/read',
    params: { uri: 'gibbous://report' } }, as(token))).text();
  await until('the run is recorded', async () => (await report(ANN)).includes(id));
  for (const message of [/session has not begun/, /no run of this session/]) {
    const page = await report(BOB);
    assert.match(JSON.parse(page).error.message, message);
    assert.ok(!page.includes(id) && !page.includes('ann@'), page);
    assert.ok(!(await call(server, BOB, 'bg_status')).isError);
  }
});

test('a removed token stops at once: its streams end, and so do its runs', async (t) => {
  const { bench, server, write } = await serve(t);
  const started = await call(server, ANN, 'bg_start', { command: 'sleep 600' });
  const { pid } = started.structuredContent;
  const listening = await server.post({ id: 's', method: 'subscriptions/listen', params: {
    notifications: { toolsListChanged: true } } }, as(ANN));
  await write(BOTH.replace(/ann = .*/, ''));
  await listening.text();
  assert.equal(await call(server, ANN, 'bg_status'), 401);
  await until('its run is gone', async () => !(await bench.isAlive(pid)));
  assert.ok(!(await call(server, BOB, 'bg_status')).isError);
  // It may come back.
  await write(BOTH);
  await until('the token works again', async () => (await call(server, ANN, 'bg_status')) !== 401);
});

test('another mode holds for the calls that come, and runs go on', async (t) => {
  const { bench, server, write } = await serve(t);
  const started = await call(server, ANN, 'bg_start', { command: 'sleep 600' });
  const { pid } = started.structuredContent;
  await write(BOTH.replace("workspace = 'ann'", "workspace = 'ann', mode = 'plan'"));
  await until('the mode has changed', () => server.said.includes('ann: its mode is plan'));
  const refused = await call(server, ANN, 'bg_start', { command: 'touch x' });
  assert.ok(refused.isError);
  assert.match(textOf(refused), /plan/);
  assert.ok(await bench.isAlive(pid));
  // A mode that does not exist is worse than none: the token is refused.
  await write(BOTH.replace("workspace = 'ann'", "workspace = 'ann', mode = 'nonsense'"));
  await until('the token is refused', async () => (await call(server, ANN, 'bg_status')) === 401);
  await until('it says why', () => /mcp\.tokens\.ann.*nonsense/.test(server.said));
});

test('a token file that others may read is refused, at the start and later', async (t) => {
  const { bench, server, place } = await serve(t);
  assert.ok(!(await call(server, ANN, 'bg_status')).isError);
  await chmod(place('ann.token'), 0o644);
  await until('the token is refused', async () => (await call(server, ANN, 'bg_status')) === 401);
  await until('it says why', () => /mcp\.tokens\.ann\.file .*chmod 600/.test(server.said));
  const { code, stderr } = await run([...bench.args(), '--http', '127.0.0.1:0', '--config',
    place('config.lua')], bench);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /mcp\.tokens\.ann\.file .*chmod 600/);
});

test('a file with another token ends what the old one began', async (t) => {
  const { server, place } = await serve(t);
  const listening = await server.post({ id: 's', method: 'subscriptions/listen', params: {
    notifications: { toolsListChanged: true } } }, as(ANN));
  const next = `${ANN}-from-now-on`;
  await writeFile(place('next'), `${next}\n`, { mode: 0o600 });
  await rename(place('next'), place('ann.token'));
  await assert.rejects(listening.text());
  assert.equal(await call(server, ANN, 'bg_status'), 401);
  assert.ok(!(await call(server, next, 'bg_status')).isError);
  await rm(place('ann.token'));
  await until('the token is refused', async () => (await call(server, next, 'bg_status')) === 401);
});

test('a configuration that is wrong changes nothing, and says why', async (t) => {
  const { server, write } = await serve(t);
  await write(`${BOTH} eve = { mode = 'auto' },`);
  await until('it says why', () => /mcp\.tokens\.eve: expected one of file/.test(server.said));
  assert.ok(!(await call(server, ANN, 'bg_status')).isError);
  await write(`${BOTH} eve = { sha256 = '${hashed(BOB)}' },`);
  await until('it says why', () => /mcp\.tokens\.eve: its token is that of mcp\.tokens\.bob/
    .test(server.said));
  assert.ok(!(await call(server, BOB, 'bg_status')).isError);
});

test('an approver that is a person is not the client', async (t) => {
  const made = await prepare(t);
  await made.bench.askAboutStarts();
  await made.write(`ann = { file = 'ann.token' },
    bob = { sha256 = '${hashed(BOB)}', approver = 'person' },`);
  const server = await HttpServer.start(t, made.bench, { config: made.config });
  const ask = async (token) => {
    const message = { id: 1, method: 'tools/call', params: {
      name: 'bg_start', arguments: { command: 'sleep 600' } } };
    const answer = await server.post(message, as(token), { elicitation: {} });
    return (await answer.json()).result;
  };
  assert.equal((await ask(ANN)).resultType, 'input_required');
  const refused = await ask(BOB);
  assert.equal(refused.resultType, 'complete');
  assert.match(textOf(refused), /gibbous asks/);
});

test('tokens and a server without a token exclude each other', async (t) => {
  const made = await prepare(t);
  await made.write(BOTH);
  const { code, stderr } = await run([...made.bench.args(), '--http', '127.0.0.1:0', '--token', 'none',
    '--config', made.config], made.bench);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /--token none: .*mcp\.tokens/);
});

test('the server ends in time with runs of several tokens', async (t) => {
  const { bench, server } = await serve(t, BOTH.replace("mode = 'plan', ", ''));
  for (const token of [ANN, BOB]) {
    const started = await call(server, token, 'bg_start',
      { command: "trap '' TERM; while :; do sleep 600; done" });
    assert.ok(!started.isError, textOf(started));
  }
  const began = performance.now();
  server.child.kill('SIGTERM');
  const { code, signal, at } = await server.exited;
  assert.equal(code, 0, `${signal} ${server.said}`);
  t.diagnostic(`exit after ${(at - began).toFixed(1)} ms`);
  await bench.untilNothingIsLeft();
});

function run(args, bench) {
  return new Promise((resolve, reject) => {
    const child = spawn(GIBBOUS, args, { env: { PATH: process.env.PATH, ...bench.env() } });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (chunk) => {
        said[name] += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...said }));
  });
}
