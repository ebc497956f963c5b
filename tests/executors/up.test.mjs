// `gibbous up`: declared services, in order, restarted, shown, and ended by signals.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { GIBBOUS, LIMIT, temporaryDirectory, until } from './support.mjs';

const GRACE_MS = 5000; // before SIGKILL

/** `gibbous up` of a file with this text, beside others. */
async function up(t, name, text, options = ['--json'], files = {}) {
  const directory = await temporaryDirectory(t);
  for (const [file, content] of Object.entries({ ...files, [name]: text })) {
    await writeFile(path.join(directory, file), content);
  }
  const program = spawn(GIBBOUS, ['up', name, '--state', path.join(directory, '.state'), ...options],
    { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => program.kill('SIGKILL'));
  const lines = [];
  const times = []; // of the lines
  createInterface({ input: program.stdout }).on('line', (line) => {
    lines.push(line);
    times.push(performance.now());
  });
  let complaint = '';
  program.stderr.on('data', (data) => { complaint += data; });
  const ended = new Promise((resolve) => program.once('close', (code) => resolve(code)));
  const events = () => lines.map((line) => JSON.parse(line));
  return { directory, program, lines, times, ended, events, complaint: () => complaint };
}

function names(events, service) {
  return events.filter((event) => event.service === service).map((event) => event.event);
}

test('a service starts when those before it are ready', LIMIT, async (t) => {
  const set = await up(t, 'services.lua', `return {
    { name = 'web', command = 'echo served', after = { 'db' } },
    { name = 'db', command = 'echo booting; sleep 0.5; echo up; sleep 0.5',
      ready = { kind = 'regex', pattern = '^up$' } },
  }`);
  assert.equal(await set.ended, 0);
  const events = set.events();
  const ready = events.findIndex((event) => event.service === 'db' && event.event === 'ready');
  const web = events.findIndex((event) => event.service === 'web' && event.event === 'started');
  assert.ok(ready >= 0 && web > ready);
  assert.deepEqual(events.filter((event) => event.event === 'line' && event.service === 'web')
    .map((event) => event.text), ['served']);
});

test('a service that fails is restarted with growing pauses, and then given up', LIMIT, async (t) => {
  const set = await up(t, 'services.lua', `return {
    { name = 'bad', command = 'exit 3', restart = { max = 2, backoff_ms = 10 } },
  }`);
  assert.equal(await set.ended, 1);
  assert.deepEqual(names(set.events(), 'bad'), ['started', 'ready', 'exited', 'restarted', 'started',
    'ready', 'exited', 'restarted', 'started', 'ready', 'exited', 'gave_up']);
});

test('a service that never becomes ready keeps its dependents down', LIMIT, async (t) => {
  const set = await up(t, 'services.lua', `return {
    { name = 'db', command = 'sleep 0.2', ready = { kind = 'regex', pattern = 'never' } },
    { name = 'web', command = 'echo no', after = { 'db' } },
  }`);
  assert.equal(await set.ended, 1);
  assert.ok(names(set.events(), 'db').includes('not_ready'));
  assert.deepEqual(names(set.events(), 'web'), ['not_started']);
});

test('output that is too fast to show is counted, and no line is torn', LIMIT, async (t) => {
  const set = await up(t, 'Procfile', "fast: seq -f '%0999.0f' 1 5000\n");
  assert.equal(await set.ended, 0);
  const lines = set.events().filter((event) => event.event === 'line').map((event) => event.text);
  let bytes = 0;
  for (const line of lines) {
    const lost = /^\[gibbous: (\d+) bytes left out\]$/.exec(line);
    assert.ok(lost || /^\d{999}$/.test(line), `torn: ${line.slice(0, 40)}, ${line.length}`);
    bytes += lost ? Number(lost[1]) : line.length + 1;
  }
  assert.equal(bytes, 5_000_000);
});

test('following a service that writes one line at a time is cheap', LIMIT, async (t) => {
  const set = await up(t, 'Procfile',
    'busy: i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo $i; done\n');
  assert.equal(await set.ended, 0);
  const lines = set.events().filter((event) => event.event === 'line').map((event) => event.text);
  assert.deepEqual(lines, Array.from({ length: 20_000 }, (_, index) => String(index + 1)));
});

test('lines are whole in colour and in other encodings, and a prompt is shown without an end', LIMIT, async (t) => {
  const set = await up(t, 'Procfile', "odd: printf '\\033[31mred\\033[0m caf\\351'; sleep 0.3; "
    + "printf ' end\\nsure? '; sleep 1; printf 'yes\\nlast'\n");
  assert.equal(await set.ended, 0);
  const lines = set.events().filter((event) => event.event === 'line').map((event) => event.text);
  assert.deepEqual(lines.slice(-3), ['sure? ', 'yes', 'last']);
  assert.equal(lines.slice(0, -3).join(''), 'red caf\ufffd end');
});

test('all services run at the same time, even many', LIMIT, async (t) => {
  const lines = Array.from({ length: 9 }, (_, index) => `s${index}: echo here; sleep 1000`);
  const set = await up(t, 'Procfile', `${lines.join('\n')}\n`);
  await until('all wrote', () => set.events().filter((event) => event.text === 'here').length === 9);
  set.program.kill('SIGINT');
  assert.equal(await set.ended, 0);
});

test('Ctrl-C ends a service that waits for its restart, and one that waits for others', LIMIT, async (t) => {
  const set = await up(t, 'services.lua', `return {
    { name = 'bad', command = 'exit 3', restart = { backoff_ms = 60000 } },
    { name = 'slow', command = 'sleep 1000', ready = { kind = 'regex', pattern = 'never' } },
    { name = 'late', command = 'echo no', after = { 'slow' } },
  }`);
  await until('it waits', () => names(set.events(), 'bad').includes('restarted'));
  set.program.kill('SIGINT');
  assert.equal(await set.ended, 0);
  assert.deepEqual(names(set.events(), 'late'), ['not_started']);
});

test('a Procfile is shown with aligned names, and ended by Ctrl-C', LIMIT, async (t) => {
  const set = await up(t, 'Procfile', '# ours\nweb: echo hello; sleep 1000\nlong-one: sleep 1000\n', []);
  await until('web wrote', () => set.lines.includes('web      | hello'));
  set.program.kill('SIGINT');
  assert.equal(await set.ended, 0);
  assert.ok(set.lines.includes('web      | stopped: killed with SIGTERM'));
  assert.ok(set.lines.includes('long-one | stopped: killed with SIGTERM'));
});

test('services that others need are ended last', LIMIT, async (t) => {
  const set = await up(t, 'services.lua', `return {
    { name = 'db', command = 'sleep 1000' },
    { name = 'web', command = 'sleep 1000', after = { 'db' } },
  }`);
  await until('web runs', () => names(set.events(), 'web').includes('ready'));
  set.program.kill('SIGINT');
  assert.equal(await set.ended, 0);
  const exits = set.events().filter((event) => event.event === 'exited');
  assert.deepEqual(exits.map((event) => event.service), ['web', 'db']);
});

test('Ctrl-C while services are being started ends them all', LIMIT, async (t) => {
  const lines = Array.from({ length: 30 }, (_, index) => `s${index}: exec sleep 1000`);
  for (const count of [1, 2, 5, 12, 29, 30]) {
    const set = await up(t, 'Procfile', `${lines.join('\n')}\n`);
    const of = (event) => set.events().filter((each) => each.event === event).length;
    await until(`${count} services have started`, () => of('started') >= count);
    set.program.kill('SIGINT');
    await Promise.race([set.ended, new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`it goes on after a Ctrl-C at ${count} services`)), 60_000).unref();
    })]);
    assert.equal(of('exited'), of('started'));
  }
});

