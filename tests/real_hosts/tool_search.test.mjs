// Claude Code shows its model names of tools only, and schemas when it looks them up: which ones it has from the
// beginning, and by what the others are found.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { claude } from './claude.mjs';
import { run } from './hosts.mjs';
import { call, callHost } from './model.mjs';

// One tool with a long description makes the list too large to be loaded at once.
const LARGE = `
local wordy = tool {
  name = 'probe_wordy', description = ('Many words. '):rep(700), permission = 'read',
  input = schema.object {}, run = function() return 'wordy' end,
}
local found = tool {
  name = 'probe_found', title = 'Zebra crossing', description = 'Does something else', permission = 'read',
  input = schema.object {}, run = function() return 'found' end,
}
return { name = 'probe', tools = { wordy, found } }
`;

test('the model has the shipped tools from the beginning, and looks none of them up', async (t) => {
  const { model } = await run(t, claude, async function* () {
    assert.match((yield call('bg_start', { command: 'true', until: { exit: true } })).result, /exit 0 after/);
  });
  assert.deepEqual(model.requests[0].loaded.sort(),
    ['bg_input', 'bg_kill', 'bg_output', 'bg_start', 'bg_status', 'wait_for']);
  assert.equal(model.lookups, 0);
});

test('tools of a large list are looked up, and found by their titles', async (t) => {
  const { model } = await run(t, claude, async function* () {
    const found = yield callHost('ToolSearch', { query: 'zebra', max_results: 3 });
    assert.ok(found.loaded.includes('probe_found'), JSON.stringify(found.loaded));
    assert.equal((yield call('probe_found')).result, 'found');
  }, (bench) => bench.writeTools(LARGE));
  assert.deepEqual(model.requests[0].loaded, []);
  assert.ok(model.requests[0].tools.includes('bg_start'));
});
