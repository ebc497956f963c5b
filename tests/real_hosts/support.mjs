// Shared by the tests with real hosts: waiting for events, a directory with everything that one host may
// write to, and the search for processes that should be gone.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

export const GIBBOUS = process.env.GIBBOUS;
assert.ok(GIBBOUS, 'GIBBOUS must name the gibbous program');

/** Where the packages of the hosts are; the sessions of the tests go there, too. */
export const PACKAGES = process.env.GIBBOUS_HOST_PACKAGES;
assert.ok(PACKAGES, 'GIBBOUS_HOST_PACKAGES must name the directory with their node_modules');

const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 20;
const MARK = 'GIBBOUS_REAL_HOSTS_MARK';

/** Resolves when `look` gives something true; fails with `what` when it does not in time. */
export async function until(what, look) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < deadline, `waited too long: ${typeof what === 'function' ? what() : what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** A promise that others resolve; what never comes fails the test. */
export function promised() {
  let resolve;
  const made = new Promise((done) => {
    resolve = done;
  });
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('it never came')), 2 * PATIENCE_MS).unref();
  });
  const promise = Promise.race([made, late]);
  // A test that has failed before it waits for this has said why already.
  promise.catch(() => {});
  return { resolve, promise };
}

/** The id of the process of which a model has just read. */
export function idOf({ result }) {
  const [, id] = /\bid=(\w+)/.exec(result) ?? [];
  assert.ok(id, `no process was started: ${result}`);
  return id;
}

/** What a server of the bench says of itself to a client of 2026-07-28. */
export async function discover(bench) {
  const server = spawn(GIBBOUS, bench.serverArgs(), {
    stdio: ['pipe', 'pipe', 'ignore'], env: { ...bench.hostEnv(), ...bench.serverEnv() } });
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {} } } })}\n`);
  let text = '';
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.endsWith('\n')) server.stdin.end();
  }
  return JSON.parse(text).result;
}

export async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * A home, a project and a server's directories of one test; what a host starts is found by a mark. The
 * directory stays for who wants to see what happened, until the tests run again.
 */
export class Bench {
  static async for(t) {
    const bench = new Bench();
    const sessions = path.join(PACKAGES, 'sessions');
    await mkdir(sessions, { recursive: true });
    bench.directory = await mkdtemp(path.join(sessions, `${t.name.replace(/\W+/g, '_').slice(0, 40)}-`));
    bench.home = path.join(bench.directory, 'home');
    bench.project = path.join(bench.directory, 'project');
    for (const part of [bench.home, bench.project]) await mkdir(part);
    bench.mark = randomUUID();
    // As shipped, until a test says otherwise.
    bench.serverOptions = ['--mode', 'auto'];
    t.after(() => bench.dispose());
    return bench;
  }

  /** The shipped toolsets, and one of the test's own; written at once, as an editor does. */
  async writeTools(text) {
    if (!this.scripts) {
      this.scripts = path.join(this.directory, 'scripts');
      await mkdir(path.join(this.scripts, 'toolsets'), { recursive: true });
      await writeFile(path.join(this.scripts, 'init.lua'), `return {
  toolsets = { require 'toolsets.bg', require 'toolsets.wait', require 'toolsets.probe' },
}
`);
      this.serverOptions.push('--scripts', this.scripts);
    }
    const file = path.join(this.scripts, 'toolsets', 'probe.lua');
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  serverArgs() {
    return ['mcp', ...this.serverOptions, '--workspace', this.project,
      '--state', path.join(this.directory, 'state')];
  }

  /** The command of a person in another terminal. */
  async gibbous(...args) {
    const { stdout } = await promisify(execFile)(
      GIBBOUS, [...args, '--state', path.join(this.directory, 'state')], { env: this.hostEnv() });
    return stdout;
  }

  /** For the server, whose host may hand down none of its own variables. */
  serverEnv() {
    return { [MARK]: this.mark };
  }

  hostEnv() {
    return { PATH: process.env.PATH, HOME: this.home, TERM: 'xterm-256color', LANG: 'C.UTF-8', [MARK]: this.mark };
  }

  /** The processes that descend from this session, by the mark in their environment. */
  async processes() {
    const found = [];
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      if (!environment.includes(`${MARK}=${this.mark}`)) continue;
      const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
      // Empty for a zombie.
      if (command !== '') found.push({ pid: Number(pid), command: command.split('\0').join(' ').trim() });
    }
    return found;
  }

  async processOf(text) {
    return (await this.processes()).find(({ command }) => command.includes(text));
  }

  untilProcess(text) {
    return until(`a process: ${text}`, () => this.processOf(text));
  }

  async killServer() {
    const { pid } = await this.processOf(`${GIBBOUS} mcp`);
    process.kill(pid, 'SIGKILL');
  }

  /** `stays`: what of the host itself goes on. */
  async untilNothingIsLeft(stays) {
    let left = [];
    await until(() => `these are left: ${JSON.stringify(left)}`, async () => {
      left = (await this.processes()).filter(({ command }) => !stays?.test(command));
      return left.length === 0;
    });
  }

  async dispose() {
    for (const { pid } of await this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    // A copy of itself, of 430 MB, with which Codex starts its daemon.
    await rm(path.join(this.home, '.codex', 'packages'), { recursive: true, force: true });
  }
}
