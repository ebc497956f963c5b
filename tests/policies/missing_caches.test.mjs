// Caches that do not exist, in the sandbox of commands that no rule knows: the first use of a tool
// works, and makes nothing in the home; what a session may write has a limit.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards, until } from '../seeds/session.mjs';

const TIMEOUT = { timeout: 120_000 };
const LAYERS = `/var/tmp/gibbous-${process.getuid()}`;

function has_no_mounts(t) {
  const said = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  if (/"sandbox\.mount_namespace","grade":"good"/.test(said)) return false;
  t.skip('no mount namespaces here');
  return true;
}

// A session has temporary directories of its own, in which a home of the machine's is shown.
const AROUND = [process.cwd(), '/tmp', '/var/tmp', '/dev/shm'];

function make_place(t, around = process.cwd()) {
  const home = fs.mkdtempSync(path.join(around, 'missing-'));
  afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
  const place = { home, root: path.join(home, 'gibbous'), workspace: path.join(home, 'work') };
  for (const name of ['state', 'temp']) place[name] = path.join(place.root, name);
  for (const name of ['workspace', 'state', 'temp']) fs.mkdirSync(place[name], { recursive: true });
  fs.mkdirSync(path.join(home, '.m2'));
  fs.mkdirSync(path.join(home, '.ssh'));
  fs.writeFileSync(path.join(home, '.ssh/id'), 'swordfish\n');
  fs.writeFileSync(path.join(home, '.bashrc'), 'mine\n');
  fs.symlinkSync('.bashrc', path.join(home, '.linked'));
  return place;
}

async function start(t, place, config = {}) {
  process.env.HOME = place.home;
  const session = await Session.start({ place, toolsets: ['bg'], config });
  afterwards(t, () => session.end());
  session.run = async (code, name) => {
    const file = `tool-${Math.random().toString(36).slice(2)}.sh`;
    fs.writeFileSync(path.join(place.workspace, file), `${code}\n`);
    const command = `frobnicate; sh ${file}`;
    const more = name ? { session: name } : {};
    const { data } = await session.call('bg_start', { command, until: { exit: true } }, more);
    return session.text('bg_output', { id: data.id }, more);
  };
  return session;
}

for (const around of AROUND) test(`a cache that does not exist is there for the session, and not in the home below ${around}`, TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const place = make_place(t, around);
  const before = fs.readdirSync(place.home).sort();
  const session = await start(t, place);
  const first = await session.run(
    'mkdir ~/.npm/_cacache && echo packed > ~/.npm/_cacache/a && mkdir ~/.m2/repository && echo jar > ~/.m2/repository/j && echo mod > ~/go/pkg/m');
  assert.doesNotMatch(first, /refused|cannot|No such/);
  const second = await session.run('cat ~/.npm/_cacache/a ~/.m2/repository/j ~/go/pkg/m');
  assert.match(second, /packed\njar\nmod/);
  // Everything else in the home is what it was.
  const rest = await session.run('cat ~/.bashrc ~/.linked; cat ~/.ssh/id; echo x >> ~/.bashrc; touch ~/new; rmdir ~/go');
  assert.match(rest, /mine\nmine/);
  assert.doesNotMatch(rest, /swordfish/);
  assert.match(rest, /refused: .*write [^,]*\.bashrc/);
  assert.match(rest, /write [^,]*\/new/);
  assert.deepEqual(fs.readdirSync(place.home).sort(), before);
  assert.deepEqual(fs.readdirSync(path.join(place.home, '.m2')), []);
  assert.equal(fs.readFileSync(path.join(place.home, '.bashrc'), 'utf8'), 'mine\n');
  // The temporary directory lies in the home, and the workspace, too.
  const made = await session.run('f=$(mktemp) && echo there > $f && cat $f; echo x > in_workspace && cat in_workspace');
  assert.match(made, /there\nx/);
});

test('one that comes to exist meanwhile is seen with what the session has written', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const place = make_place(t);
  const session = await start(t, place);
  await session.run('echo ours > ~/.npm/ours');
  fs.mkdirSync(path.join(place.home, '.npm'));
  fs.writeFileSync(path.join(place.home, '.npm/theirs'), 'theirs\n');
  const seen = await session.run('cat ~/.npm/ours ~/.npm/theirs; echo more > ~/.npm/more && cat ~/.npm/more');
  if (/more: (Read-only|Permission)/.test(seen)) return t.skip(`no layers here: ${seen}`);
  assert.match(seen, /ours\ntheirs\nmore/);
  assert.deepEqual(fs.readdirSync(path.join(place.home, '.npm')), ['theirs']);
});

test('two clients of one session share them', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const place = make_place(t);
  const one = await start(t, place);
  const other = await start(t, place);
  await one.run('echo shared > ~/.npm/shared', 'same');
  assert.match(await other.run('cat ~/.npm/shared', 'same'), /shared/);
  assert.doesNotMatch(await other.run('cat ~/.npm/shared', 'another'), /^shared/m);
});

test('a session that has reached the limit reads its caches, and is told why', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const place = make_place(t);
  const session = await start(t, place, { caches: { directories: ['~/.tool'], max_bytes: 400_000 } });
  // Only what the list names has a layer.
  assert.match(await session.run('echo x > ~/.other/x'), /Directory nonexistent|No such file/);
  assert.doesNotMatch(await session.run('dd if=/dev/zero of=$HOME/.tool/big bs=1k count=500 2>&1'), /refused/);
  const full = await until('the limit is reached', async () => {
    const said = await session.run('echo y > ~/.tool/next; wc -c < ~/.tool/big');
    return /refused: write/.test(said) && said;
  });
  assert.match(full, /512000/);
  assert.match(full, /caches can be read, and not changed: the session has written [567]\d\d\.\d KiB/);
  assert.match(full, /the limit is 390\.6 KiB \(caches\.max_bytes\)/);
});

test('layers that a killed session has left are removed when the next one begins', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const place = make_place(t);
  const alive = await start(t, place);
  await alive.run('echo kept > ~/.npm/kept', 'alive');
  // As a keeper leaves it that is killed with all that stands by it.
  const left = path.join(LAYERS, `left${process.pid}`);
  afterwards(t, () => fs.rmSync(left, { recursive: true, force: true }));
  fs.mkdirSync(path.join(left, 'layers/own/0123'), { recursive: true });
  fs.writeFileSync(path.join(left, 'layers/own/0123/file'), 'left\n');
  const next = await start(t, place);
  await next.run('true', 'next');
  await until('the layers are gone', () => !fs.existsSync(path.join(left, 'layers')));
  assert.match(await alive.run('cat ~/.npm/kept', 'alive'), /kept/);
});
