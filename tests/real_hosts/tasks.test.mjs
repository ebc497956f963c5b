// A call that is answered with a task wakes the agent: its turn ends, and the host opens another by itself when
// what it waited for has happened. Claude Code in a terminal only: neither `claude -p` nor Codex declares tasks.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { claude } from './claude.mjs';
import { inTerminal } from './hosts.mjs';
import { call, say } from './model.mjs';
import { Bench, discover, idOf, promised } from './support.mjs';

const TASKS = 'io.modelcontextprotocol/tasks';

test('Claude Code: a build that fails opens a turn by itself, which begins with its error', async (t) => {
  const offered = await discover(await Bench.for(t));
  assert.ok(offered.capabilities.extensions?.[TASKS], `the server does not offer ${TASKS}: nothing can wake the agent`);

  const idle = promised();
  const woken = promised();
  const { bench, terminal } = await inTerminal(t, claude, async function* () {
    const started = yield call('bg_start', {
      command: 'until [ -e finish ]; do sleep 0.1; done; echo "main.c:7: error: expected ;" >&2; exit 3' });
    const task = yield call('wait_for', { id: idOf(started), exit: true, timeout: 600_000 });
    idle.resolve(task);
    woken.resolve(yield say('I go on when the build has ended.'));
    yield say('The build has failed.');
  });
  const task = await idle.promise;
  assert.doesNotMatch(task.result, /error: expected/);
  await terminal.untilShown(/I go on when the build has ended\./);

  await writeFile(path.join(bench.project, 'finish'), '');
  const { news } = await woken.promise;
  assert.match(news, /<task-notification>/);
  assert.match(news, /main\.c:7: error: expected ;/);
  await terminal.untilShown(/The build has failed\./);
  await terminal.close();
  await bench.untilNothingIsLeft();
});