test('stubborn services are ended at the same time, and those that others need after them', LIMIT, async (t) => {
  const deaf = "trap \"\" TERM; echo up; while true; do sleep 0.1; done";
  const set = await up(t, 'services.lua', `return {
    { name = 'db', command = 'echo up; exec sleep 1000' },
    { name = 'one', command = [[${deaf}]], after = { 'db' } },
    { name = 'two', command = [[${deaf}]], after = { 'db' } },
    { name = 'three', command = [[${deaf}]] },
  }`);
  await until('all wrote', () => set.events().filter((event) => event.text === 'up').length === 4);
  set.program.kill('SIGINT');
  assert.equal(await set.ended, 0);
  const exits = set.events().map((event, index) => ({ ...event, at: set.times[index] }))
    .filter((event) => event.event === 'exited');
  assert.equal(exits.at(-1).service, 'db');
  assert.ok(exits.at(-2).at - exits[0].at < GRACE_MS, 'one grace for all three');
});

test('an end says how a service reacted to the signal, and a requested stop is not a failure', LIMIT, async (t) => {
  const on_term = (what) => `trap "${what}" TERM; echo up; while true; do sleep 0.1; done`;
  const set = await up(t, 'services.lua', `return {
    { name = 'deaf', command = [[${on_term('')}]] },
    { name = 'good', command = [[${on_term('exit 0')}]] },
    { name = 'bad', command = [[${on_term('exit 3')}]] },
    { name = 'plain', command = 'echo up; exec sleep 1000' },
    { name = 'pause', command = 'echo up; exit 1', restart = { backoff_ms = 60000 } },
    { name = 'slow', command = 'echo up; exec sleep 1000', ready = { kind = 'exit' } },
    { name = 'late', command = 'echo no', after = { 'slow' } },
  }`);
  await until('all wrote', () => set.events().filter((event) => event.text === 'up').length === 6);
  await until('it waits', () => names(set.events(), 'pause').includes('restarted'));
  set.program.kill('SIGINT');
  assert.equal(await set.ended, 0);
  const events = set.events();
  const last = (service) => events.filter((event) => event.service === service
    && ['exited', 'not_started'].includes(event.event)).at(-1);
  assert.equal(last('deaf').text, 'killed with SIGKILL, after SIGTERM');
  assert.equal(last('good').text, 'exit code 0 after SIGTERM');
  assert.equal(last('bad').text, 'exit code 3 after SIGTERM');
  assert.equal(last('plain').text, 'killed with SIGTERM');
  assert.equal(last('pause').text, 'in the pause before it was started again');
  assert.equal(last('pause').event, 'exited');
  assert.equal(last('late').text, 'killed before it started');
  for (const service of ['deaf', 'good', 'plain', 'pause', 'slow', 'late']) {
    assert.equal(last(service).stopped, true);
  }
  assert.ok(!names(events, 'slow').includes('not_ready'));
});

