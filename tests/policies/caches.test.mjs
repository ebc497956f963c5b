// Caches in the sandbox of commands that no rule knows: a tool may write there, its session's next
// commands see it, and the machine's own cache stays as it is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GIBBOUS, Session, afterwards } from '../seeds/session.mjs';

const NO_LAYER = /\.cache\/tool\/(new|kept|both): (Read-only|Permission)/;
const TIMEOUT = { timeout: 120_000 };

function make_place(t) {
  // Not below /tmp, of which a session has its own.
  const home = fs.mkdtempSync(path.join(process.cwd(), 'caches-'));
  afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
  const place = { home, root: path.join(home, 'gibbous'), workspace: path.join(home, 'work') };
  for (const name of ['state', 'temp']) place[name] = path.join(place.root, name);
  for (const name of ['workspace', 'state', 'temp']) fs.mkdirSync(place[name], { recursive: true });
  fs.mkdirSync(path.join(home, '.cache/tool'), { recursive: true });
  fs.mkdirSync(path.join(home, '.cache/huggingface'));
  fs.writeFileSync(path.join(home, '.cache/tool/kept'), 'kept\n');
  fs.writeFileSync(path.join(home, '.cache/huggingface/token'), 'swordfish\n');
  return place;
}

async function start(t, place) {
  process.env.HOME = place.home;
  const session = await Session.start({ place, toolsets: ['bg'] });
  afterwards(t, () => session.end());
  session.run = async (code) => {
    fs.writeFileSync(path.join(place.workspace, 'tool.sh'), `${code}\n`);
    const { data } = await session.call('bg_start', { command: 'frobnicate; sh tool.sh', until: { exit: true } });
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
