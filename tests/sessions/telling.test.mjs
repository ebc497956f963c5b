// What people are told: answers in every view at once, notes on what is not in force, names that were
// meant, and tables that fit.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { Client, directory } from './client.mjs';

const LIMIT = { timeout: 120_000 };

/** Runs the command; returns its exit code and what it printed. */
function gibbous(cwd, args, input = '') {
  return new Promise((resolve) => {
    const home = path.join(cwd, 'home');
    const child = execFile(process.env.GIBBOUS, args, { cwd, env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '' } },
      (error, out, err) => resolve({ code: error ? error.code : 0, out, err }));
    child.stdin.on('error', () => {});  // it may end before it reads
    child.stdin.end(input);
  });
}

/** A question that no call waits for any more; returns its id. */
async function open_question(t, state, workspace) {
  const agent = await Client.start(t, { state, workspace, mode: 'default' });
  await assert.rejects(agent.call('bg_start', { command: 'touch made' }), /question/);
  const asks = await gibbous(workspace, ['asks', '--json', '--state', state]);
  return { agent, id: JSON.parse(asks.out).asks[0].id };
}

test('a refusal is in events once, also when its call has come again for it', LIMIT, async (t) => {
  const [state, work] = [await directory(t), await directory(t)];
  const { agent, id } = await open_question(t, state, work);
  await gibbous(work, ['asks', 'deny', id, '--reason', 'Not on Fridays.', '--state', state]);
  await assert.rejects(agent.call('bg_start', { command: 'touch made' }), new RegExp(`question ${id}: Not on Fridays`));
  await agent.close();
  const events = (await gibbous(work, ['events', '--state', state])).out;
  assert.deepEqual(events.match(/ask_answered.*/g).map((each) => each.replace(/ by .*\)/, '')),
    ['ask_answered  refused: Not on Fridays.  touch made']);
});

test('an answer is in log, events and report before its call comes again, and once', LIMIT, async (t) => {
  const [state, work] = [await directory(t), await directory(t)];
  const { agent, id } = await open_question(t, state, work);
  const allowed = await gibbous(work, ['asks', 'allow', id, '--state', state]);
  assert.equal(allowed.code, 0, allowed.err);
  const views = async () => {
    const log = (await gibbous(work, ['policy', 'log', '--state', state])).out;
    const events = (await gibbous(work, ['events', '--state', state])).out;
    return { log, events };
  };
  const first = await views();
  assert.match(first.log, /allow .*touch made.*allowed by .*\(gibbous asks\)/);
  assert.match(first.events, /ask_answered {2}allowed by .*touch made/);
  await agent.call('bg_start', { command: 'touch made' });
  assert.equal((await views()).events.match(/ask_answered/g).length, 1);
  const report = await gibbous(work, ['report', work, '--state', state, '--output', 'page.html']);
  const page = report.code === 0 ? await readFile(path.join(work, 'page.html'), 'utf8') : report.err;
  assert.match(page, /allowed by .*\(gibbous asks\)/);
  await agent.close();
});

test('policy check and tools say that a project is not trusted', LIMIT, async (t) => {
  const work = await directory(t);
  await mkdir(path.join(work, '.gibbous'));
  await writeFile(path.join(work, '.gibbous', 'config.lua'), "return { sandbox = { profile = 'workspace' } }\n");
  for (const args of [['policy', 'check', 'make'], ['tools'], ['tools', '--json']]) {
    const { out, err } = await gibbous(work, [...args, '--state', path.join(work, 'state')]);
    assert.match(err, /\.gibbous is not used.*gibbous trust/s, args.join(' '));
    assert.doesNotMatch(out, /not used/);
  }
});

const WRONG_NAMES = [
  ["mode = 'atuo'", /config\.lua:2: mode: there is no mode 'atuo'.*did you mean 'auto'/],
  ["sandbox = { profile = 'worspace' }", /config\.lua:2: sandbox\.profile: .*worspace.*did you mean "workspace"/],
  ["executor = 'dcoker'", /config\.lua:2: executor: there is no 'dcoker'.*did you mean 'docker'/],
];
for (const [line, expected] of WRONG_NAMES) {
  test(`a configuration with ${line} stops the load and is named`, LIMIT, async (t) => {
    const work = await directory(t);
    const config = path.join(work, 'config.lua');
    await writeFile(config, `return {\n  ${line},\n}\n`);
    const { code, err } = await gibbous(work, ['tools', '--config', config, '--state', path.join(work, 'state')]);
    assert.notEqual(code, 0);
    assert.match(err, expected);
  });
}

