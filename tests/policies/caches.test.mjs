// Caches in the sandbox of commands that no rule knows: a tool may write there, its session's next
// commands see it, and the machine's own cache stays as it is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards, until } from '../seeds/session.mjs';

const NO_LAYER = /\.cache\/tool\/(new|kept|both): (Read-only|Permission)/;
const TIMEOUT = { timeout: 120_000 };

function make_place(t) {
  // Not below /tmp, of which a session has its own; longer than an option of a mount may be.
  const around = fs.mkdtempSync(path.join(process.cwd(), 'caches-'));
  afterwards(t, () => fs.rmSync(around, { recursive: true, force: true }));
  const home = path.join(around, 'deep,'.repeat(40));
  const place = { home, root: path.join(home, 'gibbous'), workspace: path.join(home, 'work') };
  for (const name of ['state', 'temp']) place[name] = path.join(place.root, name);
  for (const name of ['workspace', 'state', 'temp']) fs.mkdirSync(place[name], { recursive: true });
  fs.mkdirSync(path.join(home, '.cache/tool'), { recursive: true });
  fs.mkdirSync(path.join(home, '.cache/huggingface'));
  fs.writeFileSync(path.join(home, '.cache/tool/kept'), 'kept\n');
  fs.writeFileSync(path.join(home, '.cache/huggingface/token'), 'swordfish\n');
  return place;
}

async function start(t, place, config = {}, build = false) {
  fs.writeFileSync(path.join(place.workspace, 'Makefile'), 'all:\n\t-@sh tool.sh\n');
  process.env.HOME = place.home;
  if (build) config = { ...config, sandbox: { profile: 'build' } };
  const session = await Session.start({ place, toolsets: ['bg'], config });
  afterwards(t, () => session.end());
  session.run = async (code) => {
    fs.writeFileSync(path.join(place.workspace, 'tool.sh'), `${code}\n`);
    const command = build ? 'make -s' : 'frobnicate; sh tool.sh';
    const { data } = await session.call('bg_start', { command, until: { exit: true } });
    return session.text('bg_output', { id: data.id });
  };
  return session;
}

test('what a confined tool caches is there for its session, and nowhere else', TIMEOUT, async (t) => {
  const said = execFileSync(GIBBOUS, ['doctor', '--json'], { encoding: 'utf8' });
  if (!/"sandbox\.mount_namespace","grade":"good"/.test(said)) return t.skip('no mount namespaces here');
  const place = make_place(t);
  const session = await start(t, place);
  const cache = path.join(place.home, '.cache/tool');
  const first = await session.run(`echo new > ${cache}/new; echo more >> ${cache}/kept; rm -r ${cache}/../none`);
  if (NO_LAYER.test(first)) return t.skip(`no layers here: ${first}`);
  const second = await session.run(`cat ${cache}/new ${cache}/kept; rm ${cache}/kept; ls ${cache}`);
  assert.match(second, /new\nkept\nmore\nnew\n/);
  assert.deepEqual(fs.readdirSync(cache), ['kept']);
  assert.equal(fs.readFileSync(path.join(cache, 'kept'), 'utf8'), 'kept\n');
  // What is hidden in a cache stays hidden.
  assert.ok(!(await session.run(`cat ${place.home}/.cache/huggingface/token`)).includes('swordfish'));
  // Outside of caches nothing can be written.
  assert.match(await session.run(`echo x > ${place.home}/x`), /the sandbox confined refused/);
  await session.end();

  const other = await start(t, place);
  const seen = await other.run(`cat ${cache}/*`);
  assert.match(seen, /kept/);
  assert.doesNotMatch(seen, /new|more/);
  await other.end();
});

test('tools that run at the same time have caches of their own', TIMEOUT, async (t) => {
  const place = make_place(t);
  const session = await start(t, place);
  const file = path.join(place.home, '.cache/tool/both');
  fs.writeFileSync(path.join(place.workspace, 'both.sh'), `echo $1 > ${file}; sleep 0.5; cat ${file}\n`);
  const begin = (name) => session.call('bg_start', {
    command: `frobnicate; sh both.sh ${name}`, until: { exit: true },
  });
  const texts = await Promise.all(['one', 'two'].map(async (name) => {
    const { data } = await begin(name);
    return session.text('bg_output', { id: data.id });
  }));
  if (texts.some((text) => NO_LAYER.test(text))) return t.skip(`no layers here: ${texts}`);
  assert.ok(texts[0].includes('one') && !texts[0].includes('two'), texts[0]);
  assert.ok(texts[1].includes('two') && !texts[1].includes('one'), texts[1]);
  assert.ok(!fs.existsSync(file));
});

