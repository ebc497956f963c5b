// What scripts/executors/container*.lua make of an engine that fails, answers late or is gone: against
// a client that is a program of a few lines.
import assert from 'node:assert/strict';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { before } from '../support/before.mjs';
import { LIMIT, Session, temporaryDirectory, until } from './support.mjs';

const WORD = '\\([^ ]*\\)';
const NAME = `--name ${WORD}`;

/** A session whose docker is a shell script: `run`, `rm`, `inspect` and `ps` are lines of it. */
async function engine(t, { run = 'exec sleep 1000', rm: remove = 'echo "$name"', inspect = 'exit 1' }) {
  const directory = await temporaryDirectory(t);
  const program = path.join(directory, 'docker');
  await writeFile(program, `#!/bin/sh
cd ${directory}
for name do case $name in gibbous-*) break ;; esac; done
echo "$*" >>calls
printf '%s ' "$1" >>verbs
case $1 in
  run) [ -e run ] || echo "$*" >run; ${run} ;;
  rm) count=$(grep -o 'rm ' verbs | wc -l); ${remove} ;;
  inspect) ${inspect} ;;
  ps) sed -n 's/.*${NAME} .*gibbous.run=${WORD} .*gibbous.host=${WORD}.*/\\1 \\2 \\3/p' run ;;
esac
`);
  await chmod(program, 0o755);
  const session = await Session.start(t, `{ executor = 'docker', executors = { docker = {
    image = 'none', program = '${program}' } } }`);
  const read = (name) => readFile(path.join(directory, name), 'utf8').catch(() => '');
  const removals = async () => (await read('verbs')).split('rm ').length - 1;
  return { session, directory, read, removals };
}

/** Whether a living process has this text among its arguments. */
async function isNamedByAProcess(text) {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (words.includes(text)) return true;
  }
  return false;
}

const UNREACHABLE = 'echo "error during connect: Delete \\"http://engine/containers/$name\\": EOF" >&2; exit 1';

test('an error that names the container is not a removal', LIMIT, async (t) => {
  const { session, removals } = await engine(t, {
    rm: `[ $count -ge 3 ] || { ${UNREACHABLE}; }; echo "$name"`,
  });
  const id = await session.start({ command: 'true' });
  const report = await session.data('bg_kill', { id, signal: 'SIGKILL' });
  assert.equal(report.cleanup_failed, undefined);
  assert.equal(await removals(), 3);
});

test('a kill ends at once when its container is found and removed', LIMIT, async (t) => {
  const { session, removals } = await engine(t, {});
  const id = await session.start({ command: 'true' });
  await before(session, 30_000, () => session.data('bg_kill', { id, signal: 'SIGKILL' }));
  assert.equal(await removals(), 1);
});

test('a container that is created only while its run is killed is removed', LIMIT, async (t) => {
  const { session, directory, read } = await engine(t, {
    rm: '[ -e made ] || { echo early >>early; echo "Error response from daemon: No such container: $name" >&2; exit 0; }; '
      + 'echo "$name"; echo "$name" >>removed',
  });
  const id = await session.start({ command: 'true' });
  const killed = session.data('bg_kill', { id, signal: 'SIGKILL' });
  await until('its removal was tried too early', async () => await read('early') !== '');
  await writeFile(path.join(directory, 'made'), '');
  await killed;
  assert.equal(await read('removed'), `gibbous-${id}\n`);
});

test('an unreachable engine is reported, and the container removed when it is back', LIMIT, async (t) => {
  const { session, directory, read, removals } = await engine(t, {
    run: 'echo "error waiting for container: unexpected EOF" >&2; exit 125',
    inspect: 'echo "Cannot connect to the Docker daemon" >&2; exit 1',
    rm: `[ -e back ] || { ${UNREACHABLE}; }; echo "$name"; echo "$name" >>removed`,
  });
  const id = await session.start({ command: 'true' });
  const end = await session.finish(id);
  assert.match(end.reason, /^no connection to the engine of docker, or it was lost: .*unexpected EOF/);
  await until('the cleanup command tries again', async () => await removals() > 1);
  await until('the cleanup command gives up', async () => !await isNamedByAProcess(`gibbous-${id}`));
  await writeFile(path.join(directory, 'back'), '');
  await until('it is removed with a later run', async () => {
    await session.finish(await session.start({ command: 'true' }));
    return (await read('removed')).includes(id);
  });
});
