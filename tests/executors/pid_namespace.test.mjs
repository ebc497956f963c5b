// The executor pid-namespace: the kernel ends everything in a run's namespace with its first process.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { LIMIT, Session, output, until } from './support.mjs';

/** A test with a session whose runs have such a namespace, where one may be made. */
function isolated(name, body) {
  test(name, LIMIT, async (t) => {
    const can = await output('sh', ['-c', 'if [ "$(id -u)" -eq 0 ]; then own=; else own="--user --map-current-user"; fi\n'
      + 'unshare $own --pid --fork --mount-proc true']).then(() => true, () => false);
    if (!can) {
      console.error('\n*** NOT TESTED: the executor pid-namespace: no namespace may be made\n');
      return t.skip('no namespace may be made');
    }
    return body(await Session.start(t, "{ executor = 'pid-namespace' }"), t);
  });
}

/** Pids of processes whose command line has the word. */
async function withWord(word) {
  const { stdout: text } = await output('ps', ['-e', '-o', 'pid=,args=']);
  return text.split('\n').filter((line) => line.includes(word));
}

isolated('a run sees its own processes, its variables and its directory, and has its exit code', async (session) => {
  const end = await session.finish(await session.start({
    command: 'echo $$ "$WORD"; ps -e -o args= | grep -c "[g]ibbous-keeper"; pwd; exit 7', env: { WORD: 'inside' },
  }));
  assert.equal(end.out, `1 inside\n0\n${session.workspace}\n`);
  assert.equal(end.exit_code, 7);
  assert.equal(end.executor, 'pid-namespace');
});

isolated('what hides from its run ends with it, at its end and at a kill', async (session) => {
  const word = `gibbous-hidden-${process.pid}-${Date.now()}`;
  const hide = `setsid -f env -i sh -c 'ulimit -R 1000000000; ulimit -x 1000000; exec sleep 600; : ${word}'
    setsid -f env -i sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done; : ${word}'`;
  const ended = await session.finish(await session.start({ command: `${hide}\nsleep 0.3; echo done` }));
  assert.equal(ended.out, 'done\n');
  await until('nothing is left after the end', async () => (await withWord(word)).length === 0);

  const id = await session.start({ command: `${hide}\necho ready > ready; exec sleep 600` });
  await until('it runs', () => readFile(path.join(session.workspace, 'ready')).then(() => true, () => false));
  await session.data('bg_kill', { id });
  await until('nothing is left after a kill', async () => (await withWord(word)).length === 0);
});

isolated('a profile is refused, with the way out', async (session) => {
  await assert.rejects(session.start({ command: 'true', sandbox: 'workspace' }), /use the executor bwrap/);
});
