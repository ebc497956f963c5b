// What shows the rows of bg.rows.
import assert from 'node:assert/strict';
import { realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { before } from '../support/before.mjs';
import { is_alive, program, until } from './session.mjs';
import { recorded, schema_of } from './look.mjs';

const BG = ['bg'];
const IGNORES_TERM = 'trap "" TERM; echo ready; while :; do sleep 0.1; done';

const start = async (session, command, more = {}) =>
  (await session.data('bg_start', { command, ...more })).id;
const status = async (session, id) =>
  (await session.data('bg_status', { id })).processes[0];
const ended = (session, id) => session.event('run_ended', id);
const all_output = (session, id, more = {}) =>
  session.data('bg_output', { id, since_last_read: false, ...more });

/** Starts a command and waits for its end; gives its last status. */
async function run(session, command, more) {
  const id = await start(session, command, more);
  await ended(session, id);
  return status(session, id);
}

async function says(session, id, text, stream = 'stdout') {
  await until(`${text} of ${id}`, async () =>
    (await all_output(session, id))[stream].includes(text));
}

/** A process that ignores SIGTERM, when it does. */
async function stubborn(session) {
  const id = await start(session, IGNORES_TERM);
  await says(session, id, 'ready');
  return id;
}

const at_least = (value, low) => assert.ok(value >= low, `${value} is less than ${low}`);

const between = (value, low, high) =>
  assert.ok(value >= low && value <= high, `${value} is not in ${low} to ${high}`);

async function properties(bench, tool) {
  const { description, schema } = await schema_of(bench, 'bg', tool);
  return { description, schema, of: (name) => schema.properties[name] };
}

async function kill_grace(bench) {
  const session = await bench.session([...BG, 'wait']);
  const id = await stubborn(session);
  const started = Date.now();
  await before(session, 30_000, () => session.call('bg_kill', { id }));
  at_least(Date.now() - started, 4800);
  assert.equal((await status(session, id)).state, 'killed');
}

async function timeout_grace(bench) {
  const session = await bench.session([...BG, 'wait']);
  const info = await before(session, 30_000, () => run(session, IGNORES_TERM, { timeout: 1000 }));
  assert.equal(info.state, 'timeout');
  at_least(info.runtime_ms, 3900);
}

async function five_at_most(bench) {
  const session = await bench.session(BG);
  for (let i = 0; i < 5; ++i) await start(session, 'sleep 60');
  const error = await session.error('bg_start', { command: 'sleep 60' });
  assert.match(error.message, /concurrent processes \(5\)/);
  assert.match(error.message, /bg_kill/);
}

async function two_at_most(bench) {
  const session = await bench.session(BG, { config: { limits: { max_concurrent: 2 } } });
  await start(session, 'sleep 60');
  await start(session, 'sleep 60');
  assert.match((await session.error('bg_start', { command: 'true' })).message, /concurrent/);
}

async function default_timeout_is_configured(bench) {
  const session = await bench.session(BG, { config: { limits: { default_timeout_ms: 300 } } });
  assert.equal((await run(session, 'sleep 60')).state, 'timeout');
}

async function buffer_is_configured(bench) {
  const session = await bench.session(BG, {
    config: { limits: { max_buffer_bytes: 1024, head_bytes: 0 } },
  });
  const info = await run(session, 'seq 1 2000');
  const out = await all_output(session, info.id, { lines: 2000 });
  assert.ok(out.stdout.endsWith('2000\n'));
  between(out.stdout.length, 500, 1024);
  assert.ok(out.truncated);
}

async function refused_config(bench, limits, field) {
  const session = await bench.session(BG, { config: { limits } });
  assert.notEqual(await session.ended, 0);
  assert.match(session.complaints, new RegExp(field));
}

async function flood(bench) {
  const session = await bench.session(BG);
  const { id } = await run(session, 'seq 1 400000; echo ENDMARK');
  const { data, text } = await session.call('bg_output', { id });
  assert.equal(data.truncated, true);
  assert.ok(data.stdout.endsWith('400000\nENDMARK\n'));
  assert.match(text, /\d+ bytes of stdout are not kept any more/);
  assert.match(text, /skipped: offsets 0 to \d+; read them with stream=stdout, from=0\]/);
  assert.equal((await session.data('bg_output', { id })).stdout, '');
  const tail = await session.call('bg_output', { id, since_last_read: false, lines: 1 });
  assert.equal(tail.data.stdout, 'ENDMARK\n');
  assert.equal(tail.data.truncated, true);
  assert.match(tail.text, /not kept any more/);
}

