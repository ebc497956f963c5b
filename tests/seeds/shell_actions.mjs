// What shows the rows of shell_actions.rows.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { before } from '../support/before.mjs';
import { recorded, schema_of } from './look.mjs';
import { until } from './session.mjs';

const SHELL = ['shell'];
const UNTIL_GO = 'until [ -e go ]; do sleep 0.02; done';

const shell = (session, args, more) => session.data('shell', args, more);
const spawn = async (session, command, args = {}, more = {}) =>
  (await shell(session, { action: 'spawn', command, ...args }, more)).run_id;
const poll = (session, run_id, since_seq = 0) =>
  shell(session, { action: 'poll', run_id, since_seq });
const kill = (session, run_id) => shell(session, { action: 'kill', run_id });
const go = (session) => writeFile(path.join(session.place.workspace, 'go'), '');
const of_type = (answer, type) => answer.items.filter((item) => item.item_type === type);
const output = (answer, stream = 'stdout') =>
  of_type(answer, stream).map((item) => item.payload).join('');

/** Polls until the run is done; gives the last answer with every item. */
async function done(session, run_id) {
  const items = [];
  let since = 0;
  const answer = await until(`the end of ${run_id}`, async () => {
    const part = await poll(session, run_id, since);
    items.push(...part.items);
    since = part.next_seq;
    return part.done && part;
  });
  return { ...answer, items };
}

const run = async (session, command, args, more) =>
  done(session, await spawn(session, command, args, more));

const is_running = (session, run_id) =>
  until(`${run_id} runs`, async () => (await poll(session, run_id)).status === 'running');

async function refused(bench, args, pattern) {
  const session = await bench.session(SHELL);
  const error = await session.error('shell', args);
  assert.equal(error.code, 'invalid_arguments');
  assert.match(error.message, pattern);
}

/** A host that died with a run in the state running, and the next one on the same state. */
async function restarted(bench, after) {
  const config = { journal: { recovery: 'requeue' } };
  const session = await bench.session(SHELL, { config });
  const run_id = await spawn(session, `echo begun >> log; ${UNTIL_GO}; echo finished`);
  await is_running(session, run_id);
  await until('the run writes', async () =>
    (await readFile(path.join(session.place.workspace, 'log'), 'utf8').catch(() => '')) !== '');
  await session.signal('SIGKILL');
  await after?.(session, run_id);
  const next = await bench.session(SHELL, { place: session.place, config });
  return { next, run_id };
}

async function executed_again(bench) {
  const { next, run_id } = await restarted(bench);
  await until('it runs again', async () =>
    (await readFile(path.join(next.place.workspace, 'log'), 'utf8')) === 'begun\nbegun\n');
  await go(next);
  const end = await done(next, run_id);
  assert.equal(end.status, 'completed', end.reason);
  assert.match(output(end), /finished\n$/);
}

async function backlog_of(bench, session_id) {
  const session = await bench.session(SHELL);
  const watch = [{ regex: 'listening on (\\d+)', event: 'ready' }];
  await run(session, 'echo listening on 8080', { session_id, watch });
  return { session, events: await session.drain(session_id) };
}

