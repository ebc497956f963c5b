// Clients of two projects that are killed, closed and restarted at random, over one state directory:
// `node soak.mjs SECONDS [SEED]`. Each command notes where it ran and for whom. Afterwards no command
// has run in another project, clients that lived at the same time had sessions of their own, no client
// has heard of another session's run, every acknowledged run has come to an end, and its session was
// told of it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Client } from './client.mjs';

const seconds = Number(process.argv[2] ?? 30);
let seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
console.log(`seed ${seed}`);

function random(below) {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((seed / 0x80000000) * below);
}

const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'gibbous-clients-')));
const place = (name) => {
  execFileSync('mkdir', [path.join(top, name)]);
  return path.join(top, name);
};
const state = place('state');
const projects = { a: place('a'), b: place('b') };
const fake = { after: () => {} };
const counts = { spawned: 0, killed: 0, closed: 0, refused: 0 };
const heard = []; // every result, with its events: { instance, text, tool, at }

const OPTIONS = ['--toolset', 'shell', '--toolset', 'bg'];
// Clients of one project are of one program, so that the second gets `#2`; one has a name.
const seats = [{ project: 'a' }, { project: 'a' }, { project: 'b' }, { project: 'b', session: 'named@b' }];
const instances = []; // one for each client that ran: { project, runs, from, to }

async function sit(seat) {
  const options = seat.session ? [...OPTIONS, '--session', seat.session] : OPTIONS;
  seat.client = await Client.start(fake, { state, workspace: projects[seat.project], options });
  seat.instance = { number: instances.length, project: seat.project, client: seat.client, runs: [], to: Infinity };
  instances.push(seat.instance);
}

async function call(seat, tool, args) {
  const { instance } = seat;
  const answer = await seat.client.call(tool, args);
  // From its first call on, the session is its own.
  instance.from ??= Date.now();
  heard.push({ instance, text: answer.text, tool, at: Date.now() });
  return answer;
}

async function act(seat) {
  const turn = random(100);
  if (!seat.client) {
    await sit(seat);
  } else if (turn < 8) {
    counts.killed += 1;
    seat.instance.to = Date.now();
    await seat.client.kill();
    seat.client = null;
  } else if (turn < 14) {
    counts.closed += 1;
    const last = seat.client;
    seat.instance.to = Date.now();
    seat.client = null;
    if (random(2) === 0) await last.close();
    else last.close();
  } else if (turn < 65) {
    const lane = ['main', 'other'][random(2)];
    const { instance } = seat;
    const mark = `${instance.number} ${lane} ${counts.spawned}`;
    counts.spawned += 1;
    const { run_id } = await call(seat, 'shell', { action: 'spawn', session_id: lane,
      command: `echo "$PWD ${mark} $$" >> ${path.join(top, 'ran')}; echo said; sleep 0.0${random(10)}`,
      watch: [{ regex: 'said', event: 'match_found' }] });
    instance.runs.push(run_id);
  } else {
    await call(seat, 'bg_status', {});
  }
}

const end = Date.now() + seconds * 1000;
await Promise.all(seats.map(async (seat) => {
  while (Date.now() < end) {
    try {
      await act(seat);
    } catch (error) {
      counts.refused += 1; // the server was killed before it answered
      if (!/the server ended/.test(error.message)) throw error;
      seat.client = null;
    }
    await new Promise((resolve) => { setTimeout(resolve, random(60)); });
  }
}));

// Everything that waits is executed once its client is there: as many clients as there were names.
const NAMES = 4;
for (const project of Object.keys(projects)) {
  while (seats.filter((seat) => seat.project === project && !seat.session).length < NAMES) seats.push({ project });
}
for (const seat of seats) {
  if (!seat.client) await sit(seat);
  await call(seat, 'bg_status', {});
}
const rows = () => JSON.parse(execFileSync('python3', ['-c', `import json, sqlite3, sys
db = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True)
print(json.dumps(db.execute('SELECT run_id, client, session_id, workspace, status FROM exec_runs').fetchall()))`,
path.join(state, 'sessions.db')], { encoding: 'utf8', maxBuffer: 1 << 28 }));
const OVER = ['completed', 'failed', 'killed', 'lost', 'timeout'];
let all = rows();
for (let tries = 0; tries < 600 && all.some((row) => !OVER.includes(row[4])); tries += 1) {
  await new Promise((resolve) => { setTimeout(resolve, 100); });
  all = rows();
}
// A process that settled another session's run tells that session's own process just after.
await new Promise((resolve) => { setTimeout(resolve, 1000); });
for (const seat of seats) {
  await call(seat, 'bg_status', {});
  await seat.client.close();
}

