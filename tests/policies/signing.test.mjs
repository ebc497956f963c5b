// Commits and tags that git signs in the sandbox, with a key that stays outside.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards } from '../seeds/session.mjs';

const TIMEOUT = { timeout: 300_000 };

function is_held(t, ...programs) {
  const said = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  const missing = programs.find((each) => spawnSync('sh', ['-c', `command -v ${each}`]).status !== 0);
  if (/"sandbox\.mount_namespace","grade":"good"/.test(said) && !missing) return false;
  t.skip(missing ? `${missing} is missing` : 'no mount namespaces here');
  return true;
}

// Makes a key in a throw-away home: [program, how].
const KEYS = {
  ssh: ['ssh-keygen', (home, git) => {
    fs.mkdirSync(path.join(home, '.ssh'), { mode: 0o700 });
    const key = path.join(home, '.ssh/id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    fs.writeFileSync(path.join(home, '.ssh/allowed'), `ann@example.com ${fs.readFileSync(`${key}.pub`)}`);
    git('config', '--global', 'gpg.format', 'ssh');
    git('config', '--global', 'user.signingkey', '~/.ssh/id_ed25519.pub');
    git('config', '--global', 'gpg.ssh.allowedSignersFile', '~/.ssh/allowed');
  }],
  gpg: ['gpg', (home) => {
    fs.mkdirSync(path.join(home, '.gnupg'), { mode: 0o700 });
    execFileSync('gpg', ['--batch', '--quiet', '--passphrase', '', '--quick-generate-key', 'Ann <ann@example.com>',
      'ed25519', 'sign'], { stdio: 'ignore', env: { ...process.env, HOME: home } });
  }],
};

/** answers: what the person says to each question, in turn; then no. */
async function start(t, { key = 'ssh', toolsets = ['bg'], mode = 'auto', asks = true, answers = [], commits = true, env = {} } = {}) {
  // The socket of gpg's agent has a short path.
  const home = fs.mkdtempSync(path.join('/var/tmp', 'signing-'));
  afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
  const place = { home, root: path.join(home, 'gibbous'), workspace: path.join(home, 'work') };
  for (const name of ['state', 'temp']) place[name] = path.join(place.root, name);
  for (const name of ['workspace', 'state', 'temp']) fs.mkdirSync(place[name], { recursive: true });
  const before = { HOME: process.env.HOME, PATH: process.env.PATH };
  Object.assign(process.env, { HOME: home }, Object.fromEntries(Object.entries(env).map(([name, make]) => [name, make(place)])));
  const git = (...args) => execFileSync('git', args, { cwd: place.workspace, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const verifies = (...args) => spawnSync('git', args, { cwd: place.workspace, encoding: 'utf8', env: { ...process.env, HOME: home } }).status === 0;
  for (const [name, value] of [['user.name', 'Ann'], ['user.email', 'ann@example.com'], ['init.defaultBranch', 'main']]) {
    git('config', '--global', name, value);
  }
  git('init', '-q');
  KEYS[key][1](home, git);
  if (commits) git('config', '--global', 'commit.gpgsign', 'true');
  const session = await Session.start({ place, toolsets, mode, asks });
  Object.assign(process.env, before);
  afterwards(t, async () => {
    await session.end();
    if (key === 'gpg') spawnSync('gpgconf', ['--kill', 'all'], { env: { ...process.env, HOME: home } });
  });
  const asked = [];
  session.on_ask = (ask) => {
    asked.push(ask);
    const { allow, ...how } = answers[asked.length - 1] ?? { allow: false };
    session.reply(ask, allow, how);
  };
  const run = async (command, more = {}) => {
    const { data } = await session.call('bg_start', { command, until: { exit: true }, ...more });
    const output = await session.text('bg_output', { id: data.id });
    return { output, profile: (await session.event('run_started', data.id)).sandbox?.profile };
  };
  return { place, session, asked, run, git: (...args) => execFileSync('git', args, {
    cwd: place.workspace, encoding: 'utf8', env: { ...process.env, HOME: home } }), verifies };
}

const ALWAYS = { allow: true, remember: 'always', about: 'rule' };

for (const [key, [program]] of Object.entries(KEYS)) {
  test(`commits, tags, merges and rebases are signed with ${key} after one question`, TIMEOUT, async (t) => {
    if (is_held(t, program)) return;
    const { asked, run, verifies, git } = await start(t, { key, answers: [ALWAYS] });
    const lines = [
      'git commit -q --allow-empty -m one', 'git tag -s v1 -m one',
      'git switch -qc topic && git commit -q --allow-empty -m two && git switch -q main && git commit -q --allow-empty -m three',
      'git merge -q --no-ff -m four topic', 'git rebase -q --force-rebase --no-ff HEAD~1',
    ];
    for (const line of lines) {
      const { output, profile } = await run(line);
      assert.equal(profile, 'build', `${line}: ${output}`);
      assert.ok(verifies('verify-commit', 'HEAD'), `${line}: ${output}`);
    }
    assert.ok(verifies('verify-tag', 'v1'));
    for (const id of git('rev-list', '--all').trim().split('\n')) assert.ok(verifies('verify-commit', id));
    assert.deepEqual(asked.map(({ rule }) => rule), ['signing.commits']);
  });
}

test('a person who says no leaves nothing signed, and the commit is not made', TIMEOUT, async (t) => {
  if (is_held(t, 'ssh-keygen')) return;
  const { asked, run, session } = await start(t);
  const { code, message } = await session.error('bg_start', { command: 'git commit --allow-empty -m one' });
  assert.equal(code, 'denied', message);
  assert.match(message, /--no-gpg-sign/);
  assert.equal(asked.length, 1);
  assert.match((await run('git commit --no-gpg-sign --allow-empty -m one')).output, /root-commit/);
  assert.equal(asked.length, 1);
});

test('where nobody can be asked, one line says the way out', TIMEOUT, async (t) => {
  if (is_held(t, 'ssh-keygen')) return;
  const alone = await start(t, { asks: false });
  const { code, message } = await alone.session.error('bg_start', { command: 'git commit --allow-empty -m one' });
  assert.equal(code, 'needs_approval', message);
  assert.match(message, /--no-gpg-sign/);
  for (const [key, [program]] of Object.entries(KEYS)) {
    if (is_held(t, program)) continue;
    for (const mode of ['ci', 'plan']) {
      const { session, asked } = await start(t, { mode, key, toolsets: ['shell'] });
      const { text } = await session.call('shell', { command: 'git commit --allow-empty -m one' });
      assert.match(text, /failed to write commit object[^]*allow = \["sign"\] asks a person, --no-gpg-sign needs none/, mode);
      assert.deepEqual(asked, []);
    }
  }
});

const TREE = `tree ${'4b825dc642cb6eb9a060e54bf8d69288fbee4904'}\n`;
const COMMIT = `${TREE}author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n`;

test('a run has nothing signed but a commit or a tag that is whole', TIMEOUT, async (t) => {
  if (is_held(t, 'ssh-keygen')) return;
  const { place, asked, run } = await start(t, { answers: [ALWAYS] });
  const bodies = {
    made_up: `${COMMIT}x\n`, // it may sign what it could commit
    text: 'hello\n', empty: '', headless: `${TREE}\nx\n`, before: `x${COMMIT}`, nul: `${COMMIT}a\0b`,
    header: COMMIT.replace('\n\n', '\nfoo bar\n\n'), large: `${COMMIT}${'x'.repeat(2 << 20)}`,
  };
  for (const [name, text] of Object.entries(bodies)) fs.writeFileSync(path.join(place.workspace, name), text);
  fs.writeFileSync(path.join(place.workspace, 'attack.sh'), `
    program=$GIT_CONFIG_VALUE_1 dir=\${GIT_CONFIG_VALUE_1%/*}
    for name in ${Object.keys(bodies).join(' ')}; do $program -Y sign -n git -f ~/.ssh/id_ed25519.pub $name; done
    $program -Y sign -n file -f ~/.ssh/id_ed25519.pub made_up.other
    cp made_up elsewhere; $program -Y sign -n file -f ~/.ssh/id_ed25519.pub elsewhere
    rm -f $dir/socket $dir/gpg; ln -sf ~/.bashrc $dir/socket; mv $dir $dir.old; ls $dir; cat ~/.ssh/id_ed25519
  `);
  const { output } = await run('sh attack.sh', { allow: ['sign'] });
  const found = fs.readdirSync(place.workspace).filter((name) => name.endsWith('.sig'));
  const dealt = found.map((name) => [name, fs.readFileSync(path.join(place.workspace, name), 'utf8')]);
  // The namespace of git is part of what is signed, whatever the run asks for.
  for (const [name, text] of dealt) {
    const said = spawnSync('ssh-keygen', ['-Y', 'check-novalidate', '-n', 'git', '-s', path.join(place.workspace, name)],
      { input: `${COMMIT}x\n`, encoding: 'utf8' });
    assert.equal(said.status, 0, `${name}: ${said.stdout}${said.stderr}${text}`);
  }
  assert.ok(found.includes('made_up.sig'), output);
  assert.deepEqual(found.filter((name) => !['made_up.sig', 'elsewhere.sig'].includes(name)), [], output);
  assert.match(output, /gpg\ngpgsm\nsocket\nssh-keygen/);
  assert.doesNotMatch(output, /PRIVATE KEY/);
  assert.equal(asked.length, 1);
});

test('runs that nobody has allowed it see no socket', TIMEOUT, async (t) => {
  if (is_held(t, 'ssh-keygen')) return;
  const { asked, run, session } = await start(t, { answers: [{ allow: true }] });
  const { data } = await session.call('bg_start', { command: "sh -c 'echo $GIT_CONFIG_COUNT; sleep 600'", allow: ['sign'], until: { line: '3' } });
  assert.equal(asked.length, 1);
  for (const [command, profile, more] of [
    ['ls -A /tmp/gibbous-sign-*; echo $GIT_CONFIG_COUNT.', 'build', {}],
    ['frobnicate; ls -A /tmp/gibbous-sign-*; echo $GIT_CONFIG_COUNT.', 'confined', {}],
    ['ls -A /tmp/gibbous-sign-*; echo $GIT_CONFIG_COUNT.', 'build', { session: 'another' }],
  ]) {
    const started = await session.call('bg_start', { command, until: { exit: true } }, more);
    const output = await session.text('bg_output', { id: started.data.id }, more);
    assert.equal((await session.event('run_started', started.data.id)).sandbox?.profile, profile);
    assert.doesNotMatch(output, /socket|gpgsm/, command);
    assert.match(output, /^\.$/m, command);
  }
  const { code, message } = await session.error('bg_start', { command: 'frobnicate', allow: ['sign'] });
  assert.equal(code, 'denied', message);
  assert.equal(asked.length, 1);
  await session.call('bg_kill', { id: data.id });
});

test('the workspace names neither the program nor the key that signs', TIMEOUT, async (t) => {
  if (is_held(t, 'ssh-keygen')) return;
  const env = { PATH: ({ workspace }) => `${workspace}/bin:${process.env.PATH}` };
  const { place, run, git, verifies } = await start(t, { answers: [ALWAYS], env });
  const file = (name) => path.join(place.workspace, name);
  const evil = `#!/bin/sh\n[ -e ~/.ssh/allowed ] && echo x >> ${place.home}/outside\nexec /usr/bin/ssh-keygen "$@"\n`;
  fs.mkdirSync(file('bin'));
  for (const name of ['bin/git', 'bin/ssh-keygen', 'evil']) fs.writeFileSync(file(name), evil, { mode: 0o755 });
  fs.rmSync(file('bin/git')); // of the run itself
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file('other')]);
  git('config', 'gpg.ssh.program', file('evil'));
  git('config', 'user.signingkey', file('other.pub'));
  fs.writeFileSync(file('settings'), `[gpg "ssh"]\n\tprogram = ${file('evil')}\n`);
  git('config', '--global', 'include.path', file('settings'));
  fs.rmSync(file('other'));
  const { output } = await run('git commit -q --allow-empty -m one');
  assert.ok(verifies('-c', 'gpg.ssh.program=/usr/bin/ssh-keygen', 'verify-commit', 'HEAD'), output);
  assert.ok(!fs.existsSync(path.join(place.home, 'outside')), output);
});
