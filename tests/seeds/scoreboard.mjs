// Runs the tests of every sentence of the seeds and prints a scoreboard.
//
//   node scoreboard.mjs [--failed] [SEED[.ROW]...]
//
// A seed is a file SEED.rows, one row a line: its id, and the sentence in short. SEED.mjs exports
// `tests`: by id, what shows that row. A row without a test fails, and so does a test without a row.
// Exit code 0: all rows hold; 1: not; 2: wrong use. GIBBOUS names the program.
import { readFile, readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Session, make_place } from './session.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROW_LIMIT_MS = 120_000;
// Rows mostly wait for programs and their time limits.
const ROWS_A_PROCESSOR = 4;

/** What a row's test gets: sessions and places of its own, which end with it. */
class Bench {
  #sessions = [];
  #places = [];

  async place() {
    const place = await make_place();
    this.#places.push(place);
    return place;
  }

  async session(toolsets, options = {}) {
    const place = options.place ?? (await this.place());
    const session = await Session.start({ ...options, toolsets, place });
    session.place = place;
    this.#sessions.push(session);
    return session;
  }

  async clear() {
    await Promise.all(this.#sessions.map((session) => session.end()));
    await Promise.all(this.#places.map((place) => place.remove()));
  }
}

async function read_rows(seed) {
  const text = await readFile(path.join(HERE, `${seed}.rows`), 'utf8');
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const [, id, sentence] = /^(\S+)\s+(.*)$/.exec(line);
    return { seed, id, sentence };
  });
}

async function read_seed(seed) {
  const rows = await read_rows(seed);
  const { tests } = await import(`./${seed}.mjs`);
  for (const row of rows) row.test = tests[row.id];
  const known = new Set(rows.map((row) => row.id));
  const stray = Object.keys(tests).filter((id) => !known.has(id));
  const strays = stray.map((id) => ({ seed, id, sentence: '(a test without a row)', stray: true }));
  return [...rows, ...strays];
}

async function within(limit_ms, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took over ${limit_ms} ms`)), limit_ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function run_row(row) {
  const started = Date.now();
  const bench = new Bench();
  try {
    if (row.stray) throw new Error(`${row.seed}.rows has no row ${row.id}`);
    if (!row.test) throw new Error(`${row.seed}.mjs has no test of it`);
    await within(ROW_LIMIT_MS, row.test(bench));
  } catch (error) {
    row.error = error;
  }
  await within(ROW_LIMIT_MS, bench.clear()).catch((error) => (row.error ??= error));
  row.ms = Date.now() - started;
}

async function run_all(rows) {
  const waiting = [...rows];
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) await run_row(row);
  };
  const workers = ROWS_A_PROCESSOR * availableParallelism();
  await Promise.all(Array.from({ length: workers }, worker));
}

// The message, and the line of the test that it comes from.
function reason_of(error) {
  const place = (error.stack ?? '').split('\n').find((line) => /seeds\/(?!s)\w+\.mjs/.test(line));
  return `${error.message.trimEnd()}\n${place?.trim() ?? ''}`.trimEnd();
}

function print(rows, only_failed) {
  for (const row of rows) {
    if (only_failed && !row.error) continue;
    console.log(`${row.error ? 'FAIL' : 'pass'}  ${row.seed.padEnd(13)} ${row.id.padEnd(24)} `
      + `${row.sentence}`);
    if (row.error) console.log(reason_of(row.error).replace(/^/gm, '      '));
  }
}

function print_totals(rows, seeds) {
  console.log('');
  for (const seed of seeds) {
    const own = rows.filter((row) => row.seed === seed);
    const passed = own.filter((row) => !row.error).length;
    console.log(`${seed.padEnd(14)} ${String(passed).padStart(3)} of ${own.length}`);
  }
}

const known = (await readdir(HERE)).filter((name) => name.endsWith('.rows'))
  .map((name) => name.slice(0, -'.rows'.length)).sort();
const words = process.argv.slice(2);
const only_failed = words.includes('--failed');
const wanted = words.filter((word) => !word.startsWith('--'));
const unknown = wanted.filter((word) => !known.includes(word.split('.')[0]));
if (unknown.length > 0) {
  console.error(`there is no seed ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}
const seeds = known.filter((seed) =>
  wanted.length === 0 || wanted.some((word) => word.split('.')[0] === seed));
const chosen = (row) => wanted.length === 0
  || wanted.some((word) => word === row.seed || `${row.seed}.${row.id}`.startsWith(word));
const rows = (await Promise.all(seeds.map(read_seed))).flat().filter(chosen);
const started = Date.now();
await run_all(rows);
print(rows, only_failed);
print_totals(rows, seeds);
const failed = rows.filter((row) => row.error).length;
const seconds = ((Date.now() - started) / 1000).toFixed(1);
console.log(`\n${rows.length - failed} of ${rows.length} rows hold (${seconds} s)`);
process.exit(failed > 0 ? 1 : 0);
