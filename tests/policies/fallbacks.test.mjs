// Where the kernel holds less, modes do less by themselves: a table of lines, judged by the program as it finds the
// machine, and lines that really run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, afterwards } from '../seeds/session.mjs';

const TABLE = new URL('fallbacks.txt', import.meta.url);
const MODES = ['plan', 'default', 'auto', 'ci', 'dangerous'];
const LACKING = path.join(path.dirname(GIBBOUS), 'fixture_lacking');
const WAYS = [
  { name: 'whole', lacks: [] },
  { name: 'kernel', lacks: ['landlock'] },
  { name: 'kernel', lacks: ['seccomp'] },
  { name: 'namespaces', lacks: ['namespaces'] },
  { name: 'executor', lacks: [], executor: 'systemd-run' },
  { name: 'container', lacks: ['landlock'], executor: 'docker' },
];

function make_place(t) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'fallbacks-'));
  afterwards(t, () => fs.rmSync(root, { recursive: true, force: true }));
  const place = { root, workspace: path.join(root, 'work'), home: path.join(root, 'home') };
  for (const each of [place.workspace, place.home]) fs.mkdirSync(each);
  return place;
}

/** Runs gibbous where what is named is lacking; gives what it wrote, and its exit code. */
function gibbous({ workspace, home }, lacks, args, input) {
  const words = [...lacks.flatMap((what) => [LACKING, what]), GIBBOUS, ...args];
  return spawnSync(words[0], words.slice(1), {
    cwd: workspace, encoding: 'utf8', input, maxBuffer: 1 << 26,
    env: { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, 'state') },
  });
}

/** True where nothing is lacking already. */
const is_whole = (place) =>
  /"sandbox\.mount_namespace","grade":"good"/.test(gibbous(place, [], ['doctor', '--json']).stdout);

/** The table's rows: what is expected of each line, by way and mode. */
function rows_of(text) {
  const rows = [];
  let expected = {};
  for (const line of text.split('\n')) {
    if (line.startsWith('% ')) expected = {};
    else if (line.startsWith('= ')) {
      const [name, ...words] = line.slice(2).trim().split(/\s+/);
      assert.equal(words.length, MODES.length, line);
      expected[name] = words;
    } else if (line && !line.startsWith('# ')) rows.push({ line, expected });
  }
  return rows;
}

for (const { name, lacks, executor = 'host' } of WAYS) {
  const where = [name, ...lacks.map((what) => `without ${what}`)].join(' ');
  test(`lines are judged by what holds them: ${where}`, (t) => {
    const place = make_place(t);
    if (!is_whole(place)) return t.skip('this machine lacks something itself');
    const rows = rows_of(fs.readFileSync(TABLE, 'utf8'));
    const requests = rows.flatMap(({ line }) => MODES.map((mode) => ({ command: line, mode })));
    const config = path.join(place.root, 'config.lua');
    fs.writeFileSync(config, `return { executor = '${executor}' }`);
    const { status, stdout, stderr } = gibbous(place, lacks, ['policy', 'check', '--stdin', '--json', '--config', config],
      requests.map((each) => `${JSON.stringify(each)}\n`).join(''));
    assert.equal(status, 0, stderr);
    const verdicts = stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.equal(verdicts.length, requests.length);
    const wrong = verdicts.flatMap((verdict, at) => {
      const expected = rows[Math.floor(at / MODES.length)].expected[name][at % MODES.length];
      const got = verdict.decision === 'allow' ? verdict.sandbox ?? 'free' : verdict.decision;
      return got === expected ? [] : [`${requests[at].mode}: ${got}, not ${expected}: ${requests[at].command}`];
    });
    assert.deepEqual(wrong, []);
    // What a mode would run in a sandbox says that there is none, whatever becomes of it.
    for (const { decision, rule, reason } of verdicts) {
      if (name !== 'kernel' || !/^modes\.(plan|default|auto|ci)\.(read|build|unmatched)$/.test(rule)) continue;
      assert.match(reason, /no sandbox that holds \(gibbous doctor\)/, `${decision} ${rule}`);
    }
  });
}
