import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { Client, directory } from './client.mjs';

const LIMIT = { timeout: 120_000 };
const TOOLS = ['--toolset', 'bg', '--toolset', 'wait', '--toolset', 'shell'];

/** Two workspaces over one state directory. */
async function projects(t) {
  return { state: await directory(t), a: await directory(t), b: await directory(t) };
}

function client(t, state, workspace, options = TOOLS) {
  return Client.start(t, { state, workspace, options });
}

/** The first column of what a query finds in the journal. */
function recorded(state, sql) {
  const code = `import json, sqlite3, sys
rows = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True).execute(sys.argv[2])
print(json.dumps([row[0] for row in rows]))`;
  const file = path.join(state, 'sessions.db');
  return JSON.parse(execFileSync('python3', ['-c', code, file, sql], { encoding: 'utf8' }));
}

async function until(what, ask) {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  throw new Error(`waited too long: ${what}`);
}

/** Waits until the journal says that a run has started. */
function started(state, run_id) {
  return until(`the start of ${run_id}`, () => recorded(state, `SELECT run_id FROM exec_runs
    WHERE run_id = '${run_id}' AND status = 'running'`)[0]);
}

async function ended(session, run_id) {
  return until(`the end of ${run_id}`, async () => {
    const poll = await session.call('shell', { action: 'poll', run_id });
    return ['completed', 'failed', 'killed', 'lost'].includes(poll.status) ? poll : null;
  });
}

test('a command that is queued in one project runs there, even if many others wait', LIMIT, async (t) => {
  const { state, a, b } = await projects(t);
  const one = await client(t, state, a);
  const two = await client(t, state, b);
  await two.call('bg_status', {});
  for (let turn = 0; turn < 4; turn += 1) {
    const { run_id } = await one.call('shell', { action: 'spawn', command: 'pwd' });
    const end = await ended(one, run_id);
    assert.equal(end.items.filter((item) => item.item_type === 'stdout')
      .map((item) => item.payload).join('').trim(), a);
  }
});

test('a server that runs in one project holds up no other project', LIMIT, async (t) => {
  const { state, a, b } = await projects(t);
  const one = await client(t, state, a);
  const two = await client(t, state, b);
  const server = await one.call('shell', { action: 'spawn', command: 'sleep 1000' });
  await one.call('shell', { action: 'spawn', command: 'touch behind' });
  const { run_id } = await two.call('shell', { action: 'spawn', command: 'echo free' });
  assert.equal((await ended(two, run_id)).status, 'completed');
  // A machine that is busy may not have begun it yet.
  const polled = async () => (await one.call('shell', { action: 'poll', run_id: server.run_id })).status;
  await until('the server runs', async () => await polled() !== 'starting');
  assert.equal(await polled(), 'running');
});

test('a client neither sees nor ends the runs of another, and gets no events of them', LIMIT, async (t) => {
  const { state, a, b } = await projects(t);
  const one = await client(t, state, a);
  const two = await client(t, state, b);
  const { id } = await one.call('bg_start', { command: 'echo secret-line; sleep 1000' });
  const spawned = await one.call('shell', { action: 'spawn', command: 'echo secret-line' });
  await ended(one, spawned.run_id);
  await assert.rejects(two.call('bg_kill', { id }), /not found/);
  await assert.rejects(two.call('bg_output', { id }), /not found/);
  await assert.rejects(two.call('wait_for', { id, exit: true, timeout: 1000 }), /not found/);
  for (const action of ['poll', 'kill']) {
    await assert.rejects(two.call('shell', { action, run_id: spawned.run_id }), /not found/);
  }
  const status = await two.call('bg_status', {});
  assert.doesNotMatch(status.text, /secret-line/);
  const { result } = await two.request('resources/list', {});
  assert.deepEqual(result.resources.map(({ uri }) => uri), ['gibbous://report']);
  // The page is about a session of which nothing is recorded yet.
  const page = await two.request('resources/read', { uri: 'gibbous://report' });
  assert.doesNotMatch(JSON.stringify(page), /secret-line/);
});

test('a restarted client finds what it queued, and what happened meanwhile', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const first = await client(t, state, a);
  const before = await first.call('shell', { action: 'spawn', command: 'sleep 1000' });
  const waiting = await first.call('shell', { action: 'spawn', command: 'echo after' });
  await started(state, before.run_id);
  await first.kill();
  const next = await client(t, state, a);
  assert.equal((await ended(next, before.run_id)).status, 'lost');
  assert.equal((await ended(next, waiting.run_id)).status, 'completed');
});

