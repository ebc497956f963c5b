// git that leaves the sandboxes unasked: it has keys and the network, and obeys and follows nothing
// that a run has left in the repository.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards } from '../seeds/session.mjs';

const TIMEOUT = { timeout: 120_000 };

async function start(t) {
  const said = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  if (!/"sandbox\.mount_namespace","grade":"good"/.test(said)) return t.skip('no mount namespaces here');
  const home = fs.realpathSync(fs.mkdtempSync(path.join(process.cwd(), 'fetch-')));
  afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
  const place = { home, root: path.join(home, 'gibbous'), workspace: path.join(home, 'work') };
  for (const name of ['state', 'temp']) place[name] = path.join(place.root, name);
  for (const name of ['state', 'temp']) fs.mkdirSync(place[name], { recursive: true });
  const before = { HOME: process.env.HOME, FETCH_TOKEN: process.env.FETCH_TOKEN };
  Object.assign(process.env, { HOME: home, FETCH_TOKEN: 'swordfish' });
  afterwards(t, () => Object.assign(process.env, before));
  fs.writeFileSync(path.join(home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b\n[safe]\n\tdirectory = *\n');
  fs.writeFileSync(path.join(home, '.bashrc'), 'mine\n');
  const git = (at, ...words) => execFileSync('git', ['-C', path.join(home, at), ...words], { encoding: 'utf8' });
  fs.mkdirSync(path.join(home, 'up'));
  git('up', 'init', '-q', '-b', 'main');
  place.commit = () => git('up', 'commit', '-q', '--allow-empty', '-m', 'x');
  place.commit();
  git('.', 'clone', '-q', 'up', 'work');
  const session = await Session.start({ place, toolsets: ['bg'] });
  afterwards(t, () => session.end());
  const run = async (command) => {
    const { data } = await session.call('bg_start', { command, until: { exit: true } });
    return session.text('bg_output', { id: data.id });
  };
  return { place, git, run };
}

test('fetching, naming oneself and removing a branch work, and what they change is no change of a run', TIMEOUT, async (t) => {
  const started = await start(t);
  if (!started) return;
  const { place, git, run } = started;
  for (let times = 0; times < 2; ++times) {
    place.commit();
    assert.match(await run('git fetch'), /main\s+-> origin\/main/);
    await run('git config user.name Bob');
    await run('git branch -m main other && git branch -m other main');
  }
  assert.equal(git('work', 'config', 'user.name'), 'Bob\n');
  assert.match(await run('git clone https://127.0.0.1:1/x 2>&1 | head -3'), /Cloning into 'x'/);
});

test('a link that a run has left in the repository leads nowhere', TIMEOUT, async (t) => {
  const started = await start(t);
  if (!started) return;
  const { place, git, run } = started;
  const inside = path.join(place.workspace, '.git');
  for (const name of ['FETCH_HEAD', 'logs/refs/remotes/origin/main']) {
    fs.rmSync(path.join(inside, name), { force: true });
    fs.mkdirSync(path.dirname(path.join(inside, name)), { recursive: true });
    fs.symlinkSync(path.join(place.home, '.bashrc'), path.join(inside, name));
    place.commit();
    assert.match(await run('git fetch'), /Read-only file system/);
    fs.unlinkSync(path.join(inside, name));
  }
  fs.mkdirSync(path.join(place.home, '.config'), { recursive: true });
  fs.rmSync(path.join(inside, 'refs/remotes/origin'), { recursive: true, force: true });
  fs.symlinkSync(path.join(place.home, '.config'), path.join(inside, 'refs/remotes/origin'));
  git('up', 'branch', 'evil.service');
  await run('git fetch');
  assert.deepEqual(fs.readdirSync(path.join(place.home, '.config')), []);
  assert.equal(fs.readFileSync(path.join(place.home, '.bashrc'), 'utf8'), 'mine\n');
});

test('it runs neither hooks nor programs of the workspace', TIMEOUT, async (t) => {
  const started = await start(t);
  if (!started) return;
  const { place, run } = started;
  const made = path.join(place.workspace, 'made');
  for (const name of ['work/.git/hooks/reference-transaction', 'work/git', 'work/git-upload-pack']) {
    fs.mkdirSync(path.dirname(path.join(place.home, name)), { recursive: true });
    fs.writeFileSync(path.join(place.home, name), `#!/bin/sh\ntouch ${made}\nexit 0\n`, { mode: 0o755 });
  }
  place.commit();
  assert.match(await run('git fetch'), /main\s+-> origin\/main/);
  assert.ok(!fs.existsSync(made));
});
