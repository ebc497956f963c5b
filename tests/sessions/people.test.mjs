// Which session the commands of people act in.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { Client, directory } from './client.mjs';

const LIMIT = { timeout: 120_000 };

async function gibbous(state, cwd, ...args) {
  const { stdout } = await promisify(execFile)(process.env.GIBBOUS, [...args, '--state', state], { cwd });
  return stdout;
}

/** Starts a run that goes on, and returns its id. */
async function start(state, cwd, options = []) {
  const answer = await gibbous(state, cwd, 'call', 'bg_start', '{"command":"sleep 600"}', '--keep', '--json',
    '--mode', 'auto', ...options);
  return JSON.parse(answer).result.data.id;
}

async function session_of(state, cwd, id) {
  const { runs } = JSON.parse(await gibbous(state, cwd, 'ps', '--all', '--json'));
  return runs.find((run) => run.id === id).session;
}

/** Two workspaces over one state directory; what is kept running in them ends with the test. */
async function projects(t) {
  const made = {};
  // What is kept running ends before its directories are gone.
  t.after(async () => {
    const { runs } = JSON.parse(await gibbous(made.state, made.a, 'ps', '--all', '--json'));
    for (const run of runs.filter(({ state }) => state === 'running')) {
      await gibbous(made.state, made.a, 'kill', run.id);
    }
  });
  for (const name of ['state', 'a', 'b']) made[name] = await directory(t);
  return made;
}

test('call acts in the session of its workspace, which the next call goes on with', LIMIT, async (t) => {
  const { state, a, b } = await projects(t);
  const here = await start(state, a);
  const there = await start(state, b);
  assert.equal(await session_of(state, a, here), `gibbous@${a}`);
  assert.equal(await session_of(state, a, there), `gibbous@${b}`);
  const status = await gibbous(state, a, 'call', 'bg_status', '--mode', 'auto');
  assert.match(status, new RegExp(here));
  assert.doesNotMatch(status, new RegExp(there));
});

test('calls at the same time share that session, and none takes another name', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const ids = await Promise.all([start(state, a), start(state, a), start(state, a)]);
  for (const id of ids) assert.equal(await session_of(state, a, id), `gibbous@${a}`);
});

test('call meets neither the session of an agent nor what runs in it', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const agent = await Client.start(t, { state, workspace: a });
  const { id } = await agent.call('bg_start', { command: 'sleep 600' });
  const own = await start(state, a);
  assert.notEqual(await session_of(state, a, id), await session_of(state, a, own));
  assert.doesNotMatch(await gibbous(state, a, 'call', 'bg_status', '--mode', 'auto'), new RegExp(id));
  await assert.rejects(agent.call('bg_kill', { id: own }), /not found|No process|unknown/i);
});

test('call with a session acts in that one', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  const id = await start(state, a, ['--session', 'night']);
  assert.match(await session_of(state, a, id), /night/);
  assert.doesNotMatch(await gibbous(state, a, 'call', 'bg_status', '--mode', 'auto'), new RegExp(id));
});

test('up acts in the session of its workspace, beside a call of the same one', LIMIT, async (t) => {
  const { state, a } = await projects(t);
  await writeFile(path.join(a, 'Procfile'), 'web: echo ready; exec sleep 600\n');
  const own = await start(state, a);
  const up = spawn(process.env.GIBBOUS, ['up', '--state', state, '--mode', 'auto', 'Procfile'], { cwd: a });
  const ended = new Promise((resolve) => { up.on('exit', resolve); });
  t.after(() => { up.kill(); return ended; });
  await new Promise((resolve, reject) => {
    let heard = '';
    for (const stream of [up.stdout, up.stderr]) {
      stream.on('data', (data) => {
        heard += data;
        if (/web.*ready/.test(heard)) resolve();
      });
    }
    up.on('exit', () => reject(new Error(heard)));
  });
  // What it prints may come before the journal is on disk.
  let web;
  while (!web) {
    const { runs } = JSON.parse(await gibbous(state, a, 'ps', '--all', '--json'));
    web = runs.find((run) => run.label === 'web');
  }
  assert.equal(web.session, `gibbous@${a}`);
  assert.equal(await session_of(state, a, own), `gibbous@${a}`);
});
