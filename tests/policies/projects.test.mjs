// Everyday projects build and test in mode auto without a question and without a refusal by the
// sandbox: as the shipped policy runs them, and in the profile `build`, for teams that confine
// builds. Those whose tools are not installed are left out.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { Session, afterwards } from '../seeds/session.mjs';

const TIMEOUT = { timeout: 280_000 };
const has = (...command) => spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0;

// Found before the home is another one.
const KEPT = {
  CARGO_HOME: process.env.CARGO_HOME ?? path.join(process.env.HOME ?? '/root', '.cargo'),
  RUSTUP_HOME: process.env.RUSTUP_HOME ?? path.join(process.env.HOME ?? '/root', '.rustup'),
};
const C = 'int add(int a, int b) { return a + b; }\n';
const C_TEST = 'int add(int, int);\nint main(void) { return add(1, 2) == 3 ? 0 : 1; }\n';

const PROJECTS = {
  npm: {
    needs: ['npm', '--version'],
    files: {
      'package.json': JSON.stringify({
        name: 'app', version: '1.0.0', scripts: { build: 'node build.js', test: 'node --test test.js' },
        dependencies: { adder: 'file:adder' },
      }),
      'adder/package.json': JSON.stringify({ name: 'adder', version: '1.0.0', main: 'index.js' }),
      'adder/index.js': 'module.exports = (a, b) => a + b;\n',
      'build.js': "require('fs').mkdirSync('dist', { recursive: true });\n"
        + "require('fs').writeFileSync('dist/app.js', String(require('adder')));\n",
      'test.js': "require('node:test')('adds', () => require('assert').equal(require('adder')(1, 2), 3));\n",
      '.npmrc': 'audit=false\nfund=false\noffline=true\nupdate-notifier=false\n',
    },
    prepare: 'npm install --package-lock-only --silent',
    commands: ['npm ci', 'npm run build', 'npm test'],
  },
  cmake: {
    needs: ['cmake', '--version'],
    files: {
      'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.16)\nproject(app C)\nenable_testing()\n'
        + 'add_executable(check add.c check.c)\nadd_test(NAME check COMMAND check)\n',
      'add.c': C, 'check.c': C_TEST,
    },
    commands: ['cmake -S . -B build', 'cmake --build build -j2', 'ctest --test-dir build --output-on-failure'],
  },
  make: {
    needs: ['make', '--version'],
    files: {
      Makefile: 'check: add.o check.o\n\t$(CC) -o $@ $^\ntest: check\n\t./check\nclean:\n\trm -f *.o check\n',
      'add.c': C, 'check.c': C_TEST,
    },
    commands: ['make -j2', 'make test', 'make clean && make'],
  },
  python: {
    needs: ['python3', '--version'],
    files: {
      'app/__init__.py': 'def add(a, b):\n    return a + b\n',
      'tests/__init__.py': '',
      'tests/test_app.py': 'import unittest\nfrom app import add\n\n\nclass Adds(unittest.TestCase):\n'
        + '    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n',
      'pyproject.toml': '[project]\nname = "app"\nversion = "1.0"\n',
    },
    commands: ['python3 -m venv --without-pip .venv', '.venv/bin/python -m unittest', 'python3 -m compileall -q app'],
  },
  pytest: {
    needs: ['pytest', '--version'],
    files: { 'app.py': 'def add(a, b):\n    return a + b\n',
      'test_app.py': 'from app import add\n\n\ndef test_add(tmp_path):\n    (tmp_path / "x").write_text("x")\n'
        + '    assert add(1, 2) == 3\n' },
    commands: ['pytest -q'],
  },
  cargo: {
    needs: ['cargo', '--version'],
    files: {
      'Cargo.toml': '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub fn add(a: i32, b: i32) -> i32 { a + b }\n\n#[test]\nfn adds() { assert_eq!(add(1, 2), 3); }\n',
    },
    commands: ['cargo build', 'cargo test'],
  },
  go: {
    needs: ['go', 'version'],
    files: {
      'go.mod': 'module app\n\ngo 1.19\n', 'add.go': 'package app\n\nfunc Add(a, b int) int { return a + b }\n',
      'add_test.go': 'package app\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n'
        + '\tif Add(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n',
    },
    commands: ['go build ./...', 'go test ./...'],
  },
  git: {
    needs: ['git', '--version'],
    files: { 'notes.txt': 'one\n' },
    prepare: 'git init -q && git config user.name Ann && git config user.email ann@example.com',
    commands: ['git add -A && git commit -q -m "Add notes"', 'git log --oneline -1'],
  },
};

// What a team writes that confines builds, too.
const FREE = `
local override, policy, modes = require 'override', require 'policy', require 'modes'
modes.auto = override.mode(modes.auto, {
  commands = { unmatched = 'confined', doubt = 'confined', build = 'allow', ask = 'ask' },
})
return {
  modes = modes, decide = policy.decider(modes), rules = require 'rules',
  knowledge = require 'knowledge',
}
`;

function make_place(t) {
  const home = fs.mkdtempSync(path.join(process.cwd(), 'projects-'));
  afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
  const place = { home, root: path.join(home, 'gibbous'), workspace: path.join(home, 'work') };
  for (const name of ['state', 'temp']) place[name] = path.join(place.root, name);
  for (const name of ['workspace', 'state', 'temp']) fs.mkdirSync(place[name], { recursive: true });
  return place;
}

async function build_all(t, config, profile) {
  const place = make_place(t);
  Object.assign(process.env, { HOME: place.home, ...KEPT });
  if (config) {
    fs.mkdirSync(path.join(place.root, 'policies'));
    fs.writeFileSync(path.join(place.root, 'policies', 'init.lua'), config);
  }
  const session = await Session.start({
    place, toolsets: ['bg'], asks: true,
    config: config ? { policies: path.join(place.root, 'policies') } : {},
  });
  afterwards(t, () => session.end());
  const asked = [];
  const profiles = new Set();
  session.on_ask = (ask) => { asked.push(ask); session.reply(ask, false); };
  for (const [name, project] of Object.entries(PROJECTS)) {
    if (!has(...project.needs)) {
      t.diagnostic(`${name}: not installed`);
      continue;
    }
    const root = path.join(place.workspace, name);
    for (const [file, text] of Object.entries(project.files)) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
    }
    if (project.prepare) execFileSync('sh', ['-c', project.prepare], { cwd: root });
    for (const command of project.commands) {
      const began = Date.now();
      const started = await session.call('bg_start', {
        command, cwd: name, until: { exit: true, timeout: 120_000 },
      });
      const output = await session.text('bg_output', { id: started.data.id });
      const event = await session.event('run_started', started.data.id);
      const said = `${name}: ${command}: ${started.text}\n${output}`;
      const used = event.sandbox?.profile ?? 'none';
      t.diagnostic(`${name}: ${command}: ${Date.now() - began} ms, profile ${used}`);
      assert.equal(started.data.until?.exit_code ?? started.data.until?.exitCode ?? 0, 0, said);
      assert.doesNotMatch(said, /the sandbox \w+ refused|exit code [1-9]|failed with/i, said);
      if (profile && used !== 'none') profiles.add(used);
    }
  }
  assert.deepEqual(asked, []);
  if (profile) assert.ok(profiles.has(profile), [...profiles].join());
}

test('projects build and test in mode auto, in its sandbox, and nobody is asked', TIMEOUT,
  (t) => build_all(t, undefined, 'build'));

test('projects build and test without a sandbox where a team wants that', TIMEOUT, (t) => build_all(t, FREE));