const WRONG_WORDS = [
  [['new', 'tol', 'x'], /did you mean 'tool'\?/],
  [['policy', 'chek', 'ls'], /unknown command 'policy chek'; did you mean 'check'\?/],
  [['approvals', 'lst'], /unknown command 'approvals lst'; did you mean 'list'\?/],
  [['mcp', 'instal'], /unknown command 'mcp instal'; did you mean 'install'\?/],
  [['tools', '--format', 'opnai'], /did you mean 'openai'\?/],
  [['policy', 'log', '--decision', 'dney'], /did you mean 'deny'\?/],
  [['policy', 'check', 'ls', '-la'], /-la\nQuote .*gibbous policy check 'ls -la', or put -- before it/],
  [['policy', 'explain', '--mode', 'auto', 'git', 'push', '--force'], /gibbous policy explain 'ls -la', or put -- before it/],
  [['policy', 'check', '--mdoe', 'auto', 'ls'], /unknown option '--mdoe'; did you mean '--mode'\?/],
];
for (const [args, expected] of WRONG_WORDS) {
  test(`gibbous ${args.join(' ')} says what was meant`, LIMIT, async (t) => {
    const { code, err } = await gibbous(await directory(t), args);
    assert.equal(code, 2);
    assert.match(err, expected);
  });
}

/** The answers of `gibbous mcp` to lines of input, in their order. */
async function answers(t, lines) {
  const [state, work] = [await directory(t), await directory(t)];
  const { out } = await gibbous(work, ['mcp', '--mode', 'auto', '--toolset', 'lean', '--state', state], [
    { jsonrpc: '2.0', id: 'hello', method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ].map((each) => JSON.stringify(each)).concat(lines).join('\n') + '\n');
  return out.trim().split('\n').map((line) => JSON.parse(line)).filter(({ id, method }) => id !== 'hello' && !method);
}

const TORN = String.raw`"a \ud83d b"`;
for (const [what, line, id] of [
  ['first', `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run","arguments":{"command":${TORN}}}}`, 7],
  ['last', `{"method":"tools/call","params":{"id":3,"x":[${TORN}]},"jsonrpc":"2.0", "id" : "q" }`, 'q'],
]) {
  test(`a message with half of a surrogate pair is answered with its id, which comes ${what}`, LIMIT, async (t) => {
    const [answer] = await answers(t, [line]);
    assert.equal(answer.id, id);
    assert.equal(answer.error.code, -32700);
  });
}

test('an answer of the client that cannot be read gets no answer with its id', LIMIT, async (t) => {
  const [answer] = await answers(t, [`{"jsonrpc":"2.0","id":7,"result":{"x":${TORN}}}`]);
  assert.equal(answer.id, undefined);
});

test('a second request with an id leaves the first one its only answer, and the error names the id', LIMIT, async (t) => {
  const call = (command) => JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call',
    params: { name: 'run', arguments: { command, until: 'exit' } } });
  const got = await answers(t, [call('echo first'), call('echo second')]);
  assert.equal(got.filter(({ id }) => id === 5).length, 1);
  assert.match(JSON.stringify(got.find(({ id }) => id === 5)), /first/);
  const [error] = got.filter(({ id }) => id === undefined);
  assert.deepEqual(error.error.data, { id: 5 });
});

const READ = [
  [{ command: 'echo out', until: '{"exit":true}', timeout: '5000', pty: 'false' }, /exit 0/],
  [{ command: 'echo out', until: '{"exit":"true","timeout":"5000"}', pty: 'False' }, /exit 0/],
  [{ command: 'echo \'{"level":"info"}\'; sleep 60', until: '{"level":"info"}' }, /ready after/],
  [{ command: 'echo "$NAME"', env: '{"NAME":"value-7"}', until: 'exit' }, /value-7/],
  [{ cmd: 'env' }, /args\.cmd: unknown field; did you mean "command"\?/],
  [{ command: 'true', until: '{"exit":3}' }, /args\.until: exit: expected boolean/],
];
for (const [args, expected] of READ) {
  test(`run takes ${JSON.stringify(args)} as it is meant`, LIMIT, async (t) => {
    const [answer] = await answers(t, [JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call',
      params: { name: 'run', arguments: args } })]);
    assert.match(answer.result.content[0].text, expected);
  });
}

/** What a program shows on a terminal with so many columns. */
function on_terminal(columns, cwd, args) {
  return new Promise((resolve) => {
    const line = `stty cols ${columns} rows 30; exec "$GIBBOUS" ${args}`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env: { ...process.env, NO_COLOR: '1', TERM: 'xterm' } });
    let shown = '';
    child.stdout.on('data', (data) => { shown += data; });
    child.on('exit', () => resolve(shown.replace(/\r/g, '')));
    child.stdin.end();
  });
}