for (const profile of ['build', 'confined']) test(`${profile}: settings are the session's own, and what is hidden in them is absent`, TIMEOUT, async (t) => {
  const place = make_place(t);
  const at = (name) => path.join(place.home, name);
  fs.mkdirSync(at('.config/containers'), { recursive: true });
  for (const name of ['.config/chromium', '.mozilla', '.local/share/keyrings']) {
    fs.mkdirSync(at(name), { recursive: true });
    fs.writeFileSync(at(`${name}/secret`), 'swordfish\n');
  }
  const session = await start(t, place, {}, profile === 'build');
  const first = await session.run(
    'mkdir ~/.config/app ~/.config/autostart && echo mine > ~/.config/app/x; '
    + 'for d in .config/chromium .mozilla .local/share/keyrings; do mkdir -p ~/$d; ls -A ~/$d; echo own > ~/$d/own; done');
  if (/Read-only file system/.test(first)) return t.skip(`no layers here: ${first}`);
  assert.doesNotMatch(first, /refused|secret/);
  // Made while the session goes on, and in the way of what was hidden already.
  fs.mkdirSync(at('.config/gh'));
  fs.writeFileSync(at('.config/gh/hosts.yml'), 'swordfish\n');
  fs.writeFileSync(at('.config/containers/auth.json'), 'swordfish\n');
  const second = await session.run(
    'cat ~/.config/app/x ~/.config/chromium/own ~/.mozilla/own ~/.local/share/keyrings/own; '
    + 'cat ~/.config/containers/auth.json ~/.config/gh/hosts.yml; find ~/.config ~/.mozilla ~/.local');
  assert.match(second, /mine\nown\nown\nown/);
  assert.doesNotMatch(second, /swordfish|\/secret/);
  assert.deepEqual(fs.readdirSync(at('.config')).sort(), ['chromium', 'containers', 'gh']);
  assert.deepEqual(fs.readdirSync(at('.mozilla')), ['secret']);
});

test('what is hidden in settings and made while a run goes on is absent for it', TIMEOUT, async (t) => {
  const place = make_place(t);
  fs.mkdirSync(path.join(place.home, '.config'));
  const session = await start(t, place, {}, true);
  fs.appendFileSync(path.join(place.workspace, 'Makefile'), 'wait:\n\t@sh wait.sh\n');
  fs.writeFileSync(path.join(place.workspace, 'wait.sh'),
    'touch started; until test -e go; do sleep 0.05; done; cat ~/.config/gh/hosts.yml; cat ~/.config/new; touch ended\n');
  const { data } = await session.call('bg_start', { command: 'make -s wait' });
  await until('it runs', () => fs.existsSync(path.join(place.workspace, 'started')));
  fs.mkdirSync(path.join(place.home, '.config/gh'));
  fs.writeFileSync(path.join(place.home, '.config/gh/hosts.yml'), 'swordfish\n');
  fs.writeFileSync(path.join(place.home, '.config/new'), 'new\n');
  fs.writeFileSync(path.join(place.workspace, 'go'), '');
  await until('it has read', () => fs.existsSync(path.join(place.workspace, 'ended')));
  assert.doesNotMatch(await session.text('bg_output', { id: data.id }), /swordfish/);
});