// More than an answer holds, all of it kept: the end comes first, and the rest can be read.
async function skipped_is_there(bench) {
  const session = await bench.session(BG);
  const { id } = await run(session, 'seq 1 20000');
  const last = await session.data('bg_output', { id });
  assert.deepEqual([last.truncated, last.gaps, last.more], [true, [], false]);
  const [{ stream, from, to }] = last.skipped;
  let text = '';
  for (let next = from; next < to;) {
    const part = await session.data('bg_output', { id, stream, from: next });
    text += part.stdout.slice(0, to - next);
    next = part.next;
  }
  assert.equal(text + last.stdout, Array.from({ length: 20000 }, (_, i) => `${i + 1}\n`).join(''));
  assert.match((await session.error('bg_output', { id, from: 0 })).message, /args\.stream/);
}

async function last_of_new(bench) {
  const session = await bench.session(BG);
  const { id } = await run(session, 'seq 1 10');
  const { data, text } = await session.call('bg_output', { id, lines: 3 });
  assert.deepEqual([data.stdout, data.truncated], ['8\n9\n10\n', true]);
  assert.match(text, /14 bytes of stdout skipped/);
  assert.equal((await session.data('bg_output', { id, lines: 3 })).stdout, '');
  const error = await session.error('bg_output', { id, lines: 1e300 });
  assert.equal(error.code, 'invalid_arguments');
  assert.match(error.message, /^args\.lines: [^\n]{1,80}$/);
}

// What 1 MiB of ring and the first 64 KiB keep of three million bytes.
async function megabyte_is_kept(bench) {
  const session = await bench.session(BG);
  const { id } = await run(session, 'yes x | head -n 1500000');
  let kept = 0;
  let lost = 0;
  for (let from = 0, more = true; more;) {
    const part = await session.data('bg_output', { id, stream: 'stdout', from });
    kept += part.stdout.length;
    for (const gap of part.gaps) lost += gap.to - gap.from;
    ({ more, next: from } = part);
  }
  assert.equal(kept + lost, 3000000);
  between(kept, 1024 * 1024, 1.2 * 1024 * 1024);
}

// The command goes on when its file is there.
const UNTIL_GO = 'until [ -e go ]; do sleep 0.02; done';
const go = (session) => writeFile(path.join(session.place.workspace, 'go'), '');

async function second_read_is_new(bench) {
  const session = await bench.session(BG);
  const id = await start(session, `echo line1; ${UNTIL_GO}; echo line2`);
  const first = await until('line1', async () => {
    const { stdout } = await session.data('bg_output', { id });
    return stdout;
  });
  assert.equal(first, 'line1\n');
  await go(session);
  await ended(session, id);
  assert.equal((await session.data('bg_output', { id })).stdout, 'line2\n');
}

async function mode_decides(bench, mode, expected) {
  const session = await bench.session(BG, { mode });
  const outcome = async (tool, args) => {
    const { error } = await session.answer(tool, args);
    return error && ['denied', 'needs_approval'].includes(error.code) ? error.code : 'allowed';
  };
  // A command that no rule speaks of, so that the mode decides.
  const found = {
    bg_start: await outcome('bg_start', { command: './unknown-program' }),
    bg_status: await outcome('bg_status', {}),
    bg_output: await outcome('bg_output', { id: 'nobody00' }),
    bg_kill: await outcome('bg_kill', { id: 'nobody00' }),
  };
  for (const [tool, verdict] of Object.entries(expected)) assert.equal(found[tool], verdict, tool);
}

async function pids_of(session, count) {
  const pids = [];
  for (let i = 0; i < count; ++i) {
    pids.push((await session.data('bg_start', { command: 'sleep 60' })).pid);
  }
  return pids;
}

async function all_gone(pids) {
  await until('the processes are gone', () => pids.every((pid) => !is_alive(pid)));
}

const ID = /^[A-Za-z0-9]{8}$/;