test('ps keeps a run on one line of 80 columns, and says what is confined', LIMIT, async (t) => {
  const [state, work] = [await directory(t), await directory(t)];
  const agent = await Client.start(t, { state, workspace: work });
  const long = 'x'.repeat(200);
  await agent.call('bg_start', { command: `sleep 600 # ${long}`, label: 'a-rather-long-label-of-a-server' });
  await agent.call('bg_start', { command: `/no/such/program-${long}`, until: { exit: true } }).catch(() => {});
  // An answer does not wait for the record.
  const recorded = async () => JSON.parse((await gibbous(work, ['ps', '--all', '--json', '--state', state])).out).runs ?? [];
  while ((await recorded()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  const shown = await on_terminal(80, work, `ps --all --state '${state}'`);
  const rows = shown.trim().split('\n');
  assert.equal(rows.length, 4, shown); // heading, workspace, two runs
  for (const row of rows) assert.ok([...row].length <= 80 || row.startsWith('/'), row);
  await agent.close();
});

test('report takes each name that ps shows, and lists the sessions without one', LIMIT, async (t) => {
  const [state, work] = [await directory(t), await directory(t)];
  const start = await gibbous(work, ['call', 'bg_start', '{"command":"echo x","label":"web","until":{"exit":true}}',
    '--json', '--keep', '--mode', 'auto', '--state', state]);
  const { id } = JSON.parse(start.out).result.data;
  for (const name of [`gibbous@${work}`, 'gibbous', id, id.slice(0, 5), 'web', work]) {
    const { code, out, err } = await gibbous(work, ['report', name, '--state', state]);
    assert.equal(code, 0, `${name}: ${err}`);
    assert.match(out, /1 run/);
  }
  const listed = await gibbous(work, ['report', '--state', state]);
  assert.equal(listed.code, 0);
  assert.match(listed.out, /SESSION[^]*gibbous@/);
  const missing = await gibbous(work, ['report', 'gibbos', '--state', state]);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /holds no run of a session 'gibbos'/);
});

test('what runs in a sandbox says so where it failed or hangs, and in job list and ps', LIMIT, async (t) => {
  const [state, work] = [await directory(t), await directory(t)];
  const config = path.join(state, 'config.lua');
  await writeFile(config, "return { sandbox = { profile = 'confined', network = 'loopback' } }\n");
  const run = (args) => gibbous(work, ['call', 'run', JSON.stringify(args), '--toolset', 'lean', '--mode', 'auto',
    '--config', config, '--keep', '--state', state]);
  const failed = await run({ command: 'exit 3', until: 'exit' });
  if (/sandbox/.test(failed.err)) return t.skip(failed.err);
  assert.match(failed.out, /exit code 3[^]*\[in the sandbox confined, without this machine's network\]/);
  const refused = await run({ command: 'echo "connect to localhost port 5432: Connection refused"; exit 1', until: 'exit' });
  assert.match(refused.out, /\[the sandbox confined refused: network.*allow = \["network"\]/);
  const own = await run({ command: 'echo "connect to localhost port 5432: Connection refused"', until: 'exit' });
  assert.doesNotMatch(own.out, /sandbox/);
  const slow = await run({ command: 'sleep 600', until: 'never', timeout: 1 });
  assert.match(slow.out, /not ready[^]*\[in the sandbox confined/);
  const [id] = slow.out.split(' ');
  const list = await gibbous(work, ['call', 'job', '{"action":"list"}', '--toolset', 'lean', '--mode', 'auto', '--state', state]);
  assert.match(list.out, new RegExp(`${id}  running [^ ]+  confined  sleep 600`));
  assert.match((await gibbous(work, ['ps', '--state', state])).out, /\(confined\) sleep 600/);
  await gibbous(work, ['kill', id, '--state', state]);
});

test('tool.error without a message names file and line', LIMIT, async (t) => {
  const work = await directory(t);
  await mkdir(path.join(work, 'scripts'));
  await writeFile(path.join(work, 'scripts', 'init.lua'), `return { toolsets = { { name = 'mine', tools = {
    tool { name = 'broken', description = 'x', permission = 'read', run = function()
      tool.error('no_luck', '')
    end },
  } } } }
`);
  const { err } = await gibbous(work, ['call', 'broken', '--scripts', 'scripts', '--state', path.join(work, 'state')]);
  assert.match(err, /scripts\/init\.lua:3: .*no_luck/);
});