test('a client gets the events that another one noticed while it was away', LIMIT, async (t) => {
  const { state, a, b } = await projects(t);
  const one = await client(t, state, a);
  const two = await client(t, state, b);
  const lost = await one.call('shell', { action: 'spawn', command: 'sleep 1000' });
  await started(state, lost.run_id);
  const theirs = await two.call('shell', { action: 'spawn', command: 'true' });
  await ended(two, theirs.run_id);
  await one.kill();
  await until('its end', () => recorded(state, `SELECT run_id FROM exec_runs
    WHERE run_id = '${lost.run_id}' AND status = 'lost'`)[0]);
  assert.doesNotMatch((await two.call('bg_status', {})).text, new RegExp(lost.run_id));
  const back = await client(t, state, a);
  assert.match((await back.call('bg_status', {})).text, new RegExp(`\\[${lost.run_id} ended: `));
});

test('events that wait when their client leaves go to that client, not to another', LIMIT, async (t) => {
  const { state, a, b } = await projects(t);
  const one = await client(t, state, a);
  const before = await one.call('shell', { action: 'spawn', command: 'sleep 1000' });
  const { run_id } = await one.call('shell', { action: 'spawn', command: 'pwd > where' });
  await started(state, before.run_id);
  await one.close();
  const other = await client(t, state, b);
  const theirs = await other.call('shell', { action: 'spawn', command: 'true' });
  await ended(other, theirs.run_id);
  assert.deepEqual(recorded(state, `SELECT status FROM exec_runs WHERE run_id = '${run_id}'`), ['queued']);
  const back = await client(t, state, a);
  await ended(back, run_id).catch((error) => {
    const columns = 'run_id, status, client, owner, started_by, error_message, command';
    const rows = recorded(state, `SELECT json_array(${columns}) FROM exec_runs`);
    throw new Error(`${error.message}\n${rows.join('\n')}\n${back.stderr ?? ''}`);
  });
  assert.equal((await readFile(path.join(a, 'where'), 'utf8')).trim(), a);
});

test('the next client is told what ended with the one before, and only what is for it', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const first = await client(t, state, a);
  await first.call('bg_start', { command: 'sleep 1000', label: 'web' });
  const over = await first.call('bg_start', { command: 'true' });
  await first.call('wait_for', { id: over.id, exit: true });
  await first.close();
  const next = await client(t, state, a);
  const { text } = await next.call('bg_status', {});
  assert.match(text, /^\[web ended: its session ended/m);
  assert.doesNotMatch(text, /run_started|\{/);
  assert.doesNotMatch(text, new RegExp(over.id));
});

test('two clients of one project are two sessions, and one that only probes has none', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const probe = await client(t, state, a);
  await probe.request('tools/list', {});
  const one = await client(t, state, a);
  const { id } = await one.call('bg_start', { command: 'sleep 1000' });
  const two = await client(t, state, a);
  await assert.rejects(two.call('bg_kill', { id }), /not found/);
  await two.call('bg_start', { command: 'sleep 1000' });
  const names = await until('both sessions', async () => {
    const found = recorded(state, 'SELECT DISTINCT client FROM exec_runs ORDER BY client');
    return found.length === 2 ? found : null;
  });
  assert.match(names[0], new RegExp(`^[\\w.-]+@${a}$`));
  assert.equal(names[1], `${names[0]}#2`);
});

test('a client that is restarted at once keeps its name after any end', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  for (const end of ['close', 'kill', 'close']) {
    const session = await client(t, state, a);
    await session.call('bg_start', { command: 'sleep 1000' });
    if (end === 'kill') await session.kill();
    if (end === 'close') session.close(); // and does not wait
  }
  const last = await client(t, state, a);
  await last.call('bg_start', { command: 'true' });
  await until('the record', () => (recorded(state, "SELECT run_id FROM exec_runs WHERE command = 'true'"))[0]);
  assert.equal((recorded(state, 'SELECT DISTINCT client FROM exec_runs')).length, 1);
});

test('a named session has that name, and session_id is a name inside it', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const one = await client(t, state, a, [...TOOLS, '--session', 'mine']);
  const two = await client(t, state, a, [...TOOLS, '--session', 'theirs']);
  const runs = await Promise.all([one, two].map((session) => session.call('shell', {
    action: 'spawn', command: 'sleep 1000', session_id: 'lane',
  })));
  assert.deepEqual(runs.map((run) => run.session_id), ['lane', 'lane']);
  const rows = await until('both runs', async () => {
    const found = recorded(state, "SELECT client || ' ' || session_id FROM exec_runs WHERE status = 'running' ORDER BY 1");
    return found.length === 2 ? found : null;
  });
  assert.deepEqual(rows, [`mine@${a} lane`, `theirs@${a} lane`]);
  const behind = await one.call('shell', { action: 'spawn', command: 'true', session_id: 'lane' });
  assert.equal((await one.call('shell', { action: 'poll', run_id: behind.run_id })).status, 'queued');
});

test('a name that is too long is refused with its limit', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const args = ['mcp', '--state', state, '--workspace', a, '--session', `${'x'.repeat(250)}@here`];
  assert.throws(() => execFileSync(process.env.GIBBOUS, args, { input: '', stdio: 'pipe' }),
    /session: expected at most 200 bytes, got 255/);
});
