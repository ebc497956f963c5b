// What a confined command cannot do: more than a hundred harmful commands that the policy does not
// know, or cannot know before they run, are run for real in mode auto, in a home that is thrown
// away. No question is asked; afterwards the home outside the workspace, a listener, a process and the
// secrets are as they were.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import dgram from 'node:dgram';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards } from '../seeds/session.mjs';

const SECRET = 'swordfish-2f8e61';
const TIMEOUT = { timeout: 280_000 };

/** A home with credentials, and a workspace in it. */
function make_home(t) {
  const home = fs.mkdtempSync(path.join(process.cwd(), 'confined-'));
  afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
  const write = (name, text, mode = 0o644) => {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text, { mode });
  };
  for (const name of ['.bashrc', '.profile', '.gitconfig', 'notes.txt', '.config/app/conf',
    'Documents/report.txt', '.local/bin/tool', '.config/autostart/x.desktop', '.cache/kept',
    'project/src/main.c']) write(name, `what stands in ${name}\n`);
  write('elsewhere', 'what stands elsewhere\n');
  write('.gitconfig', '[user]\n\tname = Ann\n');
  for (const name of CREDENTIALS) write(name, `${SECRET}\n`, 0o600);
  execFileSync('git', ['init', '-q', path.join(home, 'project')]);
  write('project/.git/hooks/pre-commit', '#!/bin/sh\n', 0o755);
  return home;
}

const CREDENTIALS = ['.ssh/id_rsa', '.aws/credentials', '.netrc', '.npmrc', '.gnupg/key',
  '.docker/config.json', '.config/gh/hosts.yml', '.git-credentials', '.kube/config',
  '.cargo/credentials.toml', '.pgpass', '.bash_history'];
const TARGETS = ['.bashrc', '.profile', '.gitconfig', 'notes.txt', '.config/app/conf', 'new-file',
  'Documents', '.local/bin/tool', '.config/autostart/x.desktop', '.ssh/id_rsa',
  '.ssh/authorized_keys', 'project/.git/config', 'project/.git/hooks/pre-commit'];

/** All below a directory, but what a run may change: names, kinds, modes, times and contents. */
function snapshot(root, left_out) {
  const found = {};
  const look = (at) => {
    if (left_out.includes(at)) return;
    const status = fs.lstatSync(at);
    const text = status.isFile() ? createHash('sha256').update(fs.readFileSync(at)).digest('hex')
      : status.isSymbolicLink() ? fs.readlinkSync(at) : '';
    found[at] = [status.mode, status.uid, status.isDirectory() ? 0 : status.mtimeMs, text].join(' ');
    if (status.isDirectory()) for (const name of fs.readdirSync(at)) look(path.join(at, name));
  };
  look(root);
  return found;
}

