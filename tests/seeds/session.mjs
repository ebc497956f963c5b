// A `gibbous session` as a program from outside sees it: calls, answers and events as lines.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

export const GIBBOUS = process.env.GIBBOUS;
assert.ok(GIBBOUS, 'GIBBOUS must name the gibbous program');

const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 10;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves with what `look` gives once that is true; fails when it does not in time. */
export async function until(what, look) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < deadline, `waited too long: ${what}`);
    await pause(LOOK_AGAIN_MS);
  }
}

export function is_alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs a program to its end; gives its exit code and what it wrote. */
export async function program(file, args, options = {}) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (text) => (written[stream] += text));
  }
  const [code] = await once(child, 'close');
  return { code, ...written };
}

const after_tests = new WeakMap();

/**
 * Calls `then` after the test, before what was given here earlier: what uses a directory ends before
 * that is removed. Node calls its own hooks in the order in which they were added.
 */
export function afterwards(t, then) {
  if (!after_tests.has(t)) {
    const all = [];
    after_tests.set(t, all);
    t.after(async () => {
      for (const each of all.reverse()) await each();
    });
  }
  after_tests.get(t).push(then);
}

/** A directory with a workspace, a state and a temporary directory in it. */
export async function make_place() {
  const root = await mkdtemp(path.join(tmpdir(), 'gibbous-seed-'));
  const place = { root };
  for (const name of ['workspace', 'state', 'temp']) {
    place[name] = path.join(root, name);
    await mkdir(place[name]);
  }
  place.remove = () => rm(root, { recursive: true, force: true });
  return place;
}

const lua = (value) => {
  if (Array.isArray(value)) return `{${value.map(lua).join(', ')}}`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, each]) => `${key} = ${lua(each)}`).join(', ')}}`;
};

export class Session {
  #child;
  #calls = new Map();
  #last = 0;
  #end;
  events = [];

  /** toolsets: names; mode; config: the configuration's table; place: of make_place. */
  static async start({ place, toolsets = [], mode = 'auto', config = {}, asks = false }) {
    const file = path.join(place.root, `config-${Math.random().toString(36).slice(2)}.lua`);
    await writeFile(file, `return ${lua({ temp_directory: place.temp, ...config })}`);
    const args = [
      'session', '--mode', mode, '--state', place.state, '--workspace', place.workspace,
      '--config', file, ...(asks ? ['--asks'] : []),
      ...toolsets.flatMap((name) => ['--toolset', name]),
    ];
    return new Session(spawn(GIBBOUS, args, { stdio: ['pipe', 'pipe', 'pipe'] }));
  }

  constructor(child) {
    this.#child = child;
    this.pid = child.pid;
    this.complaints = '';
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (text) => (this.complaints += text));
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
    this.ended = once(child, 'close').then(([code]) => {
      this.#end = new Error(`gibbous ended (${code}): ${this.complaints}`);
      for (const { reject } of this.#calls.values()) reject(this.#end);
      return code;
    });
  }

  #take(answer) {
    if (answer.event) this.events.push(answer.event);
    if (answer.ask) this.on_ask?.(answer.ask);
    const waiting = this.#calls.get(answer.id);
    if (!waiting) return;
    this.#calls.delete(answer.id);
    waiting.resolve(answer);
  }

  #send(line) {
    if (this.#end) return Promise.reject(this.#end);
    const id = ++this.#last;
    this.#child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  /** The whole answer, result or error. */
  answer(tool, args = {}, more = {}) {
    return this.#send({ tool, args, ...more });
  }

  /** The result of a call that must succeed. */
  async call(tool, args, more) {
    const { result, error, backlog } = await this.answer(tool, args, more);
    assert.ok(result, `${tool} ${JSON.stringify(args)}: ${error?.code}: ${error?.message}`);
    return { ...result, backlog };
  }

  async data(tool, args, more) {
    return (await this.call(tool, args, more)).data;
  }

  async text(tool, args, more) {
    return (await this.call(tool, args, more)).text;
  }

  /** The error of a call that must fail. */
  async error(tool, args, more) {
    const { error, result } = await this.answer(tool, args, more);
    assert.ok(error, `${tool} ${JSON.stringify(args)} succeeded: ${result?.text}`);
    return error;
  }

  async reload() {
    return (await this.#send({ reload: true })).reload;
  }

  async drain(session) {
    return (await this.#send({ drain: session })).drain.events;
  }

  reply(ask, allow, more = {}) {
    this.#child.stdin.write(`${JSON.stringify({ answer: ask.id, allow, ...more })}\n`);
  }

  event(name, run) {
    return until(`event ${name}`, () =>
      this.events.find((event) => event.event === name && (!run || event.run === run)));
  }

  /** The end of input; resolves with the exit code. */
  end() {
    this.#child.stdin.end();
    return this.ended;
  }

  signal(name) {
    this.#child.kill(name);
    return this.ended;
  }
}
