// What shows the rows of background.rows.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

import { before } from '../support/before.mjs';
import { bytes_of_list, schema_of } from './look.mjs';
import { is_alive, until } from './session.mjs';

const BACKGROUND = ['background'];
const UNTIL_GO = 'until [ -e go ]; do sleep 0.02; done';
const MAX_LIST_BYTES = 7900;
const ID = /^[A-Za-z0-9]{8}$/;

const start = async (session, cmd, more = {}) =>
  (await session.data('run_background', { cmd, ...more })).process_id;
const listed = async (session, id) => {
  const { processes } = await session.data('list_processes');
  return processes.find((each) => each.id === id);
};
const read = (session, id, more = {}) => session.data('read_process_output', { id, ...more });
const go = (session) => writeFile(path.join(session.place.workspace, 'go'), '');
const says = (session, id, text) => until(`${text} of ${id}`, async () =>
  (await read(session, id)).stdout.includes(text));
const gone = (pids) => until('the processes are gone', () => pids.every((pid) => !is_alive(pid)));

/** A free port. */
async function free_port() {
  const probe = createServer().listen(0, '127.0.0.1');
  await until('a free port', () => probe.listening);
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const serve = (port) => `python3 -u -m http.server ${port} --bind 127.0.0.1`;

async function ended(session, id) {
  await session.event('run_ended', id);
  return listed(session, id);
}

async function sleepers(session, count) {
  const pids = [];
  for (let i = 0; i < count; ++i) {
    const info = await session.data('run_background', { cmd: 'sleep 60 & echo $!; wait' });
    await says(session, info.id, '\n');
    pids.push(info.pid, Number((await read(session, info.id)).stdout));
  }
  return pids;
}

const COMMANDS = { settings: { background: { test_command: 'echo tests', build_command: 'echo built' } } };

async function in_foreground(bench, tool, output) {
  const session = await bench.session(BACKGROUND, { config: COMMANDS });
  const data = await session.data(tool, {});
  assert.deepEqual([data.status, data.exit_code, data.stdout], ['completed', 0, output]);
  assert.equal(data.job_id, undefined);
}

async function in_background(bench, tool) {
  const session = await bench.session(BACKGROUND);
  const { job_id, status } = await session.data(tool, { command: UNTIL_GO, background: true });
  assert.match(job_id, ID);
  assert.equal(status, 'running');
  await go(session);
  assert.equal((await ended(session, job_id)).state, 'completed');
}

async function limit(bench, config, count) {
  const session = await bench.session(BACKGROUND, { config });
  for (let i = 0; i < count; ++i) await start(session, 'sleep 60');
  for (const [tool, args] of [['run_background', { cmd: 'sleep 60' }],
    ['run_test', { command: 'sleep 60', background: true }]]) {
    const error = await session.error(tool, args);
    assert.equal(error.code, 'too_many_runs');
    assert.ok(error.message.includes(`(${count})`), error.message);
  }
}

/** A session whose runs an executor of a script executes. */
async function with_executor(bench, name) {
  const place = await bench.place();
  await writeFile(path.join(place.root, 'init.lua'), `
    local function executor(name, maps)
      return { name = name, prepare = function(spec)
        return { argv = { '/bin/sh', '-c', spec.command }, maps_ports = maps }
      end }
    end
    return {
      toolsets = { require 'toolsets.background' },
      executors = { executor('mapping', true), executor('far', false) },
    }`);
  const config = { scripts: place.root, executor: name };
  return bench.session(BACKGROUND, { place, config, mode: 'dangerous' });
}

async function ends_with(bench, end, config) {
  const session = await bench.session(BACKGROUND, { config });
  const pids = await sleepers(session, 2);
  await end(session);
  await gone(pids);
}

export const tests = {
  'tools.all': async (bench) => {
    const { tools } = await schema_of(bench, 'background');
    assert.deepEqual(tools.sort(), ['list_processes', 'read_process_output', 'run_background',
      'run_build', 'run_cmd', 'run_test', 'stop_process', 'wait_for_port', 'wait_for_service']);
  },
  'tools.small': async (bench) => {
    const toolsets = ['background', 'bg', 'process', 'safe_shell', 'services', 'shell', 'wait'];
    for (const toolset of toolsets) {
      const bytes = await bytes_of_list(bench, toolset);
      assert.ok(bytes <= MAX_LIST_BYTES, `${toolset}: ${bytes} bytes`);
    }
  },
  'start.returns': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const data = await session.data('run_background', { cmd: 'sleep 60' });
    assert.match(data.process_id, ID);
    assert.ok(is_alive(data.pid));
  },
  'start.args': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'printf', { args: ['%s|', '$HOME', 'a b'] });
    await ended(session, id);
    assert.equal((await read(session, id)).stdout, '$HOME|a b|');
  },
  'start.cwd': async (bench) => {
    const session = await bench.session(BACKGROUND);
    await session.data('run_cmd', { cmd: 'mkdir sub' });
    const id = await start(session, 'pwd', { cwd: 'sub' });
    await ended(session, id);
    assert.match((await read(session, id)).stdout, /\/sub\n$/);
  },
  'start.ports': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const [port, other] = [await free_port(), await free_port()];
    const started = (ports) => session.call('run_background', { cmd: 'true', ports });
    const { data, text } = await started([`${port}`, `${port}`]);
    assert.deepEqual(data.ports, [{ port, host: port }]); // of this machine: where it listens
    assert.ok(text.endsWith(`Ports: ${port} is port ${port} of this machine`), text);
    const mapped = await started([`${other}:${port}`]);
    assert.deepEqual(mapped.data.ports, [{ port, host: port, wanted: other }]);
    assert.ok(mapped.text.includes(`, not ${other}: only a container maps ports`), mapped.text);
  },
  'start.ports_wrong': async (bench) => {
    const session = await bench.session(BACKGROUND);
    for (const wrong of ['abc', '0', '70000', '', '3000/tcp', '8080:', '99999:1', '1:2:3']) {
      const error = await session.error('run_background', { cmd: 'true', ports: ['3000', wrong] });
      assert.equal(error.code, 'invalid_arguments');
      assert.ok(error.message.startsWith('args.ports[1]: '), error.message);
    }
    const error = await session.error('run_background', { cmd: 'true', ports: ['80', '8080:80'] });
    assert.match(error.message, /^args\.ports\[1\]: port 80 is there already/);
  },
  'start.ports_taken': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const server = createServer().listen(0, '127.0.0.1');
    try {
      await until('it listens', () => server.listening);
      const { port } = server.address();
      const { text, data } = await session.call('run_background',
        { cmd: 'true', ports: [`${port}`] });
      assert.match(text, /taken: .* listens on it already/);
      assert.equal(data.ports[0].taken, true);
    } finally {
      server.close();
    }
  },
  'stop.one': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const [first, second] = [await start(session, 'sleep 60'), await start(session, 'sleep 60')];
    const { stopped } = await session.data('stop_process', { process_id: first });
    assert.equal(stopped, true);
    assert.equal((await listed(session, first)).state, 'killed');
    assert.equal((await listed(session, second)).state, 'running');
  },
  'list.active': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'sleep 60');
    assert.equal((await listed(session, id)).state, 'running');
    assert.match(await session.text('list_processes'), new RegExp(`id=${id} state=running`));
  },
  'list.exit_codes': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const info = await ended(session, await start(session, 'exit 5'));
    assert.deepEqual([info.state, info.exit_code], ['failed', 5]);
  },
  'list.usage': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'sleep 60');
    // The kernel counts the memory of a program that has just begun with a delay.
    await until('its memory is counted', async () => {
      const { usage } = await listed(session, id);
      assert.equal(typeof usage.cpu_percent, 'number');
      return usage.rss_bytes > 0;
    });
  },
  'read.lines': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'seq 1 100');
    await ended(session, id);
    assert.equal((await read(session, id)).stdout.trim().split('\n').length, 50);
  },
  'read.lines_given': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'seq 1 100');
    await ended(session, id);
    assert.equal((await read(session, id, { lines: 2 })).stdout, '99\n100\n');
  },
  'port.waits': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const port = await free_port();
    await start(session, `${UNTIL_GO}; exec ${serve(port)}`);
    const waiting = session.data('wait_for_port', { port, timeout: 20 });
    await go(session);
    assert.equal((await waiting).port, port);
  },
  'port.timeout': async (bench) => {
    const session = await bench.session(BACKGROUND);
    await start(session, 'sleep 60');
    const error = await session.error('wait_for_port', { port: await free_port(), timeout: 0.3 });
    assert.equal(error.code, 'timeout');
  },
  'port.crash': async (bench) => {
    const session = await bench.session([...BACKGROUND, 'wait']);
    await start(session, `${UNTIL_GO}; echo address in use; exit 1`);
    const waiting = session.error('wait_for_port', { port: await free_port(), timeout: 60 });
    await session.data('run_cmd', { cmd: 'touch go' }); // calls begin in order: after the wait
    const error = await before(session, 30_000, () => waiting);
    assert.equal(error.code, 'cannot_happen');
    assert.match(error.message, /exit code 1[^]*address in use/);
    assert.ok(!JSON.stringify(error.data ?? {}).includes('address in use')); // it is in the text
  },
  'port.unrelated': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const port = await free_port();
    const outside = async (ending, timeout) => {
      const job = await start(session, `${UNTIL_GO}; ${ending}`);
      const waiting = session.error('wait_for_port', { port, timeout });
      await session.data('run_cmd', { cmd: 'touch go' }); // calls begin in order: after the wait
      await ended(session, job);
      await session.data('run_cmd', { cmd: 'rm go' });
      return (await waiting).code;
    };
    assert.equal(await outside('exit 0', 1), 'timeout'); // it may come from outside
    const server = await start(session, 'sleep 60');
    assert.equal(await outside('exit 3', 1), 'timeout'); // the server brings it
    await session.data('stop_process', { process_id: server });
    assert.equal(await outside('exit 3', 60), 'cannot_happen');
  },
  'port.mapped': async (bench) => {
    const session = await with_executor(bench, 'mapping');
    const port = await free_port();
    const server = createServer().listen(0, '127.0.0.1'); // a stranger
    try {
      await until('it listens', () => server.listening);
      const wanted = server.address().port;
      const { id, ports: [mapping] } = await session.data('run_background',
        { cmd: 'sleep 60', ports: [`${wanted}:${port}`] });
      assert.equal(mapping.port, port);
      assert.notEqual(mapping.host, wanted);
      const error = await session.error('wait_for_port', { port: wanted, id, timeout: 5 });
      assert.equal(error.code, 'invalid_arguments');
      assert.ok(error.message.includes(`it has ${port} (mapped from ${mapping.host})`));
      for (const own of [port, mapping.host]) {
        const late = await session.error('wait_for_port', { port: own, id, timeout: 0.1 });
        assert.equal(late.code, 'timeout');
      }
    } finally {
      server.close();
    }
    const far = await with_executor(bench, 'far');
    const { data, text } = await far.call('run_background', { cmd: 'sleep 60', ports: ['3000'] });
    assert.equal(data.ports, undefined);
    assert.match(text, /the executor far maps none/);
  },
  'service.port': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const port = await free_port();
    await start(session, serve(port));
    assert.equal((await session.data('wait_for_service', { port })).port, port);
  },
  'service.regex': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'echo starting; echo Ready on 1234; sleep 60');
    const data = await session.data('wait_for_service', { output_regex: 'Ready on' });
    assert.deepEqual([data.id, data.line], [id, 'Ready on 1234']);
  },
  'service.before': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'echo Ready on 1234');
    await ended(session, id);
    const { line } = await session.data('wait_for_service', { output_regex: 'Ready on' });
    assert.equal(line, 'Ready on 1234');
    const error = await session.error('wait_for_service', { output_regex: 'never' });
    assert.equal(error.code, 'cannot_happen');
    await start(session, 'sleep 60');
    const again = await session.data('wait_for_service', { output_regex: 'Ready on' });
    assert.equal(again.id, id);
  },
  'service.both': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const port = await free_port();
    await start(session, `echo Ready on ${port}; ${UNTIL_GO}; exec ${serve(port)}`);
    const args = { port, output_regex: 'Ready on' };
    const error = await session.error('wait_for_service', { ...args, timeout: 0.5 });
    assert.equal(error.code, 'timeout');
    await go(session);
    const data = await session.data('wait_for_service', args);
    assert.deepEqual([data.port, data.line], [port, `Ready on ${port}`]);
  },
  'service.efficient': async (bench) => {
    const session = await bench.session(BACKGROUND);
    await start(session, 'sleep 60');
    const ticks = async () => {
      const fields = (await readFile(`/proc/${session.pid}/stat`, 'utf8')).split(') ')[1].split(' ');
      return Number(fields[11]) + Number(fields[12]);
    };
    const before = await ticks();
    await session.error('wait_for_service', { output_regex: 'never', timeout: 2 });
    const used_ms = (await ticks() - before) * 10;
    assert.ok(used_ms < 1000, `${used_ms} ms of processor time in 2 s`);
  },
  'service.wrong_regex': async (bench) => {
    const session = await bench.session(BACKGROUND);
    await start(session, 'sleep 60');
    const error = await session.error('wait_for_service', { output_regex: '(' });
    assert.equal(error.code, 'invalid_arguments');
    assert.match(error.message, /args\.output_regex/);
    for (const [args, name] of [[{ output_regex: '' }, 'output_regex'], [{ http: '' }, 'http']]) {
      const empty = await session.error('wait_for_service', args);
      assert.equal(empty.code, 'invalid_arguments');
      assert.ok(empty.message.startsWith(`args.${name}: `), empty.message);
    }
  },
  'events.crash': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const { process_id } = await session.data('run_background', { cmd: 'exit 9' },
      { session: 'mine' });
    await session.event('run_ended', process_id);
    const { backlog } = await session.call('list_processes', {},
      { session: 'mine', backlog: true });
    const crash = backlog.find((event) => event.run === process_id && event.event === 'run_ended');
    assert.deepEqual([crash.state, crash.exit_code], ['failed', 9]);
  },
  'test.background': (bench) => in_background(bench, 'run_test'),
  'test.foreground': (bench) => in_foreground(bench, 'run_test', 'tests\n'),
  'build.background': (bench) => in_background(bench, 'run_build'),
  'build.foreground': (bench) => in_foreground(bench, 'run_build', 'built\n'),
  'job.tracked': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const { job_id } = await session.data('run_test',
      { command: 'echo testing; sleep 60', background: true });
    assert.equal((await listed(session, job_id)).state, 'running');
    await says(session, job_id, 'testing');
    const { stopped } = await session.data('stop_process', { process_id: job_id });
    assert.equal(stopped, true);
  },
  'command.configured': async (bench) => {
    await in_foreground(bench, 'run_test', 'tests\n');
    await in_foreground(bench, 'run_build', 'built\n');
  },
  'cmd.synchronous': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const data = await session.data('run_cmd', { cmd: 'sleep 0.2; echo done; exit 2' });
    assert.deepEqual([data.stdout, data.exit_code], ['done\n', 2]);
  },
  'limit.three': (bench) => limit(bench, { limits: { max_concurrent: 20 } }, 3),
  'limit.configurable': (bench) =>
    limit(bench, { settings: { background: { max_concurrent: 1 } } }, 1),
  'limit.resources': async (bench) => {
    const session = await bench.session(BACKGROUND, {
      config: { limits: { run: { memory_bytes: 64 << 20 } } }, mode: 'dangerous',
    });
    const id = await start(session, 'python3 -c "x = bytearray(300 << 20); print(len(x))"');
    const info = await ended(session, id);
    assert.deepEqual([info.state, info.limit?.name], ['killed', 'memory']);
  },
  'cleanup.end': (bench) => ends_with(bench, (session) => session.end()),
  'cleanup.kill': (bench) => ends_with(bench, (session) => session.signal('SIGKILL')),
  'cleanup.not_persisted': (bench) =>
    ends_with(bench, (session) => session.end(), { kill_on_session_end: false }),
  'cleanup.tree': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const id = await start(session, 'setsid sleep 60 & echo $!; wait');
    await says(session, id, '\n');
    const child = Number((await read(session, id)).stdout);
    await session.end();
    await gone([child]);
  },
  'stdin.closed': async (bench) => {
    const session = await bench.session(BACKGROUND);
    assert.equal((await ended(session, await start(session, 'cat'))).state, 'completed');
  },
  'multitask': async (bench) => {
    const session = await bench.session(BACKGROUND);
    const port = await free_port();
    await writeFile(path.join(session.place.workspace, 'page'), 'served');
    const id = await start(session, serve(port));
    await session.data('wait_for_port', { port, id });
    await writeFile(path.join(session.place.workspace, 'fetch.py'),
      `import urllib.request as u; print(u.urlopen('http://127.0.0.1:${port}/page').read())`);
    const { stdout } = await session.data('run_test', { command: 'python3 fetch.py' });
    assert.match(stdout, /served/);
    await until('the request in the log', async () =>
      (await read(session, id)).stderr.includes('GET /page'));
  },
};
