// Profile `plan`: a run works on a copy of the workspace, which is thrown away; the answer names
// what it changed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards, until } from '../seeds/session.mjs';

const TIMEOUT = { timeout: 240_000 };
const NO_COPY = /can only be read/;
const IS_ROOT = process.getuid() === 0;
const GIT = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
// Where runs have what they change, until it is thrown away.
const ROOM = `/var/tmp/gibbous-${process.getuid()}`;

function make_place(t, around = process.cwd()) {
  const whole = fs.realpathSync(fs.mkdtempSync(path.join(around, 'copies-')));
  afterwards(t, () => fs.rmSync(whole, { recursive: true, force: true }));
  // An option of a mount has 255 letters, and colons and commas mean something there.
  const root = path.join(whole, 'a:b,'.repeat(60));
  fs.mkdirSync(root);
  const place = { root };
  for (const name of ['workspace', 'state', 'temp', 'home']) {
    place[name] = path.join(root, name);
    fs.mkdirSync(place[name]);
  }
  fs.writeFileSync(path.join(place.workspace, 'kept'), 'kept\n');
  fs.mkdirSync(path.join(place.workspace, 'sub/deep'), { recursive: true });
  fs.writeFileSync(path.join(place.workspace, 'sub/deep/file'), 'deep\n');
  return place;
}

/** Everything about the files of a tree that a program could change. */
function look(tree) {
  const all = {};
  for (const name of fs.readdirSync(tree, { recursive: true }).sort()) {
    const info = fs.lstatSync(path.join(tree, name));
    const text = info.isFile() ? fs.readFileSync(path.join(tree, name), 'latin1') : '';
    all[name] = [info.mode, info.uid, info.size, info.mtimeMs, info.nlink, info.ino, text].join();
  }
  return all;
}

async function start(t, place, config = {}) {
  process.env.HOME = place.home;
  const session = await Session.start({
    place, toolsets: ['shell', 'bg'], mode: 'dangerous', config: { sandbox: { profile: 'plan' }, ...config },
  });
  afterwards(t, () => session.end());
  session.run = async (command, name = 'tests') => {
    const { result, error } = await session.answer('shell', { command }, { session: name });
    return result ? result.text : `${error.code}: ${error.message}`;
  };
  return session;
}

async function can_copy(t, session) {
  const said = await session.run('touch probe');
  if (!NO_COPY.test(said) && !/Read-only|Permission denied/.test(said)) return true;
  t.skip(`no copies here: ${said}`);
  return false;
}

const script = (place, name, code) => fs.writeFileSync(path.join(place.workspace, name), code);