export const tests = {
  'tools.four': async (bench) => {
    const { tools } = await schema_of(bench, 'bg');
    const own = tools.filter((name) => name !== 'bg_input'); // ours
    assert.deepEqual(own.sort(), ['bg_kill', 'bg_output', 'bg_start', 'bg_status']);
  },
  'arch.nonblocking': async (bench) => {
    const session = await bench.session(BG);
    const ids = [await start(session, 'sleep 60'), await start(session, 'sleep 60')];
    for (const id of ids) assert.equal((await status(session, id)).state, 'running');
  },
  'arch.concurrent': five_at_most,
  'arch.timeout': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60');
    const row = await recorded(session, `SELECT timeout_secs FROM exec_runs WHERE run_id='${id}'`);
    assert.deepEqual(row, [[300]]);
  },
  'arch.id': async (bench) => {
    const session = await bench.session(BG);
    assert.match(await start(session, 'true'), ID);
  },
  'arch.pid': async (bench) => {
    const session = await bench.session(BG);
    const info = await session.data('bg_start', { command: 'echo $$' });
    await ended(session, info.id);
    assert.equal((await all_output(session, info.id)).stdout, `${info.pid}\n`);
  },
  'arch.command': async (bench) => {
    const session = await bench.session(BG);
    assert.equal((await run(session, 'echo  "a  b" # c')).command, 'echo  "a  b" # c');
  },
  'arch.states': async (bench) => {
    const session = await bench.session(BG);
    const running = await start(session, 'sleep 60');
    assert.equal((await status(session, running)).state, 'running');
    assert.equal((await run(session, 'true')).state, 'completed');
    assert.equal((await run(session, 'false')).state, 'failed');
    assert.equal((await run(session, 'sleep 60', { timeout: 100 })).state, 'timeout');
    await session.call('bg_kill', { id: running });
    assert.equal((await status(session, running)).state, 'killed');
  },
  'arch.exit_code': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60');
    assert.equal((await status(session, id)).exit_code, undefined);
    assert.equal((await run(session, 'exit 7')).exit_code, 7);
  },
  'arch.times': async (bench) => {
    const session = await bench.session(BG);
    const before = Date.now();
    const id = await start(session, UNTIL_GO);
    const running = await status(session, id);
    between(running.started_ms, before - 1000, Date.now() + 1000);
    assert.equal(running.ended_ms, undefined);
    await go(session);
    await ended(session, id);
    const info = await status(session, id);
    between(info.ended_ms, info.started_ms, Date.now() + 1000);
  },
  'arch.offsets': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo out; echo err >&2');
    assert.equal((await session.data('bg_output', { id, stream: 'stdout' })).stdout, 'out\n');
    const both = await session.data('bg_output', { id });
    assert.equal(both.stdout, '');
    assert.equal(both.stderr, 'err\n');
  },
  'arch.buffer': megabyte_is_kept,
  'arch.session': async (bench) => {
    const session = await bench.session(BG);
    const pids = await pids_of(session, 2);
    assert.equal(await session.end(), 0);
    await all_gone(pids);
  },
  'start.schema': async (bench) => {
    const { description, schema, of } = await properties(bench, 'bg_start');
    assert.equal(description, 'Start a shell command in the background. Returns a process ID for '
      + 'tracking. Use for long-running commands (tests, builds, dev servers).');
    assert.deepEqual(schema.required, ['command']);
    for (const name of ['command', 'label', 'timeout']) assert.ok(name in schema.properties, name);
    assert.equal(of('command').type, 'string');
    assert.equal(of('command').description, 'Shell command to execute');
    assert.equal(of('timeout').type, 'number');
    assert.equal(of('timeout').description,
      'Timeout in ms (default: 300000 = 5 min, 0 = no timeout)');
    assert.equal(of('label').type, 'string');
    assert.equal(of('label').description,
      'Human-readable label (e.g. "test suite", "dev server")');
  },
  'start.timeout': async (bench) => {
    const session = await bench.session([...BG, 'wait']);
    const info = await before(session, 30_000, () => run(session, 'sleep 60', { timeout: 300 }));
    assert.equal(info.state, 'timeout');
    at_least(info.runtime_ms, 300);
  },
  'start.no_timeout': async (bench) => {
    const session = await bench.session(BG, { config: { limits: { default_timeout_ms: 200 } } });
    const id = await start(session, 'sleep 60', { timeout: 0 });
    await run(session, 'sleep 60'); // has timed out
    assert.equal((await status(session, id)).state, 'running');
  },
  'start.label': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60', { label: 'dev server' });
    assert.equal((await status(session, id)).label, 'dev server');
  },
  'status.schema': async (bench) => {
    const { description, schema, of } = await properties(bench, 'bg_status');
    assert.equal(description, 'Check the status of one or all background processes. Returns '
      + 'state, PID, runtime, exit code.');
    assert.deepEqual(Object.keys(schema.properties), ['id']);
    assert.deepEqual(schema.required ?? [], []);
    assert.equal(of('id').type, 'string');
    assert.equal(of('id').description, 'Process ID from bg_start. Omit to list all processes.');
  },
  'status.fields': async (bench) => {
    const session = await bench.session(BG);
    const info = await run(session, 'exit 3');
    assert.equal(info.state, 'failed');
    assert.equal(info.exit_code, 3);
    assert.equal(typeof info.pid, 'number');
    assert.equal(typeof info.runtime_ms, 'number');
  },
  'status.one': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60');
    await start(session, 'sleep 60');
    const { processes } = await session.data('bg_status', { id });
    assert.deepEqual(processes.map((each) => each.id), [id]);
  },
  'status.all': async (bench) => {
    const session = await bench.session(BG);
    const ids = [await start(session, 'sleep 60'), await start(session, 'sleep 60')];
    const { processes } = await session.data('bg_status');
    assert.deepEqual(processes.map((each) => each.id), ids);
  },
  'output.schema': async (bench) => {
    const { description, schema, of } = await properties(bench, 'bg_output');
    assert.equal(description, 'Get stdout/stderr from a background process. Defaults to new '
      + 'output since last read.');
    assert.deepEqual(schema.required, ['id']);
    assert.equal(of('id').description, 'Process ID from bg_start');
    assert.equal(of('lines').type, 'number');
    assert.equal(of('lines').description,
      'Number of lines to return from the end (default: 50)');
    // The values of the document come first; `merged` is one that Gibbous adds.
    assert.deepEqual(of('stream').enum, ['stdout', 'stderr', 'both', 'merged']);
    assert.equal(of('stream').description, 'Which output stream (default: both)');
    assert.equal(of('since_last_read').type, 'boolean');
    assert.equal(of('since_last_read').description,
      'Only return output since last bg_output call (default: true)');
  },
  'output.new': second_read_is_new,
  'output.lines': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'seq 1 100');
    const fifty = await all_output(session, id);
    assert.equal(fifty.stdout.trim().split('\n').length, 50);
    assert.equal((await all_output(session, id, { lines: 2 })).stdout, '99\n100\n');
  },
  'output.skipped': skipped_is_there,
  'output.lines_new': last_of_new,
  'output.stream': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo out; echo err >&2');
    const out = await all_output(session, id, { stream: 'stdout' });
    assert.equal(out.stdout, 'out\n');
    assert.equal(out.stderr, undefined);
    const err = await all_output(session, id, { stream: 'stderr' });
    assert.equal(err.stderr, 'err\n');
    assert.equal(err.stdout, undefined);
    const both = await all_output(session, id);
    assert.deepEqual([both.stdout, both.stderr], ['out\n', 'err\n']);
  },
  'output.since': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo once');
    assert.equal((await session.data('bg_output', { id })).stdout, 'once\n');
    assert.equal((await session.data('bg_output', { id })).stdout, '');
    assert.equal((await all_output(session, id)).stdout, 'once\n');
  },
  'kill.schema': async (bench) => {
    const { description, schema, of } = await properties(bench, 'bg_kill');
    assert.equal(description, 'Terminate a background process. Sends SIGTERM, then SIGKILL after '
      + '5s if still running.');
    assert.deepEqual(schema.required, ['id']);
    assert.equal(of('id').description, 'Process ID to kill');
    assert.deepEqual(of('signal').enum, ['SIGTERM', 'SIGKILL', 'SIGINT']);
    assert.equal(of('signal').description, 'Signal to send (default: SIGTERM)');
  },
  'kill.term': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'trap "echo got TERM; exit" TERM; echo up; while :; do sleep 0.1; done');
    await says(session, id, 'up');
    await session.call('bg_kill', { id });
    assert.match((await all_output(session, id)).stdout, /got TERM/);
  },
  'kill.grace': kill_grace,
  'kill.signals': async (bench) => {
    const session = await bench.session([...BG, 'wait']);
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT']) {
      const id = await start(session, 'exec sleep 60');
      await before(session, 30_000, () => session.call('bg_kill', { id, signal }));
      assert.equal((await status(session, id)).state, 'killed', signal);
    }
  },
  'kill.wrong_signal': async (bench) => {
    const session = await bench.session(BG);
    const error = await session.error('bg_kill', { id: 'nobody00', signal: 'SIGHUP' });
    assert.equal(error.code, 'invalid_arguments');
    assert.match(error.message, /signal/);
  },
  'config.concurrent': two_at_most,
  'config.concurrent_min': (bench) =>
    refused_config(bench, { max_concurrent: 0 }, 'max_concurrent'),
  'config.timeout': default_timeout_is_configured,
  'config.buffer': buffer_is_configured,
  'config.buffer_min': (bench) =>
    refused_config(bench, { max_buffer_bytes: 1023 }, 'max_buffer_bytes'),
  'config.session_end': async (bench) => {
    const session = await bench.session(BG, { config: { kill_on_session_end: false } });
    const { pid } = await session.data('bg_start', { command: 'sleep 60' });
    await session.end();
    assert.ok(is_alive(pid));
    const next = await bench.session(BG, { place: session.place });
    const adopted = await next.event('run_adopted');
    await next.call('bg_kill', { id: adopted.run });
    await all_gone([pid]);
  },
  'permission.start': (bench) => mode_decides(bench, 'default', { bg_start: 'needs_approval' }),
  'permission.status': (bench) => mode_decides(bench, 'default', { bg_status: 'allowed' }),
  'permission.output': (bench) => mode_decides(bench, 'default', { bg_output: 'allowed' }),
  'permission.kill': (bench) => mode_decides(bench, 'default', { bg_kill: 'needs_approval' }),
  'mode.auto': (bench) => mode_decides(bench, 'auto', { bg_start: 'allowed', bg_kill: 'allowed' }),
  'mode.plan': (bench) => mode_decides(bench, 'plan', { bg_start: 'denied', bg_kill: 'denied' }),
  'mode.dangerous': (bench) =>
    mode_decides(bench, 'dangerous', { bg_start: 'allowed', bg_kill: 'allowed' }),
  'mode.ci': (bench) => mode_decides(bench, 'ci', { bg_start: 'denied', bg_kill: 'denied' }),
  'buffer.lines': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo line one; echo line two');
    assert.equal((await all_output(session, id, { lines: 10 })).stdout, 'line one\nline two\n');
  },
  'buffer.last': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'printf "a\\nb\\nc\\nd\\ne\\n"');
    assert.equal((await all_output(session, id, { lines: 2 })).stdout, 'd\ne\n');
  },
  'buffer.evicts': buffer_is_configured,
  'buffer.total': async (bench) => {
    const session = await bench.session(BG, {
      config: { limits: { max_buffer_bytes: 1024, head_bytes: 0 } },
    });
    const { id } = await run(session, 'seq 1000 1999');
    const { stdout, gaps } = await session.data('bg_output', { id });
    assert.equal(stdout.length + gaps[0].to - gaps[0].from, 5000);
  },
  'buffer.since': second_read_is_new,
  'buffer.partial': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'printf "complete\\npartial"');
    assert.equal((await all_output(session, id)).stdout, 'complete\npartial');
  },
  'manager.handle': async (bench) => {
    const session = await bench.session(BG);
    const handle = await session.data('bg_start', { command: 'echo hello' });
    assert.match(handle.id, ID);
    assert.ok(handle.pid > 0);
  },
  'manager.completed': async (bench) => {
    const session = await bench.session(BG);
    const info = await run(session, 'echo done');
    assert.deepEqual([info.state, info.exit_code], ['completed', 0]);
  },
  'manager.stdout': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo hello');
    assert.equal((await session.data('bg_output', { id, lines: 10 })).stdout, 'hello\n');
  },
  'manager.stderr': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo err >&2');
    const { stderr } = await session.data('bg_output', { id, lines: 10, stream: 'stderr' });
    assert.equal(stderr, 'err\n');
  },
  'manager.limit': two_at_most,
  'manager.kill': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 30');
    assert.equal((await session.data('bg_kill', { id })).killed, true);
    assert.equal((await status(session, id)).state, 'killed');
  },
  'manager.unknown': async (bench) => {
    const session = await bench.session(BG);
    assert.match((await session.error('bg_status', { id: 'bogus' })).message, /not found/);
  },
  'manager.failed': async (bench) => {
    const session = await bench.session(BG);
    const info = await run(session, 'exit 9');
    assert.deepEqual([info.state, info.exit_code], ['failed', 9]);
  },
  'manager.signalled': async (bench) => {
    const session = await bench.session(BG);
    const { id, pid } = await session.data('bg_start', { command: 'exec sleep 60' });
    process.kill(pid, 'SIGTERM');
    await ended(session, id);
    assert.equal((await status(session, id)).state, 'killed');
  },
  'manager.shell': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'for i in 1 2; do echo $i; done | tac && echo $0');
    assert.match((await all_output(session, id)).stdout, /^2\n1\n.*sh\n$/);
  },
  'manager.cwd': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'pwd');
    const workspace = await realpath(session.place.workspace);
    assert.equal((await all_output(session, id)).stdout, `${workspace}\n`);
  },
  'manager.stdin': async (bench) => {
    const session = await bench.session(BG);
    assert.equal((await run(session, 'cat')).state, 'completed');
  },
  'manager.frees': async (bench) => {
    const session = await bench.session(BG, { config: { limits: { max_concurrent: 1 } } });
    await run(session, 'true');
    assert.equal((await run(session, 'true')).state, 'completed');
  },
  'read.since': second_read_is_new,
  'read.tail': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'seq 1 20');
    const lines = (await all_output(session, id, { lines: 5 })).stdout.trim().split('\n');
    assert.deepEqual(lines, ['16', '17', '18', '19', '20']);
  },
  'kill.escalates': kill_grace,
  'kill.all': async (bench) => {
    const session = await bench.session(BG);
    const pids = await pids_of(session, 2);
    await session.end();
    await all_gone(pids);
  },
  'timeout.state': default_timeout_is_configured,
  'format.start': async (bench) => {
    const session = await bench.session(BG);
    const text = await session.text('bg_start', { command: 'echo "x y"' });
    assert.match(text, /^Process started: id=[A-Za-z0-9]{8} pid=\d+ cmd="echo "x y""$/);
  },
  'format.status': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60');
    const text = await session.text('bg_status', { id });
    assert.match(text, new RegExp(
      `^id=${id} state=running pid=\\d+ runtime=\\d+\\.\\ds cmd="sleep 60"`));
  },
  'format.output': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo line1; echo line2; echo warning: x >&2');
    const text = await session.text('bg_output', { id });
    assert.equal(text, '[stdout]\nline1\nline2\n[stderr]\nwarning: x\n');
  },
  'format.kill': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60');
    const text = await session.text('bg_kill', { id });
    assert.match(text, new RegExp(`^Process ${id} killed \\(was running for \\d+\\.\\ds\\)$`));
  },
  'tool.started': async (bench) => {
    const session = await bench.session(BG);
    const text = await session.text('bg_start', { command: 'echo bg-test' });
    assert.match(text, /Process started/);
    assert.match(text, /id[:=\s]+[a-zA-Z0-9]{8}/);
  },
  'tool.running': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60');
    assert.match(await session.text('bg_status', { id }), /running/);
  },
  'tool.labels': async (bench) => {
    const session = await bench.session(BG);
    await start(session, 'sleep 60', { label: 'first' });
    await start(session, 'sleep 60', { label: 'second' });
    const text = await session.text('bg_status', {});
    assert.match(text, /first/);
    assert.match(text, /second/);
  },
  'end.term': async (bench) => {
    const session = await bench.session(BG);
    const trap = 'trap ": > $N; exit" TERM; echo up; while :; do sleep 0.05; done';
    for (const name of ['one', 'two']) {
      const id = await start(session, `N=${name}; ${trap}`);
      await says(session, id, 'up');
    }
    await session.end();
    const { stdout } = await until('both were told', async () => {
      const listed = await program('ls', [session.place.workspace]);
      return /one\s+two/.test(listed.stdout) && listed;
    });
    assert.match(stdout, /one/);
  },
  'end.kill': async (bench) => {
    const session = await bench.session(BG);
    const id = await stubborn(session);
    const { pid } = await status(session, id);
    const other = await bench.session(['wait']);
    await other.call('wait_for', { timer_ms: 1 }); // it has started then
    const ending = Date.now();
    await before(other, 30_000, async () => {
      await session.end();
      await all_gone([pid]);
    });
    at_least(Date.now() - ending, 2800);
  },
  'end.sigint': async (bench) => {
    const session = await bench.session(BG);
    const pids = await pids_of(session, 2);
    await session.signal('SIGINT');
    await all_gone(pids);
  },
  'end.crash': async (bench) => {
    const session = await bench.session(BG);
    const pids = await pids_of(session, 2);
    await session.signal('SIGKILL');
    await all_gone(pids);
  },
  'plan.observe': async (bench) => {
    const session = await bench.session(BG, { config: { kill_on_session_end: false } });
    const id = await start(session, 'echo seen; sleep 60');
    await says(session, id, 'seen');
    await session.end();
    const planner = await bench.session(BG, { place: session.place, mode: 'plan' });
    await planner.event('run_adopted', id);
    assert.equal((await status(planner, id)).state, 'running');
    assert.equal((await planner.answer('bg_output', { id })).error, undefined);
    assert.equal((await planner.error('bg_kill', { id })).code, 'denied');
    process.kill((await status(planner, id)).pid, 'SIGKILL');
    await ended(planner, id);
  },
  'ci.all': (bench) => mode_decides(bench, 'ci', {
    bg_start: 'denied', bg_status: 'denied', bg_output: 'denied', bg_kill: 'denied',
  }),
  'limit.concurrent': async (bench) => {
    await five_at_most(bench);
    await two_at_most(bench);
  },
  'limit.timeout': default_timeout_is_configured,
  'limit.buffer': megabyte_is_kept,
  'limit.kill_grace': kill_grace,
  'limit.timeout_grace': timeout_grace,
  'edge.flood': flood,
  'edge.hangs': kill_grace,
  'edge.outlives': timeout_grace,
  'edge.completed': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'echo still here');
    assert.equal((await session.data('bg_output', { id })).stdout, 'still here\n');
  },
  'edge.dead': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'true');
    assert.equal((await session.data('bg_kill', { id })).killed, false);
  },
  'edge.full': five_at_most,
  'edge.invalid': async (bench) => {
    const session = await bench.session(BG);
    const error = await session.error('bg_status', { id: 'invalid' });
    assert.equal(error.code, 'run_not_found');
    assert.match(error.message, /Process "invalid" not found/);
  },
  'edge.children': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'setsid sleep 60 & echo $!; wait');
    await says(session, id, '\n');
    const child = Number((await all_output(session, id)).stdout);
    await session.call('bg_kill', { id });
    await all_gone([child]);
  },
  'edge.binary': async (bench) => {
    const session = await bench.session(BG);
    const { id } = await run(session, 'head -c 10000 /dev/urandom; printf "\\377\\000\\376"');
    assert.equal(typeof (await all_output(session, id)).stdout, 'string');
    assert.equal((await status(session, id)).state, 'completed');
  },
  'edge.zero': async (bench) => {
    const session = await bench.session(BG, { config: { limits: { default_timeout_ms: 100 } } });
    const id = await start(session, 'sleep 60', { timeout: 0 });
    // The default limit ends what was started later, and would have ended this before it.
    assert.equal((await run(session, 'sleep 60')).state, 'timeout');
    assert.equal((await status(session, id)).state, 'running');
    assert.equal((await session.data('bg_kill', { id })).killed, true);
  },
  'edge.rapid': async (bench) => {
    const session = await bench.session(BG);
    const id = await start(session, 'sleep 60');
    for (let i = 0; i < 50; ++i) {
      const { stdout, stderr } = await session.data('bg_output', { id });
      assert.deepEqual([stdout, stderr], ['', '']);
    }
  },
};
