// What sandboxed runs see of settings and credentials: settings without the tokens in them, keys not
// at all, and no secrets in the environment.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards, until } from '../seeds/session.mjs';

const TIMEOUT = { timeout: 300_000 };
const SECRET = 'swordfish';

function has_no_mounts(t) {
  const said = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  if (/"sandbox\.mount_namespace","grade":"good"/.test(said)) return false;
  t.skip('no mount namespaces here');
  return true;
}

const has = (program) => spawnSync(program, ['--version']).status === 0;

async function start(t, { files = {}, env = {}, config = {}, asks } = {}) {
  const home = fs.mkdtempSync(path.join(process.cwd(), 'settings-'));
  afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
  const place = { home, root: path.join(home, 'gibbous'), workspace: path.join(home, 'work') };
  for (const name of ['state', 'temp']) place[name] = path.join(place.root, name);
  for (const name of ['workspace', 'state', 'temp']) fs.mkdirSync(place[name], { recursive: true });
  const write = (name, text) => {
    const file = path.join(home, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const before = { ...process.env };
  Object.assign(process.env, env, { HOME: home });
  const session = await Session.start({ place, toolsets: ['bg'], config, asks });
  afterwards(t, () => session.end());
  for (const name of Object.keys(env)) {
    if (before[name] === undefined) delete process.env[name];
  }
  const run = async (code, more = {}) => {
    fs.writeFileSync(path.join(place.workspace, 'tool.sh'), `${code}\n`);
    const command = 'frobnicate; sh tool.sh';
    const { data } = await session.call('bg_start', { command, until: { exit: true }, ...more });
    return session.text('bg_output', { id: data.id });
  };
  return { place, write, run, session };
}

// What a file of settings reads as: [file, text, what is seen, what is not].
const VIEWS = [
  ['.npmrc', `registry=https://npm.corp/\r\n//npm.corp/:_authToken=${SECRET}\r\n`, /^registry = https:\/\/npm\.corp\/$/m],
  ['.npmrc', `  //x/:_password = "${SECRET}"\n_auth=${SECRET}\n@corp:registry=https://u:${SECRET}@reg/@corp/ ; ${SECRET}\n`, /^@corp:registry = https:\/\/reg\/@corp\/$/m],
  ['.npmrc', `"_auth"=${SECRET}\n"_au\\u0074h" = ${SECRET}\n; ${SECRET}\n#${SECRET}\nkey="-----BEGIN ${SECRET}"\nca=x\n`, /^ca = x$/m],
  ['.npmrc', '//npm.corp/:_authToken=${NPM_TOKEN}\n', /_authToken = \$\{NPM_TOKEN\}/],
  ['.npmrc', `registry=https://u:a/${SECRET}@host/\nloglevel=warn\n`, /^loglevel = warn$/m],
  ['.npmrc', `registry=https://x/\nunknown=ghp_${SECRET.repeat(5)}\n`, /^end$/m], // a token where none was expected
  ['.npmrc', `registry=https://x/\n${'#'.repeat(70_000)}${SECRET}`, /^end$/m],
  ['.npmrc', `registry=https://x/\0\n_auth=${SECRET}`, /^end$/m],
  ['.npmrc', `${SECRET}\n${SECRET}: ${SECRET}\n[${SECRET}=]\nregistry=https://x/\n`, /^registry = https:\/\/x\/$/m],
  ['.config/pip/pip.conf', `[global]\nindex-url = https://u:${SECRET}@pypi.corp/simple\npassword =\n  ${SECRET}\n`, /^index-url = https:\/\/pypi\.corp\/simple$/m],
  ['.config/pip/pip.conf', `[global]\nextra-index-url=\n   https://u:${SECRET}@one/simple\n   https://two/simple\n   password: ${SECRET}\n`, /https:\/\/one\/simple\n\s+https:\/\/two\/simple/],
  ['.pip/pip.conf', `[global]\rpassword: ${SECRET}\rindex-url: https://pypi.corp/simple\r`, /^index-url = https:\/\/pypi\.corp\/simple$/m],
  ['.m2/settings.xml', `<settings><mirrors><mirror><url>https://u:${SECRET}@nexus/</url></mirror></mirrors><servers><server><password>${SECRET}</password></server></servers></settings>`, /<url>https:\/\/nexus\/<\/url>/],
  ['.m2/settings.xml', `<settings><!-- ${SECRET} --><proxies><proxy><host>p</host><password>${SECRET}</password></proxy></proxies></settings>`, /<host>p<\/host>/],
  ['.m2/settings.xml', `<settings><profiles><a><gpg.passphrase>${SECRET}</gpg.passphrase><b>kept</b></a></profiles></settings>`, /<b>kept<\/b>/],
  ['.m2/settings.xml', `<settings><a><![CDATA[${SECRET}]]></a></settings>`, /^<settings\/>$/m],
  ['.m2/settings.xml', `<!DOCTYPE s [<!ENTITY t "${SECRET}">]><settings><a>&t;</a></settings>`, /^<settings\/>$/m],
  ['.m2/settings.xml', `<settings><servers><server><password>${SECRET}</server></servers></settings>`, /^<settings\/>$/m],
  ['.m2/settings.xml', `<settings><a b="${SECRET}">x</a></settings>`, /<a>x<\/a>/],
  ['.aws/config', `[profile x]\nregion = eu\naws_secret_access_key = ${SECRET}\ns3 =\n  max = 2\n  aws_session_token = ${SECRET}\n`, /^region = eu$/m],
];

test('settings are shown without the secrets in them', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const { place, write, run } = await start(t);
  for (const [file, text, seen] of VIEWS) {
    write(file, text);
    const said = await run(`cat ~/${file}; echo end`);
    assert.match(said, seen, `${file}: ${text.slice(0, 200)}`);
    assert.doesNotMatch(said, new RegExp(SECRET), `${file}: ${text.slice(0, 200)}`);
    assert.equal(fs.readFileSync(path.join(place.home, file), 'utf8'), text);
  }
});

test('whatever the settings are, a secret in them is not shown', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const { write, run } = await start(t);
  let seed = Number(process.env.SEED ?? Date.now() % 100_000);
  t.diagnostic(`SEED=${seed}`);
  const pick = (list) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return list[seed % list.length];
  };
  const parts = ['\n', '\r', '\r\n', ' ', '\t', '=', ':', ';', '#', '[a]', '"', "'", '\\', '<a>', '</a>', '<!--', '-->',
    '<![CDATA[', ']]>', '<?', '&', '@', '//', 'https://', 'registry=', 'index-url = ', '\u00e9', '\ufeff'];
  const secrets = [`_authToken=${SECRET}`, `password = ${SECRET}`, `<password>${SECRET}</password>`,
    `https://u:${SECRET}@h/`, `<privateKey>${SECRET}</privateKey>`, `\n_auth = ${SECRET}\n`];
  for (let round = 0; round < 25; ++round) {
    for (const file of ['.npmrc', '.pip/pip.conf', '.m2/settings.xml']) {
      let text = '';
      for (let at = 0; at < 12; ++at) text += pick(pick([parts, parts, secrets]));
      write(file, text);
    }
    const said = await run('cat ~/.npmrc ~/.pip/pip.conf ~/.m2/settings.xml');
    // A word of its own is no secret: it stands behind the name of one, or in an address.
    const leaks = said.split('\n').filter((line) => /(auth\w*|password|privateKey)\W+swordfish|u:swordfish@/i.test(line));
    assert.deepEqual(leaks, []);
  }
});

