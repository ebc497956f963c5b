#!/usr/bin/env node
// Records what real tools write, for the tests of the watcher presets. See README.md.
//
//   record.mjs [--check] [TOOL...]
//
// Without --check the recordings and index.json are written anew; a tool that is not installed
// keeps what it has. With --check nothing is written: the fresh output must match the presets in
// the same lines, apart from numbers, as what is recorded.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import builders from './tools/builders.mjs';
import runtimes from './tools/runtimes.mjs';
import servers from './tools/servers.mjs';
import testers from './tools/testers.mjs';
import web from './tools/web.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, '../..');
const INDEX = path.join(HERE, 'index.json');
const WORK = '/tmp/app'; // no path of a machine appears in a recording
const FRESH = '/tmp/app/.fresh';
const MATCHER = process.env.GIBBOUS_MATCHER ?? path.join(ROOT, 'build/dev/test_bindings_lua');
const LIMIT_MS = 240_000;
const SETTLE_MS = 700;
const MAX_LINES = 60;

const tools = { ...web, ...builders, ...testers, ...runtimes, ...servers };

const args = process.argv.slice(2);
const check = args.includes('--check');
const names = args.filter((arg) => !arg.startsWith('--'));
for (const name of names) {
  if (!tools[name]) throw new Error(`no tool ${name}; there are ${Object.keys(tools).join(', ')}`);
}

function environment(directory) {
  const home = process.env.HOME;
  const inherited = process.env.PATH.split(':').filter((part) => !part.includes('pyenv'));
  return {
    PATH: [`${directory}/node_modules/.bin`, ...inherited].join(':'),
    HOME: `${WORK}/.home`,
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? `${home}/.rustup`,
    CARGO_HOME: process.env.CARGO_HOME ?? `${home}/.cargo`,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    PYTHONUNBUFFERED: '1', // as in a run without a terminal
    NEXT_TELEMETRY_DISABLED: '1',
    GOFLAGS: '-mod=mod',
    GOPROXY: 'off',
    npm_config_update_notifier: 'false',
  };
}

function shell(command, directory) {
  return execFileSync('/bin/sh', ['-c', command], {
    cwd: directory, env: environment(directory), encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

// A fresh project; only what a package manager installed stays.
function make_project(name, tool) {
  const directory = path.join(WORK, name);
  fs.mkdirSync(path.join(WORK, '.home'), { recursive: true });
  fs.mkdirSync(directory, { recursive: true });
  for (const entry of fs.readdirSync(directory)) {
    if (entry !== 'node_modules' && entry !== 'package-lock.json') {
      fs.rmSync(path.join(directory, entry), { recursive: true });
    }
  }
  for (const [file, text] of Object.entries(tool.files ?? {})) {
    fs.mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    fs.writeFileSync(path.join(directory, file), text);
  }
  if (tool.packages) {
    const manifest = { name: 'app', version: '1.0.0', private: true, ...tool.manifest };
    fs.writeFileSync(path.join(directory, 'package.json'), JSON.stringify(manifest));
    if (!fs.existsSync(path.join(directory, 'node_modules'))) {
      shell(`npm install --no-save --no-audit --no-fund ${tool.packages.join(' ')}`, directory);
    }
  }
  for (const command of tool.prepare ?? []) shell(command, directory);
  if (tool.user && process.getuid() === 0) shell(`chown -R ${tool.user} .`, directory);
  return directory;
}

// A server answers an error with a status and a page: both are fine.
async function get(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(200_000) });
    await answer.text();
  } catch (error) {
    if (error.name === 'TimeoutError') throw error;
  }
}

