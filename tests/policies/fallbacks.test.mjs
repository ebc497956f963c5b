// Where the kernel holds less, modes do less by themselves: a table of lines, judged by the program as it finds the
// machine, and lines that really run.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards } from '../seeds/session.mjs';

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

function make_place(t, parent = os.tmpdir()) {
  const root = fs.mkdtempSync(path.join(parent, 'fallbacks-'));
  afterwards(t, () => fs.rmSync(root, { recursive: true, force: true }));
  const place = { root, workspace: path.join(root, 'work'), home: path.join(root, 'home') };
  for (const each of [place.workspace, place.home]) fs.mkdirSync(each);
  return place;
}

const command_of = (lacks, args) => [...lacks.flatMap((what) => [LACKING, what]), GIBBOUS, ...args];

const options_of = ({ workspace, home }) => ({
  cwd: workspace, env: { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, 'state') },
});

/** Runs gibbous where what is named is lacking; gives what it wrote, and its exit code. */
function gibbous(place, lacks, args, input) {
  const [file, ...words] = command_of(lacks, args);
  return spawnSync(file, words, { ...options_of(place), encoding: 'utf8', input, maxBuffer: 1 << 26 });
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

/** Calls the tool `shell` for each line in one session; gives the answers, and the events beside them. */
async function run(place, lacks, mode, lines) {
  const args = ['session', '--mode', mode, '--toolset', 'shell', '--state', path.join(place.root, 'state'), '--workspace', place.workspace];
  const [file, ...words] = command_of(lacks, args);
  const session = new Session(spawn(file, words, options_of(place)));
  const answers = [];
  for (const command of lines) answers.push(await session.answer('shell', { command }, { backlog: true }));
  await session.end();
  return { answers, events: session.events };
}

const WRITES = `import os
for name in ('~/canary', '~/.bashrc', '~/made', 'canary', '.git/config'):
    try:
        open(os.path.expanduser(name), 'a').write('changed')
    except OSError:
        print('refused', name)
try:
    print(open(os.path.expanduser('~/.ssh/id_rsa')).read())
except OSError:
    print('refused a key')
`;

/** A home outside of /tmp, which runs without namespaces may change, with a repository and a script that attacks. */
function make_home(t) {
  const place = make_place(t, process.cwd());
  fs.mkdirSync(path.join(place.home, '.ssh'));
  for (const name of ['canary', '.bashrc']) fs.writeFileSync(path.join(place.home, name), 'mine\n');
  fs.writeFileSync(path.join(place.home, '.ssh/id_rsa'), 'swordfish\n');
  fs.writeFileSync(path.join(place.workspace, 'attack.py'), WRITES);
  assert.equal(spawnSync('git', ['init', '-q', place.workspace]).status, 0);
  return place;
}

const look = (home) => fs.readdirSync(home).filter((name) => name !== 'state')
  .map((name) => [name, fs.statSync(path.join(home, name)).isFile() && fs.readFileSync(path.join(home, name), 'utf8')]);

test('without namespaces, runs stay inside, and the first answer and each start name what is missing', async (t) => {
  const place = make_home(t);
  if (!is_whole(place)) return t.skip('this machine lacks something itself');
  const before = look(place.home);
  for (const mode of ['auto', 'plan']) {
    const { answers, events } = await run(place, ['namespaces'], mode, ['cat attack.py', 'python3 attack.py', 'git fetch']);
    assert.match(JSON.stringify(answers[0]), /sandbox_gap.*refuses namespaces.*nothing leaves the sandbox/);
    assert.doesNotMatch(JSON.stringify(answers[1]), /sandbox_gap|swordfish/);
    assert.match(JSON.stringify(answers[1]), /refused ~\/made.*refused a key/);
    const starts = events.filter(({ event }) => event === 'run_started').map(({ sandbox }) => sandbox);
    assert.deepEqual([...new Set(starts.map(({ profile }) => profile))], [mode === 'auto' ? 'build' : 'plan']);
    for (const { unprotected } of starts) assert.match(unprotected.join('\n'), /no mount namespace here/);
  }
  assert.deepEqual(look(place.home), before);
});

for (const lacking of ['landlock', 'seccomp']) {
  test(`without ${lacking}, auto runs what reads and nothing else, and plan nothing`, async (t) => {
    const place = make_home(t);
    if (!is_whole(place)) return t.skip('this machine lacks something itself');
    const before = look(place.home);
    const lines = ['cat attack.py', 'python3 attack.py', './frobnicate', 'git fetch'];
    for (const mode of ['auto', 'plan']) {
      const { answers, events } = await run(place, [lacking], mode, lines);
      assert.match(JSON.stringify(answers[0]), /sandbox_gap.*No sandbox holds on this machine/);
      assert.equal(answers[0].result?.text, mode === 'auto' ? WRITES : undefined);
      for (const { error } of answers.slice(mode === 'auto' ? 1 : 0)) {
        assert.equal(error.code, mode === 'auto' ? 'needs_approval' : 'denied');
      }
      assert.equal(events.filter(({ event }) => event === 'run_started').length, mode === 'auto' ? 1 : 0);
    }
    assert.deepEqual(look(place.home), before);
    const { stdout } = gibbous(place, [lacking], ['doctor', '--json']);
    assert.match(stdout, /"sandbox\.modes","grade":"note"/);
    const ci = await run(place, [lacking], 'ci', ['git init -q x && ls -d x', 'frobnicate', 'rm -rf /']);
    assert.equal(ci.answers[0].result?.text, 'x\n');
    assert.deepEqual(ci.answers.slice(1).map(({ error }) => error.code), ['denied', 'denied']);
  });
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