test('a run sees what it changes, the workspace stays as it is, and the answer says so', TIMEOUT, async (t) => {
  const place = make_place(t);
  script(place, 'Makefile', 'out.o: kept\n\tcp kept out.o\n');
  script(place, 'data.py', `
import mmap, os, socket, sqlite3
base = sqlite3.connect('app.db')
base.execute('pragma journal_mode=wal'); base.execute('pragma mmap_size=1000000')
base.execute('create table if not exists t(x)'); base.execute('insert into t values(1)'); base.commit()
print('rows', base.execute('select count(*) from t').fetchone()[0])
with open('kept', 'r+b') as file:
  mapped = mmap.mmap(file.fileno(), 0); mapped[0:1] = b'K'; mapped.flush()
print(open('kept').read().strip())
os.link('kept', 'hard'); os.mkfifo('fifo'); os.chmod('kept', 0o755); os.symlink('/etc/passwd', 'link')
socket.socket(socket.AF_UNIX).bind('socket')
`);
  for (const args of [['init', '-q'], ['add', '-A'], ['commit', '-qm', 'first']]) {
    execFileSync('git', [...GIT, ...args], { cwd: place.workspace });
  }
  const before = look(place.workspace);
  const session = await start(t, place);
  if (!(await can_copy(t, session))) return;
  const said = await session.run(
    'pwd; echo new > kept; rm -r sub; cat kept; '
    + `git ${GIT.join(' ')} stash; git ${GIT.join(' ')} commit --allow-empty -qm x; git log --oneline | wc -l`);
  assert.ok(said.startsWith(`${place.workspace}\nnew\n`), said);
  assert.match(said, /\n2\n\[changes were thrown away: \d+ files \(/);
  assert.match(await session.run('make && make'), /out\.o[^]*\[changes were thrown away: 1 file \(out\.o\)\]/);
  for (let times = 0; times < 2; ++times) {
    assert.match(await session.run('python3 data.py'), /rows 1\nKept\n\[changes were thrown away: \d+ files \(app\.db/);
  }
  const node = "const fs = require('fs'); fs.writeFileSync('sub/deep/other', ''); "
    + "console.log(fs.readdirSync('sub/deep').join())";
  assert.match(await session.run(`node -e "${node}"`),
    /file,other\n\[changes were thrown away: 1 file \(sub\/deep\/other\)\]/);
  assert.match(await session.run('exec 3< kept; rm kept; cat <&3; rm -rf * .git; ls -A'),
    /^kept\n\[changes were thrown away: (at least )?\d+ files/);
  assert.deepEqual(look(place.workspace), before);
});

test('what leaves everything as it was is not called a change', TIMEOUT, async (t) => {
  const place = make_place(t);
  const session = await start(t, place);
  if (!(await can_copy(t, session))) return;
  for (const command of [
    'cat kept > /dev/null', 'true 3<> kept', 'mkdir d; rmdir d', 'echo x > f; rm f', 'echo x > /tmp/f; rm /tmp/f',
  ]) {
    assert.equal(await session.run(command), '(no output)', command);
  }
  assert.match(await session.run('mkdir empty'), /thrown away: 1 file \(empty\)/);
  assert.match(await session.run('rm kept; echo kept > kept'), /thrown away: 1 file \(kept\)/);
  const many = await session.run('for i in $(seq 3000); do : > f$i; done; : > "$(printf \'a\\nb\\033\')"');
  assert.match(many, /thrown away: at least \d+ files \(.*\.\.\.\)\]$/);
  assert.ok(!many.includes('\x1b'));
});

test('no other way leads from a run to the workspace itself', TIMEOUT, async (t) => {
  const place = make_place(t);
  const elsewhere = path.join(place.root, 'elsewhere');
  fs.mkdirSync(elsewhere);
  const mounted = IS_ROOT && spawnSync('mount', ['--bind', place.workspace, elsewhere]).status === 0;
  if (mounted) afterwards(t, () => spawnSync('umount', ['-l', elsewhere]));
  script(place, 'attack.py', `
import os, sys
real, elsewhere = sys.argv[1:3]
ways = [elsewhere, '/tmp/link']
for pid in ['self', *filter(str.isdigit, os.listdir('/proc'))]:
  if pid not in ('self', str(os.getpid()), str(os.getppid())):
    ways += [f'/proc/{pid}/cwd', f'/proc/{pid}/root{real}']
for fd in os.listdir('/proc/self/fd'): ways.append(f'/proc/self/fd/{fd}')
os.symlink(real, '/tmp/link')
def attempt(call, *args):
  try: call(*args)
  except OSError: pass
for way in ways:
  attempt(lambda: open(way + '/hacked', 'w').write('hacked'))
  attempt(lambda: open(way + '/kept', 'a').write('hacked'))
  attempt(os.unlink, way + '/kept'); attempt(os.chmod, way + '/kept', 0o777); attempt(os.utime, way + '/kept', (1, 1))
  attempt(os.rename, way + '/sub', way + '/moved'); attempt(os.link, way + '/kept', '/tmp/hard')
attempt(lambda: open('/tmp/hard', 'a').write('hacked'))
for call in ('umount -l .', 'umount -l ' + elsewhere, 'mount --bind / /mnt', 'unshare -Urm true'):
  print(call, os.system(call + ' 2> /dev/null') != 0)
`);
  const before = look(place.workspace);
  const session = await start(t, place);
  if (!(await can_copy(t, session))) return;
  const said = await session.run(`python3 attack.py ${place.workspace} ${elsewhere}`);
  assert.match(said, /umount -l \. True\numount -l .* True\nmount .* True\nunshare .* True\n/);
  assert.deepEqual(look(place.workspace), before);
});

test('runs at the same time have copies of their own, and a killed one leaves nothing', TIMEOUT, async (t) => {
  const place = make_place(t);
  const session = await start(t, place);
  if (!(await can_copy(t, session))) return;
  const { data } = await session.call('bg_start', {
    command: 'echo background > kept; echo ready; sleep 600', until: { line: 'ready' },
  });
  const texts = await Promise.all(['one', 'two'].map((name) =>
    session.run(`echo ${name} > kept; : > ${name}; sleep 0.5; cat kept; ls`)));
  assert.match(texts[0], /^one\nkept\none\n/);
  assert.match(texts[1], /^two\nkept\nsub\ntwo\n/);
  await session.call('bg_kill', { id: data.id });
  assert.match(await session.text('bg_output', { id: data.id }), /thrown away: 1 file \(kept\)/);
  assert.equal(fs.readFileSync(path.join(place.workspace, 'kept'), 'utf8'), 'kept\n');
  assert.deepEqual(fs.readdirSync(place.workspace).sort(), ['kept', 'sub']);
});

const holds = (word) => spawnSync('grep', ['-rlF', word, ROOM], { encoding: 'utf8' }).stdout !== '';

for (const victim of ['host', 'keeper']) {
  test(`what a killed ${victim} leaves is removed, at the next start at the latest`, TIMEOUT, async (t) => {
    const place = make_place(t);
    const session = await start(t, place);
    if (!(await can_copy(t, session))) return;
    const word = `left-${process.pid}-${victim}-${Math.random()}`;
    const { data } = await session.call('bg_start', {
      command: `echo ${word} > kept; echo ready; sleep 600`, until: { line: 'ready' },
    });
    assert.ok(holds(word));
    if (victim === 'keeper') {
      const keeper = /PPid:\t(\d+)/.exec(fs.readFileSync(`/proc/${data.pid}/status`, 'utf8'))[1];
      assert.match(fs.readFileSync(`/proc/${keeper}/cmdline`, 'utf8'), /keeper/);
      process.kill(Number(keeper), 'SIGKILL');
      await session.end();
    } else {
      await session.signal('SIGKILL');
    }
    const other = await start(t, place);
    await until('what was left is gone', async () => {
      await other.run('true');
      return !holds(word);
    });
    assert.equal(fs.readFileSync(path.join(place.workspace, 'kept'), 'utf8'), 'kept\n');
  });
}

test('a run that fills its copy is ended before it fills the disk', TIMEOUT, async (t) => {
  const place = make_place(t);
  const session = await start(t, place, { caches: { max_bytes: 64 << 20 } });
  if (!(await can_copy(t, session))) return;
  const one = await session.run('head -c 200M /dev/zero > big; stat -c %s big');
  assert.match(one, /File too large|SIGXFSZ|size limit/i);
  const many = await session.run('i=0; while :; do i=$((i+1)); head -c 8M /dev/zero > big$i; done');
  assert.match(many, /copies: .* written to a copy that is thrown away, the limit is 64/);
  assert.match(many, /changes were thrown away: \d+ files/);
});

test('a workspace is copied wherever it is, and however it is reached', TIMEOUT, async (t) => {
  const below_tmp = make_place(t, os.tmpdir());
  const linked = make_place(t);
  fs.symlinkSync(linked.workspace, path.join(linked.root, 'link'));
  const worktree = make_place(t);
  const main = path.join(worktree.workspace, 'main');
  execFileSync('git', ['init', '-q', main]);
  for (const args of [['commit', '-q', '--allow-empty', '-m', 'x'], ['worktree', 'add', '-q', '../tree']]) {
    execFileSync('git', [...GIT, ...args], { cwd: main });
  }
  for (const place of [
    below_tmp, { ...linked, workspace: path.join(linked.root, 'link') },
    { ...worktree, workspace: path.join(worktree.workspace, 'tree') },
  ]) {
    const real = place.root === worktree.root ? worktree.workspace : place.workspace;
    const before = look(fs.realpathSync(real));
    const session = await start(t, place);
    if (!(await can_copy(t, session))) return;
    const said = await session.run(`echo x > new; cat new; git ${GIT.join(' ')} commit --allow-empty -qm y 2> /dev/null
      cd ..; echo y >> ${place.workspace}/new; cat ${place.workspace}/new`);
    assert.match(said, /^x\nx\ny\n\[changes were thrown away: \d+ files? \(/);
    await session.end();
    assert.deepEqual(look(fs.realpathSync(real)), before);
  }
});

test('what is mounted below the workspace is seen there, and can be read only', TIMEOUT, async (t) => {
  const place = make_place(t);
  const point = path.join(place.workspace, 'sub/deep');
  if (!IS_ROOT || spawnSync('mount', ['-t', 'tmpfs', 'none', point]).status !== 0) return t.skip('cannot mount here');
  afterwards(t, () => spawnSync('umount', ['-l', point]));
  fs.writeFileSync(path.join(point, 'mounted'), 'mounted\n');
  const session = await start(t, place);
  if (!(await can_copy(t, session))) return;
  assert.match(await session.run('cat sub/deep/mounted; echo x > sub/new; cat sub/new'), /^mounted\nx\n/);
  assert.match(await session.run('echo x > sub/deep/mounted; rm sub/deep/mounted'), /Read-only file system/);
  assert.equal(fs.readFileSync(path.join(point, 'mounted'), 'utf8'), 'mounted\n');
});

test('hidden files stay hidden in a copy', TIMEOUT, async (t) => {
  const place = make_place(t);
  for (const name of ['.ssh', '.config/gh']) fs.mkdirSync(path.join(place.workspace, name), { recursive: true });
  for (const name of ['.ssh/id_rsa', '.config/gh/hosts.yml', '.netrc']) script(place, name, 'swordfish\n');
  const session = await start(t, { ...place, home: place.workspace });
  if (!(await can_copy(t, session))) return;
  script(place, 'seek.sh', 'cat .ssh/id_rsa .config/gh/hosts.yml .netrc; mv .config c; cat c/gh/hosts.yml; mv .ssh s\n'
    + 'ln .netrc n; cat s/id_rsa n; rm -rf .ssh .config; cat .ssh/id_rsa; echo end\n');
  const said = await session.run('sh seek.sh 2>&1');
  assert.match(said, /end/);
  assert.ok(!said.includes('swordfish'), said);
});

test('a directory that cannot be renamed in a copy is explained', TIMEOUT, async (t) => {
  const place = make_place(t);
  const session = await start(t, place);
  if (!(await can_copy(t, session))) return;
  const said = await session.run('python3 -c "import os; os.rename(\'sub\', \'moved\')" && ls -d moved');
  assert.match(said, /cross-device[^]*\[the workspace is a copy: .*EXDEV.*\]|^moved\n\[changes/);
  assert.match(await session.run('mv sub moved && cat moved/deep/file'), /^deep\n/);
});

test('where there can be no copy, a run reads, has a $TMPDIR, and is told', TIMEOUT, async (t) => {
  const around = 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all "$@"';
  const words = ['-Ur', 'sh', '-c', around, 'sh'];
  if (spawnSync('unshare', [...words, 'true']).status !== 0) return t.skip('cannot be had here');
  const place = make_place(t, os.tmpdir());
  const before = look(place.workspace);
  const run = (command) => {
    const args = [
      'call', '--mode', 'dangerous', '--sandbox', 'plan', '--toolset', 'shell', '--state', place.state,
      '--workspace', place.workspace, 'shell', JSON.stringify({ command }),
    ];
    const env = { ...process.env, HOME: place.home };
    const done = spawnSync('unshare', [...words, GIBBOUS, ...args], { encoding: 'utf8', env });
    return done.stdout + done.stderr;
  };
  const said = run('cat kept; echo x > $TMPDIR/x && cat $TMPDIR/x; echo x > kept');
  if (/no Landlock/.test(said)) return t.skip('no Landlock here');
  assert.match(said, /kept\n[^]*x\n/);
  assert.match(said, /refused: write .*kept[^]*the workspace can only be read.*no mount namespace here/);
  assert.equal(run('cat kept'), 'kept\n');
  for (const command of ['rm kept', 'mv sub moved', ': > new', ': > /tmp/new']) run(command);
  assert.deepEqual(look(place.workspace), before);
});
