// The everyday work of agents, judged line by line: none of it is denied, and no person is asked. What
// would leave the sandbox, and so may be asked about, does not belong in the table.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, afterwards, program } from '../seeds/session.mjs';

const TABLE = new URL('everyday.txt', import.meta.url);
const MODES = ['auto', 'ci'];
const HOME = '/home/user'; // need not exist
const LEAST_ROWS = 300;

/** Returns the rows of the table, without its headings. */
function rows_of(text) {
  const [lines, ...scripts] = text.split(/^%%\n/m);
  const single = lines.split('\n').filter((line) => line && !line.startsWith('# '));
  return [...single, ...scripts];
}

/** Judges all requests in one process; gives the verdicts in their order. */
async function judge(requests, workspace) {
  const input = path.join(workspace, 'requests');
  fs.writeFileSync(input, requests.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const stdin = fs.openSync(input);
  const { code, stdout, stderr } = await program(
    GIBBOUS, ['policy', 'check', '--stdin', '--json', '--workspace', workspace],
    { stdio: [stdin, 'pipe', 'pipe'], env: { PATH: process.env.PATH, HOME } });
  fs.closeSync(stdin);
  assert.equal(code, 0, stderr);
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
}

test('three hundred lines of everyday work are neither denied nor asked about', async (t) => {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'everyday-'));
  afterwards(t, () => fs.rmSync(workspace, { recursive: true }));
  const rows = rows_of(fs.readFileSync(TABLE, 'utf8'));
  assert.ok(rows.length >= LEAST_ROWS, `${rows.length} rows`);
  assert.equal(new Set(rows).size, rows.length, 'a row stands there twice');
  const requests = rows.flatMap((command) => MODES.map((mode) => ({ mode, command })));
  const verdicts = await judge(requests, workspace);
  assert.equal(verdicts.length, requests.length);
  const refused = requests.flatMap(({ mode, command }, index) => {
    const { decision, rule, reason } = verdicts[index];
    return decision === 'allow' ? [] : [`${mode}: ${decision} ${rule}: ${command}\n  ${reason}\n`];
  });
  assert.equal(refused.length, 0, `${refused.length} of ${requests.length}:\n${refused.join('')}`);
});