test('a build keeps data in caches, and neither programs in them nor toolchains and what PATH names', TIMEOUT, async (t) => {
  const place = make_place(t);
  const at = (name) => path.join(place.home, name);
  const kept = ['.npm/_cacache', '.cache/pip', 'tools/cache'];
  const layered = ['.npm/_npx', '.cache/pre-commit', '.cache/node/corepack', '.cache/ms-playwright', '.cargo/registry/src'];
  const refused = ['.pyenv/shims', '.rustup/toolchains', 'go/bin', '.local/bin', 'tools/cache/bin'];
  for (const name of [...kept, ...layered, ...refused]) fs.mkdirSync(at(name), { recursive: true });
  const path_before = process.env.PATH;
  afterwards(t, () => { process.env.PATH = path_before; });
  process.env.PATH = `${at('tools/cache/bin')}:${path_before}`;
  const directories = ['~/.npm/_cacache', '~/.cache/pip', '~/tools/cache'];
  const session = await start(t, place, { caches: { directories } }, true);
  const touch = async (names) => session.run(names.map((name) => `touch ~/${name}/new && echo made ${name}`).join('\n'));
  const said = await touch([...kept, ...layered, ...refused]);
  if (/\.npm\/_npx\/new.*Read-only file system/.test(said)) return t.skip(`no layers here: ${said}`);
  for (const name of [...kept, ...layered]) assert.ok(said.includes(`made ${name}\n`), `${name}: ${said}`);
  for (const name of refused) assert.ok(!said.includes(`made ${name}\n`), `${name}: ${said}`);
  assert.deepEqual([...kept, ...layered, ...refused].filter((name) => fs.existsSync(at(`${name}/new`))), kept);
  // What a confined run has removed in the session's layer is in no later run's way.
  assert.doesNotMatch(await session.run('rm -rf ~/.npm/_npx ~/.cache/pre-commit && mkdir ~/.npm/_npx'), /cannot/);
  assert.match(await session.run('touch ~/.npm/_cacache/again && echo again'), /again/);
});

test('a cache of data that a confined run has removed in its layer does not stop a build', TIMEOUT, async (t) => {
  const place = make_place(t);
  fs.mkdirSync(path.join(place.home, '.cache/pip'));
  fs.mkdirSync(path.join(place.home, '.cache/ccache'));
  const one = { session: 'same' };
  const start_with = (session, command) => session.call('bg_start', { command, until: { exit: true } }, one);
  fs.writeFileSync(path.join(place.workspace, 'remove.sh'),
    'rm -rf ~/.cache/pip ~/.cache/ccache; ln -s /nowhere ~/.cache/pip; echo file > ~/.cache/ccache\n');
  const confined = await start(t, place);
  await start_with(confined, 'frobnicate; sh remove.sh');
  const build = await start(t, place, {}, true);
  fs.writeFileSync(path.join(place.workspace, 'tool.sh'), 'ls -l ~/.cache; echo built\n');
  const { data } = await start_with(build, 'make -s');
  assert.match(await build.text('bg_output', { id: data.id }, one), /built/);
  assert.ok(fs.existsSync(path.join(place.home, '.cache/pip')));
});

test('the answer says where a file lies that the line names in /tmp, once the run has written it', TIMEOUT, async (t) => {
  const place = make_place(t);
  const session = await start(t, place);
  const file = `/tmp/report-${process.pid}.html`;
  const said = async (command) => {
    const { data } = await session.call('bg_start', { command, until: { exit: true } });
    return session.text('bg_output', { id: data.id });
  };
  const first = await said(`frobnicate; echo report > ${file}`);
  if (fs.existsSync(file)) {
    fs.rmSync(file);
    return t.skip('no temporary directories of a session here');
  }
  const [, at] = new RegExp(`\\[${file} of this session lies at ([^\\]]+)\\]`).exec(first) ?? assert.fail(first);
  assert.equal(fs.readFileSync(at, 'utf8'), 'report\n');
  assert.doesNotMatch(await said(`frobnicate; cat ${file}`), /lies at/);
  assert.doesNotMatch(await said('frobnicate; ls /tmp /tmp/none'), /lies at/);
});

test('settings that a line names and changes are there for its session, and the answer says that they are not kept', TIMEOUT, async (t) => {
  const place = make_place(t);
  const session = await start(t, place);
  const said = async (command) => {
    const { data } = await session.call('bg_start', { command, until: { exit: true } });
    return session.text('bg_output', { id: data.id });
  };
  const file = path.join(place.home, '.config/app/settings.json');
  const first = await said('mkdir -p ~/.config/app && echo new > "$HOME/.config/app/settings.json"');
  if (/Read-only|Permission/.test(first)) return t.skip(`no layers here: ${first}`);
  assert.ok(first.includes(`${file}: changed for this session's sandboxes alone, and not kept]`), first);
  const second = await said('cat ~/.config/app/settings.json');
  assert.match(second, /new/);
  assert.doesNotMatch(second, /not kept/);
  assert.ok(!fs.existsSync(file));
});
