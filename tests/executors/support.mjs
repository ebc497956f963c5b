// What the tests of executors share: a `gibbous session` to speak to, and waiting for what happens in
// other processes.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const GIBBOUS = process.env.GIBBOUS;
assert.ok(GIBBOUS, 'GIBBOUS must name the gibbous program');

export const PATIENCE_MS = 60_000;
/** Options of a test: it fails then, and does not keep the others waiting. */
export const LIMIT = { timeout: 90_000 };
const LOOK_AGAIN_MS = 50;
export const HERE = path.dirname(fileURLToPath(import.meta.url));

const execute = promisify(execFile);

/** Runs a program to its end; gives { stdout, stderr }, or throws with both. */
export function output(program, args, options = {}) {
  return execute(program, args, { timeout: PATIENCE_MS, ...options });
}

/** Resolves when `look` gives something true; fails with `what` when it does not in time. */
export async function until(what, look, patience = PATIENCE_MS) {
  const deadline = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < deadline, `waited too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

const makeDirectory = () => mkdtemp(path.join(tmpdir(), 'gibbous-executor-'));
const remove = (directory) => rm(directory, {
  recursive: true, force: true, maxRetries: 10 });

export async function temporaryDirectory(t) {
  const directory = await makeDirectory();
  t.after(() => remove(directory));
  return directory;
}

/** A program that records its words and then executes those after `--`. */
export async function recorder(t, name) {
  const directory = await temporaryDirectory(t);
  const calls = path.join(directory, 'calls');
  const program = path.join(directory, name);
  await writeFile(program, `#!/bin/sh
echo "$*" >> ${calls}
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# -eq 0 ] && exit 0
shift
exec "$@"
`);
  await chmod(program, 0o755);
  return { program, calls: () => readFile(calls, 'utf8').catch(() => '') };
}

/** A `gibbous session` with this configuration (a Lua table as text), in a workspace of its own. */
export class Session {
  static async start(t, config = '{}', extra = {}) {
    const directory = await makeDirectory();
    const file = path.join(directory, 'config.lua');
    await writeFile(file, `return ${config}`);
    const session = new Session(directory, file, extra);
    // First the one who writes there.
    t.after(async () => {
      await session.end();
      await remove(directory);
    });
    return session;
  }

  constructor(directory, config, { scripts = path.join(HERE, 'scripts'), env = {}, workspace }) {
    this.workspace = workspace ?? directory;
    this.answers = new Map();
    this.events = [];
    this.lastId = 0;
    this.program = spawn(GIBBOUS, ['session', '--mode', 'dangerous', '--config', config,
      '--scripts', scripts, '--state', path.join(directory, '.state'), '--workspace', this.workspace],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    this.ended = new Promise((resolve) => this.program.once('exit', resolve));
    this.program.once('exit', (code, signal) => {
      const answer = { error: { code: 'ended', message: `gibbous has ended: ${code ?? signal}` } };
      for (const take of this.answers.values()) take(answer);
    });
    createInterface({ input: this.program.stdout }).on('line', (line) => this.take(JSON.parse(line)));
  }

  take(message) {
    if (message.event) this.events.push(message.event);
    if (message.id === undefined || message.progress) return;
    this.answers.get(message.id)?.(message);
  }

  /** The whole answer: { result } or { error }. */
  call(tool, args = {}) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${tool} never answered`)), PATIENCE_MS);
      this.answers.set(id, (message) => {
        clearTimeout(late);
        resolve(message);
      });
      this.program.stdin.write(`${JSON.stringify({ id, tool, args })}\n`);
    });
  }

  /** Cancels the call that was made last. */
  cancelLast() {
    this.program.stdin.write(`${JSON.stringify({ cancel: this.lastId })}\n`);
  }

  /** The data of an answer that must be a result. */
  async data(tool, args) {
    const answer = await this.call(tool, args);
    assert.ok(answer.result, `${tool}: ${JSON.stringify(answer.error)}`);
    return answer.result.data;
  }

  async start(options) {
    return (await this.data('start', options)).id;
  }

  async info(id) {
    return (await this.data('info', { id })).info;
  }

  async usage(id) {
    return (await this.data('usage', { id })).usage;
  }

  /** Waits for the end; gives the facts and what the run wrote. */
  async finish(id) {
    await this.data('wait_for', { id, exit: true, timeout: PATIENCE_MS });
    const { stdout, stderr } = await this.data('bg_output', { id, since_last_read: false });
    return { ...(await this.info(id)), out: stdout, err: stderr };
  }

  kill() {
    this.program.kill('SIGKILL');
    return this.ended;
  }

  end() {
    this.program.stdin.end();
    return this.ended;
  }
}