function plain(bytes) {
  return Buffer.concat(bytes).toString().replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');
}

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// Both streams come through one pipe, or through a terminal of 100 columns.
async function output_of(tool, recording, directory) {
  const user = tool.user && process.getuid() === 0
    ? ['setpriv', `--reuid=${tool.user}`, `--regid=${tool.user}`, '--clear-groups'] : [];
  const script = `${directory}.sh`;
  fs.writeFileSync(script, recording.pty
    ? `stty cols 100 rows 16\n${recording.command}\n` : `exec 2>&1\n${recording.command}\n`);
  const argv = recording.pty
    ? ['script', '-qefc', `/bin/sh ${script}`, '/dev/null'] : [...user, '/bin/sh', script];
  const child = spawn(argv[0], argv.slice(1), {
    cwd: directory, env: environment(directory), detached: true,
    stdio: [recording.pty ? 'pipe' : 'ignore', 'pipe', 'ignore'],
  });
  const bytes = [];
  let changed = () => {};
  let ended = false;
  child.stdout.on('data', (chunk) => { bytes.push(chunk); changed(); });
  const end = new Promise((resolve) => { child.stdout.on('close', resolve); });
  end.then(() => { ended = true; changed(); });
  const limit = Date.now() + LIMIT_MS;
  const until = async (pattern) => {
    while (!pattern.test(plain(bytes))) {
      if (ended || Date.now() > limit) {
        throw new Error(`${recording.name}: no ${pattern} in:\n${plain(bytes)}`);
      }
      await Promise.race([new Promise((resolve) => { changed = resolve; }), pause(500)]);
    }
  };
  try {
    for (const step of recording.steps ?? []) {
      await until(step.until);
      await pause(SETTLE_MS);
      if (step.get) await get(step.get);
      if (step.type) child.stdin.write(step.type);
    }
    if (recording.steps === undefined) {
      await Promise.race([end, pause(LIMIT_MS)]);
      if (!ended) throw new Error(`${recording.name}: it does not end`);
    } else {
      await pause(SETTLE_MS);
    }
    return Buffer.concat(bytes);
  } finally {
    const kill = (signal) => {
      try { process.kill(-child.pid, signal); } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    };
    child.stdout.removeAllListeners('data');
    child.stdout.resume();
    kill('SIGTERM');
    await Promise.race([end, pause(5000)]);
    kill('SIGKILL');
  }
}

// {file: {preset: ["3: the line"]}} of the recordings in a directory, by the engine itself.
function matches_in(directory) {
  const text = execFileSync(MATCHER, ['[.recordings]'], {
    env: { ...process.env, GIBBOUS_SOURCE_DIR: ROOT, GIBBOUS_RECORDINGS: directory },
    encoding: 'utf8', maxBuffer: 1 << 26,
  });
  return JSON.parse(text.split('\n').find((line) => line.startsWith('{')));
}

const masked = (matches) => JSON.stringify(matches ?? null, null, 1)
  .replace(/\b(?:AM|PM)\b/g, '')
  .replace(/\b(?:0x[\da-f]+|[\da-f]{7,})\b/g, 'N')
  .replace(/ *\d+(?:[.,]\d+)*(?: ?(?:ms|s)\b)?/g, ' N'); // some are padded

async function record(name, tool, into, entries) {
  let version;
  try {
    if (!tool.packages) shell(tool.version, '/tmp');
  } catch {
    console.log(`${name}: not installed`);
    return 'skipped';
  }
  const directory = make_project(name, tool);
  version = shell(tool.version, directory);
  for (const recording of tool.recordings) {
    const file = `${name}_${recording.name}.txt`;
    const bytes = await output_of(tool, recording, directory);
    const lines = bytes.toString('latin1').split('\n').length;
    if (lines > MAX_LINES) console.log(`${file}: ${lines} lines, more than ${MAX_LINES}`);
    fs.writeFileSync(path.join(into, file), bytes);
    entries.push({ file, tool: name, version, command: recording.command,
                   ...(recording.pty ? { pty: true } : {}) });
  }
  return 'recorded';
}

const into = check ? FRESH : HERE;
if (check) fs.rmSync(FRESH, { recursive: true, force: true });
if (check) fs.mkdirSync(FRESH, { recursive: true });
const fresh = [];
const troubles = [];
let done = 0;
for (const name of names.length > 0 ? names : Object.keys(tools)) {
  try {
    if (await record(name, tools[name], into, fresh) === 'recorded') ++done;
  } catch (error) {
    troubles.push(`${name}: ${error.stderr ?? error.message}`);
  }
}

const old = fs.existsSync(INDEX) ? JSON.parse(fs.readFileSync(INDEX, 'utf8')) : [];
const found = matches_in(into);
for (const entry of fresh) entry.matches = found[entry.file];
if (check) {
  for (const entry of fresh) {
    const known = old.find(({ file }) => file === entry.file);
    if (!known) troubles.push(`${entry.file}: not recorded yet`);
    else if (masked(known.matches) !== masked(entry.matches)) {
      const shown = (matches) => JSON.stringify(matches, null, 1);
      troubles.push(`${entry.file}, ${known.version} and now ${entry.version}: expected `
        + `${shown(known.matches)}\ngot ${shown(entry.matches)}`);
    }
  }
} else {
  const kept = old.filter(({ file }) => !fresh.some((entry) => entry.file === file)
    && fs.existsSync(path.join(HERE, file)));
  const index = [...kept, ...fresh].map((entry) => ({ ...entry, matches: found[entry.file] }));
  index.sort((one, other) => (one.file < other.file ? -1 : 1));
  fs.writeFileSync(INDEX, `${JSON.stringify(index, null, 1)}\n`);
}
for (const trouble of troubles) console.error(trouble);
console.log(`${done} tools, ${fresh.length} recordings, ${troubles.length} problems`);
process.exit(troubles.length > 0 ? 1 : 0);
