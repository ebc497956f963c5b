// Clients of two projects that are killed, closed and restarted at random, over one state directory:
// `node soak.mjs SECONDS [SEED]`. Each command notes where it ran and for whom. Afterwards no command
// has run in another project or belongs to another session than it was given to, no client has heard
// of another session's run, and every acknowledged run has come to an end.
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
const spawned = new Map(); // run id -> { project }
const heard = []; // { session, text }

const OPTIONS = ['--toolset', 'shell', '--toolset', 'bg'];
const seats = [
  { project: 'a', session: 'one@a' }, { project: 'a', session: 'two@a' },
  { project: 'b', session: 'one@b' },
];

async function sit(seat) {
  seat.client = await Client.start(fake, { state, workspace: projects[seat.project],
    options: [...OPTIONS, '--session', seat.session] });
}

async function act(seat) {
  const turn = random(100);
  if (!seat.client) {
    await sit(seat);
  } else if (turn < 12) {
    counts.killed += 1;
    await seat.client.kill();
    seat.client = null;
  } else if (turn < 20) {
    counts.closed += 1;
    const last = seat.client;
    seat.client = null;
    if (random(2) === 0) await last.close();
    else last.close();
  } else if (turn < 70) {
    const lane = ['main', 'other'][random(2)];
    const mark = `${seat.session} ${lane} ${counts.spawned}`;
    const { run_id } = await seat.client.call('shell', { action: 'spawn', session_id: lane,
      command: `echo "$PWD ${mark} $$" >> ${path.join(top, 'ran')}; sleep 0.0${random(10)}`,
      watch: [{ regex: '.', event: 'line' }] });
    counts.spawned += 1;
    spawned.set(run_id, seat);
  } else {
    const { text } = await seat.client.call('bg_status', {});
    heard.push({ session: seat.session, text });
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

// Everything that waits is executed once its client is there.
for (const seat of seats) {
  if (!seat.client) await sit(seat);
  await seat.client.call('bg_status', {});
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
for (const seat of seats) {
  const { text } = await seat.client.call('bg_status', {});
  heard.push({ session: seat.session, text });
  await seat.client.close();
}

const by_id = new Map(all.map((row) => [row[0], row]));
for (const [id, seat] of spawned) {
  const row = by_id.get(id);
  assert.ok(row, `${id} was acknowledged, and is not recorded`);
  assert.equal(row[1], seat.session, `${id} has another client`);
  assert.equal(row[3], projects[seat.project], `${id} has another workspace`);
  assert.ok(OVER.includes(row[4]), `${id} of ${row[1]} does not end: ${row[4]}`);
}
for (const line of readFileSync(path.join(top, 'ran'), 'utf8').trim().split('\n')) {
  const [directory, session] = line.split(' ');
  assert.equal(directory, projects[session.split('@')[1]], `it ran elsewhere: ${line}`);
}
let events = 0;
for (const { session, text } of heard) {
  for (const [id] of text.matchAll(/\b[A-Za-z0-9]{8}\b/g)) {
    const row = by_id.get(id);
    if (!row) continue;
    events += 1;
    assert.equal(row[1], session, `${session} heard of ${id} of ${row[1]}`);
  }
}
const states = {};
for (const row of all) states[row[4]] = (states[row[4]] ?? 0) + 1;
console.log(JSON.stringify({ ...counts, mentions: events, states }));
rmSync(top, { recursive: true, force: true });