test('package managers read the registry of the company', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const { run } = await start(t, { files: {
    '.npmrc': `registry=https://npm.corp.example/\n//npm.corp.example/:_authToken=${SECRET}\n`,
    '.config/pip/pip.conf': `[global]\nindex-url = https://u:${SECRET}@pypi.corp.example/simple\n`,
  } });
  if (has('npm')) assert.match(await run('npm config get registry'), /https:\/\/npm\.corp\.example\//);
  if (has('pip')) assert.match(await run('pip config list'), /index-url='https:\/\/pypi\.corp\.example\/simple'/);
});

test('settings of ssh are shown, and keys are not', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const { place, run } = await start(t, { files: {
    '.ssh/config.d/more': 'Host inner\n  Port 2200\n', '.ssh/id_ed25519': `${SECRET}\n`, '.ssh/odd name': `${SECRET}\n`,
    '.ssh/id_ed25519.pub': 'public\n', '.ssh/known_hosts': 'known\n', '.ssh/deep/key': `${SECRET}\n`,
  } });
  fs.writeFileSync(path.join(place.home, '.ssh/config'), `Include ${place.home}/.ssh/config.d/*\nHost bob\n  HostName bob.example\n`);
  const said = await run('ssh -F ~/.ssh/config -G inner | grep ^port; ssh -F ~/.ssh/config -G bob | grep ^hostname; cat ~/.ssh/*; cat ~/.ssh/deep/*; cp ~/.ssh/id* .; cat id*');
  if (has('ssh')) assert.match(said, /port 2200\nhostname bob\.example/);
  assert.match(said, /public/);
  assert.match(said, /known/);
  assert.doesNotMatch(said, new RegExp(SECRET));
  // Nor is what is made while a run goes on.
  const later = run('touch waiting; until [ -e ~/.ssh/late ]; do sleep 0.1; done; cat ~/.ssh/late');
  await until('the run waits', () => fs.existsSync(path.join(place.workspace, 'waiting')));
  fs.writeFileSync(path.join(place.home, '.ssh/late'), SECRET);
  assert.doesNotMatch(await later, new RegExp(SECRET));
});