export const tests = {
  'scope.name': async (bench) => {
    assert.deepEqual((await schema_of(bench, 'shell')).tools, ['shell']);
  },
  'scope.actions': async (bench) => {
    const { schema } = await schema_of(bench, 'shell', 'shell');
    assert.equal(schema.properties.action.type, 'string');
    assert.ok(!(schema.required ?? []).includes('action'));
  },
  'scope.legacy': async (bench) => {
    const session = await bench.session(SHELL);
    const data = await shell(session, { command: 'echo out; echo err >&2; exit 3' });
    assert.deepEqual([data.stdout, data.stderr, data.exit_code], ['out\n', 'err\n', 3]);
  },
  'api.enum': async (bench) => {
    const { schema } = await schema_of(bench, 'shell', 'shell');
    assert.deepEqual(schema.properties.action.enum, ['spawn', 'poll', 'kill', 'send_keys']);
  },
  'api.command': (bench) => refused(bench, { action: 'spawn' }, /command/),
  'api.background': async (bench) => {
    const session = await bench.session(SHELL);
    const run_id = await spawn(session, UNTIL_GO);
    assert.equal((await poll(session, run_id)).done, false);
    await go(session);
    await done(session, run_id);
  },
  'api.foreground': async (bench) => {
    const session = await bench.session(SHELL);
    // What a run may have left is looked for after its end, which takes its time here.
    for (let i = 0; i < 3_000; ++i) {
      await mkdir(path.join(session.place.workspace, `d${i % 60}`, `e${i}`), { recursive: true });
    }
    const data = await shell(session, { action: 'spawn', command: 'echo x', background: false });
    assert.equal(data.status, 'completed');
    assert.equal(data.done, true);
  },
  'api.pty': async (bench) => {
    const session = await bench.session(SHELL);
    const end = await run(session, 'test -t 0 && test -t 1 && echo in a terminal', { pty: true });
    assert.equal(end.status, 'completed');
    assert.match(of_type(end, 'terminal').map((item) => item.payload).join(''), /in a terminal/);
    const [[pty]] = await recorded(session,
      `SELECT pty FROM exec_runs WHERE run_id='${end.run_id}'`);
    assert.equal(pty, 1);
  },
  'api.timeout': async (bench) => {
    const session = await bench.session(SHELL);
    assert.equal((await run(session, 'sleep 60', { timeout_secs: 0.3 })).status, 'timeout');
  },
  'api.max_output': async (bench) => {
    const session = await bench.session(SHELL);
    const end = await run(session, 'seq 1 20000', { max_output_bytes: 8192 });
    assert.ok(output(end).length <= 8192 + 1024, `${output(end).length} bytes`);
    assert.match(output(end), /20000\n$/);
  },
  'api.max_output_small': async (bench) => {
    const session = await bench.session(SHELL);
    for (const max_output_bytes of [1, 10, 100, 4096]) {
      const { text, data } = await session.call('shell',
        { command: 'seq 1 20000; seq 1 20000 >&2', max_output_bytes });
      assert.equal(data.truncated, true);
      assert.ok(data.stdout.length + data.stderr.length <= max_output_bytes);
      assert.match(text, /max_output_bytes/);
    }
    const end = await run(session, 'seq 1 100', { max_output_bytes: 10 });
    assert.deepEqual([output(end), end.truncated], ['1\n2\n3\n4\n5\n', true]);
    const rest = await poll(session, end.run_id, 2);
    assert.ok(output(rest).length <= 10);
    const fits = await shell(session, { command: 'echo hi', max_output_bytes: 3 });
    assert.deepEqual([fits.stdout, fits.truncated], ['hi\n', false]);
    await refused(bench, { command: 'true', max_output_bytes: 0 }, /args\.max_output_bytes/);
  },
  'api.watch': async (bench) => {
    const session = await bench.session(SHELL);
    const end = await run(session, 'echo listening on 8080', {
      watch: [{ regex: 'listening on (\\d+)', event: 'ready' }],
    });
    assert.deepEqual(of_type(end, 'event').map((item) => item.payload)
      .filter((name) => name === 'ready'), ['ready']);
  },
  'api.watch_once': async (bench) => {
    const session = await bench.session(SHELL);
    const command = 'echo tick; echo tick; echo tick';
    const watched = async (once) => of_type(await run(session, command, {
      watch: [{ regex: 'tick', event: 'ticked', once }],
    }), 'event').filter((item) => item.payload === 'ticked').length;
    assert.equal(await watched(true), 1);
    assert.equal(await watched(false), 3);
  },
  'api.watch_scope': async (bench) => {
    const session = await bench.session(SHELL);
    const end = await run(session, 'echo warn; echo warn >&2', {
      watch: [{ regex: 'warn', event: 'warned', scope: 'stderr' }],
    });
    const events = of_type(end, 'event').filter((item) => item.payload === 'warned');
    assert.deepEqual(events.map((item) => item.meta.stream), ['stderr']);
  },
  'api.watch_wrong': async (bench) => {
    const session = await bench.session(SHELL);
    const good = { preset: 'ready' }; // is several watchers
    for (const [wrong, field] of [
      [{ regex: '(', event: 'x' }, 'regex'], [{ regex: '', event: 'x' }, 'regex'],
      [{ regex: 'a', event: '' }, 'event'], [{ regex: 'a', event: 'a b' }, 'event'],
      [{ regex: 'a', event: 'x', scope: 'screen' }, 'scope'],
    ]) {
      for (const background of [true, false]) {
        const error = await session.error('shell',
          { action: 'spawn', command: 'true', background, watch: [good, wrong] });
        assert.equal(error.code, 'invalid_arguments');
        assert.ok(error.message.startsWith(`args.watch[1].${field}: `), error.message);
      }
    }
    for (const wrong of [{ regex: 'a' }, { regex: 'a', event: 'x', scope: 'all' }]) {
      await refused(bench, { action: 'spawn', command: 'true', watch: [good, wrong] },
        /^args\.watch\[1\]: /);
    }
    await refused(bench, { action: 'poll', run_id: 'nobody00', since_seq: 1e16 },
      /^args\.since_seq: /);
  },
  'api.run_id_poll': (bench) => refused(bench, { action: 'poll' }, /run_id/),
  'api.run_id_kill': (bench) => refused(bench, { action: 'kill' }, /run_id/),
  'api.since_seq': async (bench) => {
    const session = await bench.session(SHELL);
    const run_id = await spawn(session, `echo one; ${UNTIL_GO}; echo two`);
    const first = await until('one', async () => {
      const part = await poll(session, run_id);
      return output(part) === 'one\n' && part;
    });
    await go(session);
    await until('the end', async () => (await poll(session, run_id)).done);
    const rest = await poll(session, run_id, first.next_seq);
    assert.equal(output(rest), 'two\n');
    assert.ok(rest.items.every((item) => item.seq > first.next_seq - 1));
  },
  'api.session_id': async (bench) => {
    const { session, events } = await backlog_of(bench, 'theirs');
    assert.ok(events.some((event) => event.event === 'ready' && event.session === 'theirs'));
    const [[bound]] = await recorded(session, 'SELECT session_id FROM exec_runs');
    assert.equal(bound, 'theirs');
    for (const session_id of ['x'.repeat(257), 'a\0b']) {
      const error = await session.error('shell', { action: 'spawn', command: 'true', session_id });
      assert.equal(error.code, 'invalid_arguments');
      assert.match(error.message, /^args\.session_id: /);
    }
  },
  'api.send_keys': async (bench) => {
    const session = await bench.session(SHELL);
    const error = await session.error('shell', { action: 'send_keys' });
    assert.equal(error.code, 'invalid_arguments');
    assert.match(error.message, /send_keys/);
    const run_id = await spawn(session, 'read line; echo "got $line"', { pty: true });
    await is_running(session, run_id);
    await shell(session, { action: 'send_keys', run_id, keys: 'hello<Enter>' });
    const end = await done(session, run_id);
    assert.match(of_type(end, 'terminal').map((item) => item.payload).join(''), /got hello/);
  },
  'api.send_keys_later': async (bench) => {
    const session = await bench.session([...SHELL, 'wait']);
    const first = await spawn(session, 'sleep 60');
    const queued = await spawn(session, 'cat', { pty: true });
    await is_running(session, first);
    const keys = (run_id) => session.error('shell', { action: 'send_keys', run_id, keys: 'x' });
    const error = await before(session, 30_000, () => keys(queued));
    assert.equal(error.code, 'not_running');
    assert.ok(error.message.includes(`it waits for run ${first} (sleep 60)`), error.message);
    const blind = await keys(first);
    assert.equal(blind.code, 'no_terminal');
    assert.match(blind.message, /spawn it with pty=true/);
  },
  'quick.spawn': async (bench) => {
    const session = await bench.session([...SHELL, 'wait']);
    await run(session, 'true'); // the journal is open then
    await before(session, 30_000, () => spawn(session, 'sleep 60'));
  },
  'quick.poll': async (bench) => {
    const session = await bench.session([...SHELL, 'wait']);
    const run_id = await spawn(session, 'sleep 60');
    await before(session, 30_000, () => poll(session, run_id));
  },
  'quick.kill': async (bench) => {
    const session = await bench.session([...SHELL, 'wait']);
    const run_id = await spawn(session, 'trap "" TERM; while :; do sleep 0.1; done');
    await is_running(session, run_id);
    await before(session, 30_000, () => kill(session, run_id));
  },
  'worker.background': async (bench) => {
    const session = await bench.session(SHELL);
    const spawned = await shell(session, { action: 'spawn', command: 'echo executed' });
    assert.equal(spawned.status, 'queued');
    assert.equal(output(await done(session, spawned.run_id)), 'executed\n');
  },
  'worker.claims': async (bench) => {
    const session = await bench.session(SHELL);
    await spawn(session, UNTIL_GO, {}, { session: 'lane' });
    const waiting = await spawn(session, 'echo claimed', {}, { session: 'lane' });
    await recorded(session, `SELECT 1 FROM exec_runs WHERE run_id='${waiting}'`);
    await session.signal('SIGKILL');
    await go(session);
    const next = await bench.session(SHELL, { place: session.place });
    assert.equal(output(await done(next, waiting)), 'claimed\n');
  },
  'store.database': async (bench) => {
    const session = await bench.session(SHELL);
    await run(session, 'true');
    assert.deepEqual(await recorded(session, 'SELECT count(*) FROM exec_runs'), [[1]]);
  },
  'store.runs': async (bench) => {
    const session = await bench.session(SHELL);
    const { run_id } = await run(session, 'exit 4', {
      session_id: 'mine', timeout_secs: 30, max_output_bytes: 8192,
    });
    const [row] = await recorded(session, `SELECT session_id, command, status, timeout_secs,
      max_output_bytes, exit_code FROM exec_runs WHERE run_id='${run_id}'`);
    assert.deepEqual(row, ['mine', 'exit 4', 'failed', 30, 8192, 4]);
  },
  'store.items': async (bench) => {
    const session = await bench.session(SHELL);
    const { run_id } = await run(session, 'echo out; echo err >&2');
    const rows = await recorded(session,
      `SELECT seq, item_type FROM exec_run_items WHERE run_id='${run_id}' ORDER BY rowid`);
    const seqs = rows.map(([seq]) => seq);
    assert.deepEqual(seqs, [...seqs].sort((a, b) => a - b));
    for (const type of ['stdout', 'stderr']) assert.ok(rows.some((row) => row[1] === type));
  },
  'store.poll': async (bench) => {
    const session = await bench.session(SHELL);
    const { run_id } = await run(session, 'echo persisted');
    await session.end();
    const next = await bench.session(SHELL, { place: session.place });
    assert.equal(output(await poll(next, run_id)), 'persisted\n');
  },
  'recovery.requeued': executed_again,
  'recovery.executed': executed_again,
  'recovery.polling': async (bench) => {
    const { next, run_id } = await restarted(bench, (session) => go(session));
    const end = await done(next, run_id);
    assert.equal(end.status, 'completed');
    const seqs = end.items.map((item) => item.seq);
    assert.deepEqual(seqs, [...new Set(seqs)].sort((a, b) => a - b));
  },
  'lane.serial': async (bench) => {
    const session = await bench.session(SHELL);
    const first = await spawn(session, `${UNTIL_GO}; echo first >> order`, {}, { session: 'a' });
    const second = await spawn(session, 'echo second >> order', {}, { session: 'a' });
    await is_running(session, first);
    assert.equal((await poll(session, second)).status, 'queued');
    await go(session);
    await done(session, second);
    const order = await readFile(path.join(session.place.workspace, 'order'), 'utf8');
    assert.equal(order, 'first\nsecond\n');
  },
  'lane.parallel': async (bench) => {
    const session = await bench.session(SHELL);
    const first = await spawn(session, UNTIL_GO, {}, { session: 'a' });
    const other = await spawn(session, 'touch go', {}, { session: 'b' });
    await done(session, other);
    assert.equal((await done(session, first)).status, 'completed');
  },
  'flow.chunks': async (bench) => {
    const session = await bench.session(SHELL);
    const run_id = await spawn(session, `echo out; echo err >&2; ${UNTIL_GO}`);
    await until('both chunks', async () => {
      const part = await poll(session, run_id);
      return part.status === 'running' && output(part) === 'out\n'
        && output(part, 'stderr') === 'err\n';
    });
    await go(session);
    await done(session, run_id);
  },
  'flow.regex': async (bench) => {
    const session = await bench.session(SHELL);
    const run_id = await spawn(session, `echo listening on 1; ${UNTIL_GO}`, {
      watch: [{ regex: 'listening', event: 'ready' }],
    });
    await session.event('ready', run_id);
    assert.equal((await poll(session, run_id)).status, 'running');
    await go(session);
    await done(session, run_id);
  },
  'flow.event': async (bench) => {
    const session = await bench.session(SHELL);
    const { run_id } = await run(session, 'echo listening', {
      watch: [{ regex: 'listening', event: 'ready' }],
    });
    const rows = await recorded(session, `SELECT payload FROM exec_run_items
      WHERE run_id='${run_id}' AND item_type='event' AND payload='ready'`);
    assert.deepEqual(rows, [['ready']]);
  },
  'flow.backlog': async (bench) => {
    const { session, events } = await backlog_of(bench, 'theirs');
    assert.ok(events.some((event) => event.event === 'ready'));
    assert.deepEqual(await session.drain('others'), []);
  },
  'flow.delivered': async (bench) => {
    const session = await bench.session(SHELL);
    const { run_id } = await run(session, 'echo listening', {
      watch: [{ regex: 'listening', event: 'ready' }],
    }, { session: 'mine' });
    const turn = { session: 'mine', backlog: true };
    const next = await session.call('shell', { command: 'true' }, turn);
    assert.ok(next.backlog.some((event) => event.event === 'ready' && event.run === run_id));
    const after = await session.call('shell', { command: 'true' }, turn);
    assert.ok(!(after.backlog ?? []).some((event) => event.event === 'ready'));
  },
  'wait.loop': async (bench) => {
    const session = await bench.session(SHELL);
    const run_id = await spawn(session, 'echo starting; echo listening; sleep 60', {
      watch: [{ regex: 'listening', event: 'ready' }],
    });
    let since = 0;
    await until('the event', async () => {
      const part = await poll(session, run_id, since);
      since = part.next_seq;
      return of_type(part, 'event').some((item) => item.payload === 'ready');
    });
    await kill(session, run_id);
    assert.equal((await done(session, run_id)).status, 'killed');
  },
};
