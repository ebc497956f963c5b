// Tools of a host that serves MCP, called by the official clients as a model would.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { CLIENTS, GIBBOUS, promised, textOf, until, Workbench } from './support.mjs';

const run = promisify(execFile);
const EDITOR = process.env.GIBBOUS_MCP_HOST;
assert.ok(EDITOR, 'GIBBOUS_MCP_HOST must name the program that embeds Gibbous');

// Denies one tool of the host.
const POLICY = `
local function decide(effect)
  local denied = effect.kind == 'call' and effect.tool == 'erase_buffer'
  return { decision = denied and 'deny' or 'allow', reason = 'Nothing is erased.', rule = 'test.erase' }
end
return { modes = { dangerous = {} }, decide = decide }
`;

async function editorFor(t, connect, options = {}) {
  const bench = await Workbench.for(t);
  bench.program = EDITOR;
  if (options.policy) {
    bench.policies = path.join(bench.directory, 'policies');
    await mkdir(bench.policies, { recursive: true });
    await writeFile(path.join(bench.policies, 'init.lua'), options.policy);
  }
  const server = await connect(bench, options);
  t.after(() => server.close());
  // What the host has noted.
  bench.noted = () => readFile(path.join(bench.directory, 'host.txt'), 'utf8').catch(() => '');
  // The calls of its tools, as another process sees them. The journal may not have been made yet.
  bench.calls = (...options) => run(GIBBOUS, ['ps', '--json', ...options, '--state',
    path.join(bench.directory, 'state')]).then(({ stdout }) => JSON.parse(stdout).calls ?? [], () => []);
  return { bench, server };
}

for (const { name, connect } of CLIENTS) {
  describe(`tools of the host, ${name}`, () => {
    test('are listed among those of the scripts, and answer', async (t) => {
      const { server } = await editorFor(t, connect);
      const names = (await server.listTools()).map((tool) => tool.name);
      assert.ok(names.includes('open_buffer') && names.includes('bg_start'));
      assert.equal(textOf(await server.callTool('open_buffer', { path: 'main.c' })), 'opened main.c');
      const wrong = await server.callTool('open_buffer', { path: 7 });
      assert.ok(wrong.isError);
      assert.match(textOf(wrong), /args\.path/);
    });

    test('report progress, and answer later from another thread', async (t) => {
      const { server } = await editorFor(t, connect);
      const seen = [];
      const result = await server.callTool('build_buffer', { path: 'main.c' },
        {
          onprogress: (progress) => {
            seen.push(progress.message);
            server.callTool('seen_half', { path: 'main.c' });
          },
        });
      assert.equal(textOf(result), 'built main.c');
      assert.deepEqual(seen, ['half of main.c']);
    });

    test('are given up when the client cancels', async (t) => {
      const { bench, server } = await editorFor(t, connect);
      const begun = promised('the progress of the call');
      const stop = new AbortController();
      const call = server.callTool('hold_buffer', { path: 'x' },
        { onprogress: () => begun.resolve(), signal: stop.signal });
      call.catch(() => {});
      await begun.promise;
      await until('the call is shown', async () => (await bench.calls()).some(
        (each) => each.tool === 'hold_buffer' && each.state === 'running'));
      stop.abort();
      await assert.rejects(call);
      await until('the host has given the call up',
        async () => (await bench.noted()).includes('gave up hold_buffer'));
      await until('the end of the call is shown', async () => (await bench.calls('--all')).some(
        (each) => each.tool === 'hold_buffer' && each.state === 'cancelled'));
      assert.equal(textOf(await server.callTool('open_buffer', { path: 'y' })), 'opened y');
    });

    test('end with their deadline', async (t) => {
      const { bench, server } = await editorFor(t, connect);
      const result = await server.callTool('slow_buffer', { path: 'x' });
      assert.ok(result.isError);
      assert.match(textOf(result), /did not answer within/);
      await until('the host has given the call up',
        async () => (await bench.noted()).includes('gave up slow_buffer'));
      await until('the end of the call is shown', async () => (await bench.calls('--all')).some(
        (each) => each.tool === 'slow_buffer' && each.state === 'timeout'));
    });

    test('are kept across a reload', async (t) => {
      const changed = promised('the list of tools has changed');
      const { bench, server } = await editorFor(t, connect, { onToolsChanged: () => changed.resolve() });
      await server.listTools();
      await bench.addTool();
      await changed.promise;
      const names = (await server.listTools()).map((tool) => tool.name);
      assert.ok(names.includes('probe_extra') && names.includes('open_buffer'));
      assert.equal(textOf(await server.callTool('open_buffer', { path: 'z' })), 'opened z');
    });

    test('are denied by a rule, and the journal has the decision', async (t) => {
      const { bench, server } = await editorFor(t, connect, { policy: POLICY });
      const denied = await server.callTool('erase_buffer', { path: 'x' });
      assert.ok(denied.isError);
      assert.match(textOf(denied), /test\.erase/);
      assert.equal(textOf(await server.callTool('open_buffer', { path: 'x' })), 'opened x');
      assert.equal(await bench.noted(), '');
      // The journal may not have been made yet.
      const log = () => run(GIBBOUS, ['policy', 'log', '--json', '--state',
        path.join(bench.directory, 'state')]).then(({ stdout }) => stdout, () => '');
      await until('both decisions are recorded', async () => {
        const text = await log();
        return text.includes('erase_buffer') && text.includes('open_buffer');
      });
    });
  });
}