test('what looks like a credential is hidden wherever a tool keeps it', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const hidden = ['.config/tool/api_token', '.config/tool/credentials.json', '.config/gh/hosts.yml', '.tool/my-secrets',
    '.local/share/tool/auth.json', '.docker/config.json', '.pgpass', '.aws/credentials', '.python_history', '.new-token',
    '.config/tool/server.key', 'private.pem', '.kube/config', '.config/rclone/rclone.conf'];
  const shown = ['.config/gh/config.yml', '.config/tool/settings', '.config/tool/tokenizer.json', 'ca.pem', '.tool/rc'];
  const files = {};
  for (const each of hidden) files[each] = each.endsWith('.pem') ? `-----BEGIN PRIVATE KEY-----\n${SECRET}\n` : `${SECRET}\n`;
  for (const each of shown) files[each] = `shown ${each}\n`;
  const { run } = await start(t, { files });
  const said = await run([...hidden, ...shown].map((each) => `cat ~/${each}`).join('; '));
  assert.doesNotMatch(said, new RegExp(SECRET));
  for (const each of shown) assert.ok(said.includes(`shown ${each}`), `${each}: ${said}`);
  assert.match(await run('cat ~/.docker/config.json'), /^\{\}$/m);
});

test('settings in the workspace lose only what is secret, and a link there shows nothing', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const { place, write, run } = await start(t, { files: { '.ssh/key': `registry=${SECRET}\n` } });
  write('work/.npmrc', '# ours\nregistry=https://npm.corp/\n//npm.corp/:_authToken=${NPM_TOKEN}\n');
  assert.match(await run('cat .npmrc; echo more=1 >> .npmrc'), /# ours/);
  assert.match(fs.readFileSync(path.join(place.workspace, '.npmrc'), 'utf8'), /more=1/);
  write('work/.npmrc', `registry=https://npm.corp/\n//npm.corp/:_authToken=${SECRET}\n`);
  const said = await run('cat .npmrc');
  assert.match(said, /registry = https:\/\/npm\.corp\//);
  assert.doesNotMatch(said, new RegExp(SECRET));
  fs.rmSync(path.join(place.workspace, '.npmrc'));
  fs.symlinkSync(path.join(place.home, '.ssh/key'), path.join(place.workspace, '.npmrc'));
  assert.doesNotMatch(await run('cat .npmrc'), new RegExp(SECRET));
});

test('secrets in the environment stay outside, are named, and come in where they are named', TIMEOUT, async (t) => {
  const token = `ghp_${'a1'.repeat(18)}`;
  const { run } = await start(t, {
    env: { GH_TOKEN: token, MY_NPM_TOKEN: SECRET, DATABASE_URL: `postgres://u:${SECRET}@h/db`, PLAIN: 'plain' },
    config: { pass_env: ['MY_NPM_TOKEN'] },
  });
  const said = await run('env | grep -E "^(GH_TOKEN|MY_NPM_TOKEN|DATABASE_URL|PLAIN)="; echo 401 Unauthorized; exit 1');
  assert.doesNotMatch(said, /^GH_TOKEN=/m);
  assert.match(said, /^MY_NPM_TOKEN=/m);
  assert.match(said, /^DATABASE_URL=postgres:\/\/h\/db$/m);
  assert.match(said, /^PLAIN=plain$/m);
  assert.match(said, /kept back from this run: DATABASE_URL, GH_TOKEN: name them in its `env` as secrets, or in `pass_env`/);
  assert.doesNotMatch(await run('exit 1'), /kept back/);
  const own = await run('env | grep GH_TOKEN', { env: { GH_TOKEN: 'own' } });
  assert.match(own, /^GH_TOKEN=own$/m);
});

test('what a person lets a run write of the repository it can write, and the refusal before says how', TIMEOUT, async (t) => {
  if (has_no_mounts(t)) return;
  const { place, run, session } = await start(t, { asks: true });
  const git = (...args) => execFileSync('git', args, { cwd: place.workspace, encoding: 'utf8' });
  git('init', '-q');
  const asked = [];
  session.on_ask = (ask) => {
    asked.push(ask);
    session.reply(ask, true);
  };
  const hook = '.git/hooks/pre-commit';
  const code = `git config core.hooksPath .husky; printf '#!/bin/sh' > ${hook} && chmod +x ${hook}; true`;
  const refused = await run(code);
  const wishes = /allow = (\[[^\]]+\])/.exec(refused) ?? assert.fail(refused);
  assert.match(refused, /nor installs hooks as husky does/);
  assert.deepEqual(asked, []);
  const done = await run(code, { allow: JSON.parse(wishes[1]) });
  assert.equal(asked.length, 1, done);
  assert.equal(git('config', 'core.hooksPath'), '.husky\n', done);
  assert.ok(fs.existsSync(path.join(place.workspace, hook)), done + wishes[1]);
  assert.match(await run('git config a.b c'), /refused/);
});