const by_id = new Map(all.map((row) => [row[0], row]));
for (const instance of instances) {
  const names = new Set(instance.runs.map((id) => by_id.get(id)?.[1]));
  assert.ok(names.size <= 1, `runs of one client have the sessions ${[...names].join(', ')}`);
  [instance.session] = names;
  for (const id of instance.runs) {
    const row = by_id.get(id);
    assert.ok(row, `${id} was acknowledged, and is not recorded`);
    assert.equal(row[3], projects[instance.project], `${id} has another workspace`);
    assert.ok(OVER.includes(row[4]), `${id} of ${row[1]} does not end: ${row[4]}`);
  }
}
// Two clients that lived at the same time had two sessions.
for (const [index, one] of instances.entries()) {
  for (const other of instances.slice(index + 1)) {
    const together = one.from < other.to && other.from < one.to;
    if (together && one.session) assert.notEqual(one.session, other.session, 'two clients share a session');
  }
}
for (const line of readFileSync(path.join(top, 'ran'), 'utf8').trim().split('\n')) {
  const [directory, number] = line.split(' ');
  assert.equal(directory, projects[instances[Number(number)].project], `it ran elsewhere: ${line}`);
}

// No client hears of another session's run, and each run's end reaches its session: as an event, or in
// a list. It may come twice only where the client that had it first ended before the journal knew.
let mentions = 0;
let left_out = 0;
const told = new Map(); // run id -> what told of its end
// A host that could not write its journal in time says so as it ends.
const JOURNAL_MS = instances.some((each) => each.client.said.includes('path_unanswered')) ? 10_000 : 2000;
const ENDED = /completed|failed|killed|timeout|lost|exit/;
for (const { instance, text, tool, at } of heard) {
  left_out += Number(/\[(\d+) earlier events left out\]/.exec(text)?.[1] ?? 0);
  for (const line of text.split('\n')) {
    for (const [id] of line.matchAll(/\b[A-Za-z0-9]{8}\b/g)) {
      const row = by_id.get(id);
      if (!row) continue;
      mentions += 1;
      if (instance.session) assert.equal(row[1], instance.session, `${instance.session} heard of ${id} of ${row[1]}`);
      assert.equal(row[3], projects[instance.project], `${instance.project} heard of ${id} in ${row[3]}`);
      const event = line.includes(`[${id} ended`);
      if (!event && !(tool === 'bg_status' && ENDED.test(line))) continue;
      if (!told.has(id)) told.set(id, []);
      if (event) told.get(id).push({ instance, at, line });
    }
  }
}
const acknowledged = instances.flatMap((instance) => instance.runs);
const untold = acknowledged.filter((id) => !told.has(id));
assert.ok(untold.length <= left_out, `${untold.length} ends were told to nobody: ${untold.slice(0, 5).join(', ')}`);
let twice = 0;
for (const [id, by] of told) {
  if (by.length < 2) continue;
  twice += 1;
  for (const { instance, at } of by.slice(0, -1)) {
    const left = instance.to - at;
    assert.ok(left < JOURNAL_MS, `the end of ${id} was told twice, the first time ${left} ms before its client ended: ${by.map((each) => each.line).join(' / ')}`);
  }
}
const states = {};
for (const row of all) states[row[4]] = (states[row[4]] ?? 0) + 1;
const sessions = new Set(all.map((row) => row[1])).size;
console.log(JSON.stringify({ ...counts, sessions, mentions, told: told.size, twice, left_out, states }));
rmSync(top, { recursive: true, force: true });