test('reasons name services, not runs, and say nothing twice', LIMIT, async (t) => {
  const set = await up(t, 'services.lua', `return {
    { name = 'a', command = 'sleep 1', ready = { kind = 'regex', pattern = 'no' }, ready_timeout_ms = 50 },
    { name = 'b', command = 'echo no', after = { 'a' } },
    { name = 'c', command = 'exit 3', ready = { kind = 'exit' } },
    { name = 'd', command = 'echo no', after = { 'c' } },
  }`);
  assert.equal(await set.ended, 1);
  const text = (service, event) => set.events()
    .find((each) => each.service === service && each.event === event).text;
  assert.match(text('a', 'not_ready'), /^timed out after/);
  assert.match(text('b', 'not_started'), /^a is not ready \(timed out/);
  assert.equal(text('d', 'not_started'), 'c ended (exit code 3)');
});

test('a second Ctrl-C does not wait for a service that does not end', LIMIT, async (t) => {
  const set = await up(t, 'Procfile', "deaf: trap 'echo asked' TERM; echo up; while true; do sleep 0.1; done\n");
  await until('it runs', () => set.events().some((event) => event.text === 'up'));
  const { pid } = set.events().find((event) => event.event === 'started');
  set.program.kill('SIGINT');
  await until('the first Ctrl-C has reached it', () => set.events().some((event) => event.text === 'asked'));
  set.program.kill('SIGINT');
  await set.ended;
  await until('it is gone', () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
});

test('wrong declarations name the service and the field', LIMIT, async (t) => {
  for (const [text, complaint] of [
    ["return { { name = 'a', comand = 'x' } }", /service a: comand: unknown field; did you mean "command"/],
    ["return { { name = 'a', command = 'x', after = { 'b' } } }", /there is no service b/],
    ["return { { name = 'a', command = 'x', after = { 'a' } } }", /would wait for itself/],
    ["return { { name = 'a', command = 'x', after = { 1 } } }", /service a: after\[1\]: expected string/],
    ['return { 3 }', /service 1: expected a table, such as/],
    ['return {', /services\.lua:1/],
  ]) {
    const set = await up(t, 'services.lua', text, []);
    assert.notEqual(await set.ended, 0);
    assert.match(set.complaint(), complaint);
  }
});

test('a mistake in one service is found before any other is started', LIMIT, async (t) => {
  for (const [fields, complaint] of [
    ["command = 'x', restart = { max = -1 }", /service b: restart\.max: expected a number from 1/],
    ["command = 'x', ready = { kind = 'port' }", /service b: ready: port: expected a number from 1/],
    ["command = 'x', ready = { { kind = 'exit' }, { kind = 'port' } }", /service b: ready\[2\]: port: /],
    ["command = 'x', ready = { kind = 'regex', pattern = '(' }", /service b: ready: pattern: missing/],
    ["command = 'x', ready = { kind = 'exit' }, ready_timeout_ms = -1", /service b: ready_timeout_ms: /],
    ["command = 'x', env = { A = 3 }", /service b: env\.A: expected a string/],
    ["command = 'x', env = { ['A=B'] = '3' }", /service b: env: /],
    ["command = 'x', limits = { pids = 0 }", /service b: limits\.pids: /],
    ["command = 'x', ports = { 'x' }", /service b: ports: expected/],
    ['argv = { }', /service b: expected one of command/],
    ["argv = { 'a', 3 }", /service b: argv\[2\]: expected a string/],
    ["command = ''", /service b: expected one of command/],
  ]) {
    const set = await up(t, 'services.lua', `return {
      { name = 'a', command = 'sleep 1000' }, { name = 'b', ${fields} },
    }`, []);
    assert.notEqual(await set.ended, 0);
    assert.match(set.complaint(), complaint);
    assert.doesNotMatch(set.complaint(), /run\.start|condition/);
    assert.deepEqual(set.lines, []);
  }
});

test('ready_timeout_ms holds for a list of conditions', LIMIT, async (t) => {
  const set = await up(t, 'services.lua', `return { { name = 'a', command = 'echo hi; sleep 1',
    ready = { { kind = 'regex', pattern = 'never' }, { kind = 'file', path = '/nowhere' } },
    ready_timeout_ms = 50 } }`);
  await set.ended;
  assert.ok(names(set.events(), 'a').includes('not_ready'));
});

test('a Procfile may begin with a byte order mark', LIMIT, async (t) => {
  const set = await up(t, 'Procfile', '\ufeffweb: echo hello\n');
  assert.equal(await set.ended, 0);
  assert.ok(set.events().some((event) => event.service === 'web' && event.text === 'hello'));
});

test('a service that needs approval says so, and how to allow it', LIMIT, async (t) => {
  const set = await up(t, 'Procfile', 'root: sudo -n true\n');
  assert.equal(await set.ended, 1);
  const { text } = set.events().find((event) => event.event === 'not_started');
  assert.match(text, /needs approval, and no person can be asked here: [^]*gibbous policy explain/);
});

test('a port owned by another program is reported', LIMIT, async (t) => {
  const other = createServer();
  t.after(() => other.close());
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const set = await up(t, 'services.lua', `return {
    { name = 'web', command = 'sleep 2', ready = { kind = 'port', port = ${other.address().port} } },
  }`);
  assert.equal(await set.ended, 0);
  assert.ok(set.events().some((event) => /port \d+ is that of \S+ \(pid \d+\), not of web/.test(event.text)));
});

test('a port on which the service itself listens is not reported', LIMIT, async (t) => {
  const foreign = createServer();
  t.after(() => foreign.close());
  await new Promise((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  const free = createServer();
  await new Promise((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  const set = await up(t, 'services.lua', `return {
    { name = 'web', command = 'exec node server.js', ready = { kind = 'port', port = ${port} } },
    { name = 'late', command = 'sleep 1000', after = { 'web' },
      ready = { kind = 'port', port = ${foreign.address().port} } },
  }`, ['--json'], { 'server.js': `require('net').createServer().listen(${port}, '127.0.0.1');` });
  const warned = (service) => set.events()
    .some((event) => event.service === service && /is that of/.test(event.text));
  await until('the later service has been checked, and so has the first', () => warned('late'));
  assert.ok(!warned('web'));
  set.program.kill('SIGINT');
  assert.equal(await set.ended, 0);
});
