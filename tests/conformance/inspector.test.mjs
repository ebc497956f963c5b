// The command line of the MCP inspector, in both eras.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, test } from 'node:test';

import { GIBBOUS, Workbench } from './support.mjs';

const INSPECTOR = path.join(import.meta.dirname,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

async function inspect(t, era, ...options) {
  const bench = await Workbench.for(t);
  const [subcommand, ...rest] = bench.args();
  const target = ['--cli', '--protocol-era', era, '--format', 'json', '-q', ...options,
    '--', GIBBOUS, subcommand, ...rest];
  const outcome = await new Promise((resolve) => {
    execFile(process.execPath, [INSPECTOR, ...target], {
      env: { PATH: process.env.PATH, ...bench.env() }, maxBuffer: 64 * 1024 * 1024,
    }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }));
  });
  await bench.untilNothingIsLeft();
  return outcome;
}

function resultOf({ code, stdout, stderr }) {
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).result;
}

for (const era of ['legacy', 'auto', 'modern']) {
  describe(`inspector, ${era}`, () => {
    const call = (t, tool, args) => inspect(t, era, '--method', 'tools/call', '--tool-name', tool,
      '--tool-args-json', JSON.stringify(args));

    test('lists the tools without complaints about their schemas', async (t) => {
      const { tools } = resultOf(await inspect(t, era, '--method', 'tools/list', '--strict'));
      assert.ok(tools.some((tool) => tool.name === 'bg_start'));
    });

    test('starts a process', async (t) => {
      const result = resultOf(await call(t, 'bg_start', { command: 'exec sleep 600' }));
      assert.match(result.content[0].text, /Process started/);
      assert.equal(result.structuredContent.id.length, 8);
      assert.ok(result.structuredContent.pid > 0);
    });

    test('waits', async (t) => {
      const result = resultOf(await call(t, 'wait_for', { timer_ms: 10 }));
      assert.equal(result.structuredContent.fired[0].kind, 'timer');
    });

    for (const tool of ['bg_output', 'bg_kill']) {
      test(`${tool} of an unknown process is a tool error`, async (t) => {
        const { stdout, stderr } = await call(t, tool, { id: 'nobody00' });
        assert.match(stdout + stderr, /nobody00/);
      });
    }

    test('sees progress through to the result', async (t) => {
      assert.equal(resultOf(await call(t, 'probe_count', {})).content[0].text, 'counted');
    });

    test('calls a tool many times without an error', async (t) => {
      const summary = resultOf(await inspect(t, era, '--method', 'tools/call', '--tool-name',
        'bg_status', '--load', '--load-requests', '200', '--load-concurrency', '10'));
      assert.equal(summary.ok, 200);
      assert.equal(summary.errors, 0);
      assert.equal(summary.toolErrors, 0);
    });
  });
}