function attacks(home, { port, udp, victim, abstract }) {
  const made = [];
  for (const name of TARGETS) {
    const at = path.join(home, name);
    made.push(`echo x >> ${at}`, `: > ${at}`, `rm -rf ${at}`, `mv ${at} ${at}.moved`,
      `ln -sf ${home}/elsewhere ${at}`, `chmod 777 ${at}`, `touch -d 2001-01-01 ${at}`,
      `cp /bin/true ${at}`);
  }
  for (const name of CREDENTIALS) made.push(`cat ${home}/${name}`, `base64 -w0 ${home}/${name}`);
  const python = (code) => `python3 -c '${code}'`;
  made.push(
    `exec 3<>/dev/tcp/127.0.0.1/${port}; echo x >&3`, `echo x > /dev/udp/127.0.0.1/${udp}`,
    python(`import socket; socket.create_connection(("localhost", ${port}), 2).send(b"x")`),
    python(`import socket as s; c = s.socket(s.AF_INET6, s.SOCK_STREAM)
c.connect(("::ffff:127.0.0.1", ${port})); c.send(b"x")`),
    python(`import socket as s; c = s.socket(s.AF_UNIX, s.SOCK_STREAM)
c.connect("${abstract}".replace("@", chr(0))); c.send(b"x")`),
    `kill -9 ${victim}`, `kill -TERM ${victim}`, `kill -STOP ${victim}`, `kill -HUP ${victim}`,
    `cat /proc/${victim}/environ`, `echo x > /proc/${victim}/mem`, `ls -l /proc/${victim}/root/`,
    `cat /proc/${victim}/root${home}/.ssh/id_rsa`, `echo 1000 > /proc/${victim}/oom_score_adj`,
    python(`import ctypes; c = ctypes.CDLL(None); c.ptrace(16, ${victim}, 0, 0); c.ptrace(8, ${victim}, 0, 0)`),
    `prlimit --pid ${victim} --nofile=1:1`, `mount -t tmpfs none ${home}`,
    `unshare -m rm ${home}/notes.txt`, `unshare -Urm rm -rf ${home}/Documents`,
    `chroot / rm -rf ${home}/Documents`, 'nsenter -t 1 -m true && echo escaped >&2',
    `ln ${home}/.ssh/id_rsa hard && cat hard`, `ln -s ${home}/.ssh soft && cat soft/id_rsa`,
    `cd /proc/self/root${home} && rm -rf Documents`, `tar -cf - ${home}/.aws | base64 -w0`,
    `find ${home} -delete`, `rm -rf ${home}/Documents ${home}/.config`, `sudo -n rm -rf ${home}/Documents`,
    `setsid -f sh -c "sleep 0.1; echo x >> ${home}/.bashrc"`,
    `(trap "" TERM HUP; echo x >> ${home}/.profile)`, `mkfifo ${home}/pipe`,
    `dd if=/dev/zero of=${home}/notes.txt count=1`, `cp -r ${home}/.ssh . && cat .ssh/*`,
    `git -C ${home}/project config core.hooksPath /tmp/x`, `install -m 755 /bin/true ${home}/.local/bin/ls`,
    `echo "rm -rf ${home}/Documents" | sh`, `sed -i s/what/x/ ${home}/notes.txt`,
  );
  // Should something not be held, it harms nothing but this home.
  for (const code of made) {
    const outside = code.replaceAll(home, 'HOME').match(/(^|[\s"'>=])\/(?!bin\/true|proc\/|dev\/|tmp\/x| )\w*/);
    assert.equal(outside, null, `names ${outside?.[0]}: ${code}`);
  }
  return made;
}

/** Ways in which the same command is unknown. N is the number of the attack. */
const CARRIERS = [
  'frobnicate N', '$TOOL N', 'eval "$TOOL N"', 'sh -c "$TOOL N"', 'frobnicate --print N | bash',
  'bash HOME/tools/attack/N.sh', `python3 -c 'import os; os.system("frobnicate N")'`,
  'find . -maxdepth 0 -exec $TOOL N \\;', 'true && frobnicate N; true', 'LD_PRELOAD=./x.so frobnicate N',
];

const REFUSED = /denied|not permitted|Read-only|Device or resource busy|unreachable|refused|No such|cannot/i;

function can_confine() {
  const said = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  return /"sandbox\.mount_namespace","grade":"good"/.test(said);
}

async function listeners(t) {
  const abstract = `@gibbous-confined-${process.pid}`;
  const found = { reached: [], abstract };
  const serve = async (where) => {
    const server = net.createServer((socket) => { found.reached.push(where); socket.destroy(); });
    server.listen(where);
    await once(server, 'listening');
    t.after(() => server.close());
    return server.address();
  };
  await serve({ path: abstract.replace('@', '\0') }).catch(() => null);  // not in every node
  found.port = (await serve({ port: 0, host: '127.0.0.1' })).port;
  const datagrams = dgram.createSocket('udp4');
  datagrams.on('message', () => found.reached.push('udp'));
  datagrams.bind(0, '127.0.0.1');
  await once(datagrams, 'listening');
  t.after(() => datagrams.close());
  found.udp = datagrams.address().port;
  return found;
}

test('what is confined changes nothing outside, reaches nobody and reads no secret', TIMEOUT, async (t) => {
  if (!can_confine()) return t.skip('no mount namespaces here');
  const home = make_home(t);
  const workspace = path.join(home, 'project');
  const found = await listeners(t);
  const victim = spawn('sleep', ['1000'], { env: { ...process.env, TOKEN: SECRET } });
  t.after(() => victim.kill('SIGKILL'));
  const list = attacks(home, { ...found, victim: victim.pid });
  assert.ok(list.length >= 100, `${list.length} attacks`);

  const tools = path.join(home, 'tools');
  fs.mkdirSync(path.join(tools, 'bin'), { recursive: true });
  fs.mkdirSync(path.join(tools, 'attack'));
  list.forEach((code, at) => fs.writeFileSync(path.join(tools, 'attack', `${at}.sh`), `${code}\n`));
  fs.writeFileSync(path.join(tools, 'bin', 'frobnicate'), `#!/bin/bash
[ "$1" = --print ] && exec cat ${tools}/attack/$2.sh
exec bash ${tools}/attack/$1.sh
`, { mode: 0o755 });

  const place = { root: path.join(home, 'gibbous'), workspace };
  for (const name of ['state', 'temp']) {
    place[name] = path.join(place.root, name);
    fs.mkdirSync(place[name], { recursive: true });
  }
  Object.assign(process.env, {
    HOME: home, TOOL: 'frobnicate', PATH: `${tools}/bin:${process.env.PATH}`,
  });
  const session = await Session.start({ place, toolsets: ['bg'], asks: true });
  afterwards(t, () => session.end());
  const asked = [];
  session.on_ask = (ask) => { asked.push(ask.command ?? ask.id); session.reply(ask, false); };

  // The workspace is theirs, but for what git obeys there.
  const free = [place.root, path.join(workspace, 'src')];
  const look = () => {
    const all = snapshot(home, free);
    const own = new Set(['.git', '.git/config', '.git/hooks/pre-commit'].map((name) => path.join(workspace, name)));
    return Object.fromEntries(Object.entries(all)
      .filter(([at]) => !at.startsWith(`${workspace}/`) || own.has(at)));
  };
  const before = look();
  const began = Date.now();
  const told = [];
  for (const [at, code] of list.entries()) {
    const command = CARRIERS[at % CARRIERS.length].replace(/\bN\b/, String(at))
      .replace(/\bN\.sh/, `${at}.sh`).replace('HOME', home);
    const started = await session.call('bg_start', { command, timeout: 20_000, until: { exit: true } });
    const output = await session.text('bg_output', { id: started.data.id });
    told.push(`${code}\n${output}`);
    const event = await session.event('run_started', started.data.id);
    assert.equal(event.sandbox?.profile, 'confined', `${command}: ${code}`);
    assert.ok(!`${started.text}${output}`.includes(SECRET), `read a secret: ${code}`);
    assert.ok(!output.includes(Buffer.from(SECRET).toString('base64').slice(0, 18)), `read: ${code}`);
  }
  t.diagnostic(`${list.length} commands in ${Date.now() - began} ms`);
  assert.deepEqual(look(), before);
  assert.deepEqual(found.reached, []);
  assert.deepEqual(asked, []);
  assert.equal(victim.exitCode ?? victim.signalCode, null);
  assert.match(fs.readFileSync(`/proc/${victim.pid}/status`, 'utf8'), /State:\s+S/);
  // They were carried out, and refused.
  const refused = told.filter((text) => REFUSED.test(text));
  assert.ok(refused.length > list.length * 0.6, `${refused.length} of ${list.length} say so`);
});

test('the same commands do harm without a sandbox', TIMEOUT, async (t) => {
  const home = make_home(t);
  const found = await listeners(t);
  const harmless = { ...found, victim: 0 };
  // Those that stay in the home, or only reach the listener.
  const list = attacks(home, harmless).filter((code) => code.includes(home) || code.includes(found.port))
    .filter((code) => !/proc|mount|chroot|unshare|find|hard|soft|cd |sudo|tar |rm -rf .*Documents .*/.test(code));
  assert.ok(list.length >= 100);
  let changed = 0;
  let read = 0;
  for (const code of list) {
    const before = JSON.stringify(snapshot(home, []));
    const child = spawn('bash', ['-c', code], { cwd: path.join(home, 'project'), stdio: ['ignore', 'pipe', 'ignore'] });
    let written = '';
    child.stdout.on('data', (text) => { written += text; });
    await once(child, 'close');
    changed += JSON.stringify(snapshot(home, [])) === before ? 0 : 1;
    read += written.includes(SECRET) ? 1 : 0;
  }
  assert.ok(changed > 40, `${changed} of ${list.length} change something`);
  assert.ok(read >= 6, `${read} read a secret`);
  assert.ok(found.reached.length >= 2, found.reached.join());
});
