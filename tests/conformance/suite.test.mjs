// The official conformance suite against the server over HTTP, with the fixtures of profile/: the
// scenarios that each revision requires, frozen by the suite itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { HttpServer, MODERN, PROFILE, Workbench, textOf } from './support.mjs';

const SUITE = path.join(path.dirname(fileURLToPath(import.meta.url)),
  'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const LEGACY = '2025-11-25';
// How many scenarios for servers a revision requires.
const REQUIRED = { [LEGACY]: 30, [MODERN]: 37 };

async function suite(...args) {
  const child = spawn(process.execPath, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  await new Promise((resolve) => {
    child.once('close', resolve);
  });
  return said;
}

/** The scenarios for servers that a revision requires. */
async function required(revision) {
  const listed = await suite('list', '--requirements', revision);
  const servers = /Server scenarios[^\n]*\n((?: +- \S+\n)+)/.exec(listed);
  assert.ok(servers, `the suite lists no scenarios: ${listed}`);
  return [...servers[1].matchAll(/- (\S+)/g)].map(([, name]) => name);
}

/** The scenarios that have passed. One without a check that passed has shown nothing. */
function passed(said) {
  const [, summary = ''] = said.split('=== SUMMARY ===');
  const lines = summary.matchAll(/^\u2713 (\S+): (\d+) passed, 0 failed/gm);
  return new Set([...lines].filter(([, , checks]) => Number(checks) > 0).map(([, name]) => name));
}

/**
 * Without a server many scenarios of the suite pass. The call also makes the server read its policy,
 * because the suite waits for some answers for half a second only.
 */
async function assertServes(server) {
  const session = await server.open();
  assert.ok(session, 'the server opens no session');
  const whole = { Accept: 'application/json' };  // not as a stream of events
  const answer = await server.post({ id: 1, method: 'server/discover' }, whole);
  assert.equal(answer.status, 200);
  assert.deepEqual((await answer.json()).result.supportedVersions, [MODERN]);
  const called = await server.post(
    { id: 2, method: 'tools/call', params: { name: 'test_simple_text', arguments: {} } }, whole);
  assert.match(textOf((await called.json()).result), /simple text/);
}

describe('the official suite', { concurrency: true }, () => {
  for (const [revision, count] of Object.entries(REQUIRED)) {
    test(`all ${count} scenarios that ${revision} requires pass`, async (t) => {
      const bench = await Workbench.with(t, PROFILE);
      const server = await HttpServer.start(t, bench, { open: true });
      await assertServes(server);
      const [names, said] = await Promise.all([required(revision), suite(
        'server', '--url', server.url.href, '--requirements', revision, '-o',
        path.join(bench.directory, 'results'))]);
      await assertServes(server);
      assert.equal(names.length, count);
      const good = passed(said);
      const failed = names.filter((name) => !good.has(name));
      t.diagnostic(`${count - failed.length} of ${count} scenarios of ${revision} pass`);
      const why = said.split('=== SUMMARY ===').pop();
      assert.deepEqual(failed, [], `${failed.length} of ${count} scenarios fail: ${why}`);
    });
  }

  test('a scenario that checked nothing, or failed, does not count', () => {
    assert.deepEqual([...passed('=== SUMMARY ===\n\u2713 a: 1 passed, 0 failed\n'
      + '\u2713 b: 0 passed, 0 failed\n\u2717 c: 3 passed, 1 failed\n')], ['a']);
    assert.equal(passed('nothing').size, 0);
  });
});
