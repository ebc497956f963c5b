// scripts/executors/podman.lua against podman with a store of the tests' own. Where podman cannot run
// containers they say why, loudly, and are skipped.
import assert from 'node:assert/strict';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { IMAGE, writeImage } from './engine.mjs';
import { Session, output, temporaryDirectory, until } from './support.mjs';

const MEBIBYTE = 1024 * 1024;
// Without the right to raise limits, podman must be told ones that it may set.
const ULIMITS = ['--ulimit', 'nofile=512:512', '--ulimit', 'nproc=4096:4096'];
let engine;

/** A client with a store of its own, or { reason }. */
async function startEngine() {
  if (await access('/usr/bin/podman', constants.X_OK).then(() => false, () => true)) {
    return { reason: 'there is no podman (Debian: podman)' };
  }
  const root = await mkdtemp(path.join(tmpdir(), 'gibbous-podman-'));
  const program = path.join(root, 'podman');
  await writeFile(program, `#!/bin/sh
exec /usr/bin/podman --root ${root}/store --runroot ${root}/run --storage-driver vfs "$@"
`);
  await chmod(program, 0o755);
  const podman = async (...args) => (await output(program, args)).stdout.trim();
  const stop = () => rm(root, { recursive: true, force: true, maxRetries: 10 });
  try {
    await podman('import', await writeImage(root), IMAGE);
    await podman('run', '--rm', '--network', 'none', ...ULIMITS, IMAGE, '/bin/true');
  } catch (problem) {
    await stop();
    return { reason: problem.message };
  }
  return { program, podman, stop };
}

before(async () => {
  engine = await startEngine();
  if (engine.reason) console.error(`\n*** NOT TESTED: the podman executor: ${engine.reason}\n`);
}, { timeout: 90_000 });
after(() => engine.stop?.());

function config() {
  const options = ULIMITS.map((word) => `'${word}'`).join(', ');
  return `{ executor = 'podman', executors = { podman = {
    image = '${IMAGE}', program = '${engine.program}', pull = 'never', network = 'none',
    init = false, options = { ${options} },
  } } }`;
}

function podman(name, body) {
  test(name, { timeout: 90_000 }, async (t) => {
    if (engine.reason) return t.skip(engine.reason);
    return body(await Session.start(t, config()), t);
  });
}

async function containers() {
  return (await engine.podman('ps', '--all', '--format', '{{.Names}}')).split('\n');
}

async function running(id) {
  await until('the container runs', async () => (await engine.podman('ps', '--format', '{{.Names}}'))
    .split('\n').includes(`gibbous-${id}`));
}

async function gone(id) {
  await until('the container is removed', async () => !(await containers()).includes(`gibbous-${id}`));
}

podman('streams and exit codes are the command\'s, and the container goes', async (session) => {
  const id = await session.start({ command: 'echo out; echo err >&2; exit 7' });
  const end = await session.finish(id);
  assert.equal(end.out, 'out\n');
  assert.equal(end.err, 'err\n');
  assert.equal(end.exit_code, 7);
  assert.ok(!(await containers()).includes(`gibbous-${id}`));
});

// conmon does not see it on every machine; then the sender of the SIGKILL is unknown.
podman('a container over its memory ends as out of memory, or perhaps so', async (session) => {
  const end = await session.finish(await session.start({
    command: 'x=$(head -c 200000000 /dev/zero | tail -c 190000000)',
    limits: { memory_bytes: 16 * MEBIBYTE },
  }));
  assert.match(end.reason, /^out of memory$|^exit code 137: perhaps out of memory/);
});

podman('a kill ends the container before it is reported', async (session) => {
  const id = await session.start({ command: 'sleep 100' });
  await running(id);
  await session.data('bg_kill', { id, signal: 'SIGKILL' });
  assert.ok(!(await containers()).includes(`gibbous-${id}`));
});

podman('usage is the container\'s, as the engine counts it', async (session) => {
  const id = await session.start({ command: 'sleep 1000 & while true; do :; done' });
  await running(id);
  const usage = await until('it has used the processor', async () => {
    const now = await session.usage(id);
    return now.by && now.cpu_time_ms >= 100 && now;
  });
  assert.equal(usage.by, 'podman');
  assert.equal(usage.processes, 2);
  assert.ok(usage.rss_bytes > 0 && usage.rss_bytes < 32 * MEBIBYTE);
  assert.ok(usage.cpu_percent > 0);
  await session.data('bg_kill', { id, signal: 'SIGKILL' });
});

podman('a host that is killed leaves no container', async (session) => {
  const id = await session.start({ command: 'sleep 100' });
  await running(id);
  await session.kill();
  await gone(id);
});

podman('a profile keeps what the host executes, and hides what it hides', async (session, t) => {
  await mkdir(path.join(session.workspace, '.git/hooks'), { recursive: true });
  const home = await temporaryDirectory(t);
  await mkdir(path.join(home, '.ssh'));
  for (const name of ['.ssh/id', '.netrc']) await writeFile(path.join(home, name), 'secret\n');
  const other = await Session.start(t, config(), { env: { HOME: home }, workspace: session.workspace });
  const end = await other.finish(await other.start({
    command: 'cat /v/.s*/* /v/.n*; echo x > .git/hooks/new; echo x > made && cat made',
    sandbox: 'workspace', executor: { name: 'podman', volumes: [`${home}:/v`] },
  }));
  assert.equal(end.out, 'x\n');
  assert.deepEqual(await readdir(path.join(session.workspace, '.git/hooks')), []);
});
