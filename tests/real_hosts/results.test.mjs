// What a model reads of a result: of a failure, of structured content, and of one that is larger than its host
// passes on, where what matters must stand in what is left.
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

    test('a failure reaches the model with its reason', async (t) => {
      const seen = {};
      await run(t, host, async function* () {
        seen.failed = yield call('bg_output', { id: 'nothing' });
      });
      assert.match(seen.failed.result, /nothing/);
      // Codex has no such flag.
      assert.equal(seen.failed.isError, host.name === 'Claude Code');
    });

    test('structured content hides the text from the model', async (t) => {
      const seen = {};
      await run(t, host, async function* () {
        seen.started = yield call('bg_start', { command: 'true', until: { exit: true } });
      }, async (bench) => {
        bench.serverOptions.push('--structured');
      });
      const { result } = seen.started;
      const data = JSON.parse(result.slice(result.indexOf('{')));
      assert.equal(data.command, 'true');
      assert.doesNotMatch(result, /exit 0 after/);
    });
  });
}
