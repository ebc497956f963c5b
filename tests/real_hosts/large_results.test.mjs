// Results that are larger than what a host lets its model read: what matters stands in what is left.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HOSTS, run } from './hosts.mjs';
import { call } from './model.mjs';
import { idOf } from './support.mjs';

// Half a megabyte, then what went wrong.
const BUILD = 'seq -f "compiling file %05.0f of the project" 1 20000; echo "main.c:7: error: expected ;" >&2; exit 3';

for (const host of HOSTS) {
  describe(host.name, () => {
    test('the error at the end of a long output reaches the model', async (t) => {
      const seen = {};
      await run(t, host, async function* () {
        seen.start = yield call('bg_start', { command: BUILD, until: { exit: true } });
        const id = idOf(yield call('bg_start', { command: BUILD }));
        seen.wait = yield call('wait_for', { id, exit: true });
        seen.output = yield call('bg_output', { id, lines: 1_000_000 });
      });
      for (const [name, { result }] of Object.entries(seen)) {
        assert.match(result, /main\.c:7: error: expected ;/, name);
        assert.ok(result.length < 12_000, `${name}: ${result.length} characters`);
      }
      assert.match(seen.start.result, /exit code 3/);
      assert.match(seen.output.result, /bytes of stdout skipped/);
      assert.doesNotMatch(seen.output.result, /persisted-output/);
    });
  });
}
