// Scripts that change, and servers that end, while a host is in the middle of a turn.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { claude } from './claude.mjs';
import { codex } from './codex.mjs';
import { HOSTS, run } from './hosts.mjs';
import { call } from './model.mjs';
import { idOf, until } from './support.mjs';

const TOOLS = (edition, extra = '') => `
local edition = tool {
  name = 'probe_edition', description = 'Says which edition it is from', permission = 'read',
  input = schema.object {}, run = function() return '${edition}' end,
}
return { name = 'probe', tools = { edition${extra} } }
`;

const EXTRA = `, tool {
  name = 'probe_extra', description = 'Came with a reload', permission = 'read',
  input = schema.object {}, run = function() return 'from the new tool' end,
}`;

for (const host of HOSTS) {
  test(`${host.name}: a tool that changes is called as it is now, in the same turn`, async (t) => {
    await run(t, host, async function* (bench) {
      assert.match((yield call('probe_edition')).result, /first$/);
      await bench.writeTools(TOOLS('second'));
      // The change is noticed within a moment; a call in that moment gets the old edition.
      for (let tries = 0; tries < 50; ++tries) {
        if (/second$/.test((yield call('probe_edition')).result)) return;
      }
      assert.fail('the old edition went on');
    }, (bench) => bench.writeTools(TOOLS('first')));
  });
}

test('Claude Code: a tool that comes with a reload is shown to the model and called, in the same turn', async (t) => {
  const seen = {};
  await run(t, claude, async function* (bench) {
    const first = yield call('probe_edition');
    assert.ok(!first.tools.includes('probe_extra'));
    await bench.writeTools(TOOLS('second', EXTRA));
    let now = first;
    for (let tries = 0; tries < 50 && !now.tools.includes('probe_extra'); ++tries) {
      now = yield call('probe_edition');
    }
    assert.ok(now.tools.includes('probe_extra'), 'the model is told of the new tool');
    seen.extra = yield call('probe_extra');
  }, (bench) => bench.writeTools(TOOLS('first')));
  assert.equal(seen.extra.result, 'from the new tool');
});

test('Codex: a tool that comes with a reload stays unknown to the model', async (t) => {
  await run(t, codex, async function* (bench) {
    yield call('probe_edition');
    await bench.writeTools(TOOLS('second', EXTRA));
    let now;
    for (let tries = 0; tries < 50 && !/second$/.test(now?.result); ++tries) now = yield call('probe_edition');
    assert.match(now.result, /second$/);
    assert.ok(!now.tools.includes('probe_extra'));
    assert.match((yield call('probe_extra')).result, /unsupported call/);
  }, (bench) => bench.writeTools(TOOLS('first')));
});

test('Claude Code: starts a server again that was killed, which says what became of its runs', async (t) => {
  const seen = {};
  await run(t, claude, async function* (bench) {
    seen.id = idOf(yield call('bg_start', { command: 'sleep 600' }));
    await bench.killServer();
    await until('the run ends with its server', async () => !(await bench.processOf('sleep 600')));
    // The run ends before Claude Code notices that its server has; a model then calls again.
    do seen.status = yield call('bg_status'); while (seen.status.result === 'Connection closed');
    seen.again = yield call('bg_start', { command: 'sleep 601' });
  });
  assert.match(seen.status.result, new RegExp(`${seen.id} ended: its host ended before it did`));
  assert.match(seen.again.result, /Process started/);
});

test('Codex: a server that was killed stays away, and nothing of it is left', async (t) => {
  const seen = {};
  await run(t, codex, async function* (bench) {
    yield call('bg_start', { command: 'sleep 600' });
    await bench.killServer();
    await until('the run ends with its server', async () => !(await bench.processOf('sleep 600')));
    seen.status = yield call('bg_status');
  });
  assert.match(seen.status.result, /Transport closed/);
});
