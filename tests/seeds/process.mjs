// What shows the rows of process.rows.
import assert from 'node:assert/strict';
import { appendFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { before } from '../support/before.mjs';
import { schema_of } from './look.mjs';
import { is_alive, until } from './session.mjs';

const PROCESS = ['process'];
const UNTIL_GO = 'until [ -e go ]; do sleep 0.02; done';
const ID = /^[A-Za-z0-9]{8}$/;

const act = (session, action, more = {}) => session.data('process', { action, ...more });
const start = async (session, command) => (await act(session, 'start', { command })).pid;
const status = async (session, pid) => (await act(session, 'status', { pid })).process;
const go = (session) => writeFile(path.join(session.place.workspace, 'go'), '');

async function run(session, command) {
  const pid = await start(session, command);
  await session.event('run_ended', pid);
  return pid;
}

const says = (session, pid, text) => until(`${text} of ${pid}`, async () =>
  (await act(session, 'output', { pid })).stdout.includes(text));

async function denied(bench, command, rule) {
  const session = await bench.session(PROCESS);
  const error = await session.error('process', { action: 'start', command });
  assert.equal(error.code, 'denied');
  assert.match(error.message, rule);
}

async function cleaned_up(bench, config) {
  const session = await bench.session(PROCESS, { config });
  const pid = await start(session, 'sleep 60 & wait');
  const { os_pid } = await status(session, pid);
  await session.end();
  await until('the process is gone', () => !is_alive(os_pid));
}

export const tests = {
  'tool.schema': async (bench) => {
    const { tools, description, schema } = await schema_of(bench, 'process', 'process');
    assert.deepEqual(tools, ['process']);
    assert.equal(description, 'Start, check, or stop background shell processes');
    assert.deepEqual(schema.required, ['action']);
    const of = (name) => schema.properties[name];
    assert.deepEqual(Object.keys(schema.properties).sort(), ['action', 'command', 'pid', 'tail']);
    assert.equal(of('action').description, 'Action to perform');
    assert.equal(of('command').description, "Shell command to run (for 'start' action)");
    assert.equal(of('pid').description, 'Process ID (for status/output/stop actions)');
    assert.equal(of('tail').description,
      "Number of output lines to return (for 'output' action)");
    assert.equal(of('tail').type, 'integer');
    assert.equal(of('tail').default, 50);
  },
  'tool.actions': async (bench) => {
    const { schema } = await schema_of(bench, 'process', 'process');
    assert.deepEqual(schema.properties.action.enum,
      ['start', 'status', 'output', 'stop', 'list']);
  },
  'tool.pid': async (bench) => {
    const { schema } = await schema_of(bench, 'process', 'process');
    assert.equal(schema.properties.pid.type, 'string');
    const session = await bench.session(PROCESS);
    assert.match(await start(session, 'true'), ID);
  },
  'start.returns': async (bench) => {
    const session = await bench.session(PROCESS);
    const text = await session.text('process', { action: 'start', command: 'sleep 60' });
    assert.match(text, /Started process [A-Za-z0-9]{8}/);
  },
  'start.command': async (bench) => {
    const session = await bench.session(PROCESS);
    const error = await session.error('process', { action: 'start' });
    assert.match(error.message, /args\.command/);
  },
  'start.long': async (bench) => {
    const session = await bench.session(PROCESS, {
      config: { limits: { default_timeout_ms: 200 } },
    });
    const pid = await start(session, UNTIL_GO);
    await session.event('run_started', pid);
    await until('longer than the default limit', async () =>
      (await status(session, pid)).runtime_ms > 600);
    assert.equal((await status(session, pid)).status, 'running');
    await go(session);
  },
  'status.running': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await start(session, 'sleep 60');
    const info = await status(session, pid);
    assert.equal(info.status, 'running');
    assert.equal(typeof info.runtime_ms, 'number');
    assert.match(await session.text('process', { action: 'status', pid }), /running/);
  },
  'status.exited': async (bench) => {
    const session = await bench.session(PROCESS);
    const info = await status(session, await run(session, 'exit 3'));
    assert.deepEqual([info.status, info.exit_code], ['exited', 3]);
  },
  'output.tail': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await run(session, 'seq 1 100');
    assert.equal((await act(session, 'output', { pid, tail: 2 })).stdout, '99\n100\n');
  },
  'output.default': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await run(session, 'seq 1 100');
    const { stdout } = await act(session, 'output', { pid });
    assert.equal(stdout.trim().split('\n').length, 50);
  },
  'output.streams': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await run(session, 'echo out; echo err >&2');
    const { stdout, stderr } = await act(session, 'output', { pid });
    assert.deepEqual([stdout, stderr], ['out\n', 'err\n']);
  },
  'output.files': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await run(session, 'echo out; echo err >&2');
    const { output_path } = await status(session, pid);
    assert.ok(output_path.startsWith(session.place.temp), output_path);
    assert.ok(output_path.includes(pid));
    await until('both lines', async () => (await stat(output_path).catch(() => ({}))).size === 8);
  },
  'stop.running': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await start(session, 'sleep 60');
    assert.equal((await act(session, 'stop', { pid })).stopped, true);
    assert.equal((await status(session, pid)).status, 'exited');
  },
  'stop.term': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await start(session,
      'trap "echo got TERM; exit" TERM; echo up; while :; do sleep 0.05; done');
    await says(session, pid, 'up');
    await act(session, 'stop', { pid });
    await says(session, pid, 'got TERM');
  },
  'stop.kill': async (bench) => {
    const session = await bench.session([...PROCESS, 'wait']);
    const pid = await start(session, 'trap "" TERM; echo up; while :; do sleep 0.05; done');
    await says(session, pid, 'up');
    const started = Date.now();
    await before(session, 30_000, () => act(session, 'stop', { pid }));
    const took = Date.now() - started;
    assert.ok(took >= 1900, `${took} ms`);
    const info = await status(session, pid);
    assert.deepEqual([info.status, info.reason],
      ['exited', 'killed with SIGKILL, after SIGTERM']);
  },
  'stop.twice': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await run(session, 'true');
    assert.equal((await act(session, 'stop', { pid })).stopped, false);
  },
  'list.all': async (bench) => {
    const session = await bench.session(PROCESS);
    const ended = await run(session, 'true');
    const running = await start(session, 'sleep 60');
    const { processes } = await act(session, 'list');
    assert.deepEqual(processes.map((each) => [each.pid, each.status]),
      [[ended, 'exited'], [running, 'running']]);
  },
  'needs.pid': async (bench) => {
    const session = await bench.session(PROCESS);
    for (const action of ['status', 'output', 'stop']) {
      assert.match((await session.error('process', { action })).message, /args\.pid/);
    }
  },
  'unknown.pid': async (bench) => {
    const session = await bench.session(PROCESS);
    const error = await session.error('process', { action: 'status', pid: 'bogus' });
    assert.equal(error.code, 'run_not_found');
    assert.match(error.message, /bogus/);
  },
  'limit.five': async (bench) => {
    const session = await bench.session(PROCESS, { config: { limits: { max_concurrent: 20 } } });
    for (let i = 0; i < 5; ++i) await start(session, 'sleep 60');
    const error = await session.error('process', { action: 'start', command: 'sleep 60' });
    assert.equal(error.code, 'too_many_runs');
    assert.match(error.message, /\(5\)/);
  },
  'limit.configurable': async (bench) => {
    const session = await bench.session(PROCESS, {
      config: { settings: { process: { max_concurrent: 1 } } },
    });
    await start(session, 'sleep 60');
    const error = await session.error('process', { action: 'start', command: 'sleep 60' });
    assert.match(error.message, /\(1\)/);
  },
  'limit.frees': async (bench) => {
    const session = await bench.session(PROCESS, {
      config: { settings: { process: { max_concurrent: 1 } } },
    });
    const pid = await start(session, 'sleep 60');
    await act(session, 'stop', { pid });
    assert.match(await start(session, 'true'), ID);
  },
  'safety.deny_rm': (bench) => denied(bench, 'rm -rf /', /remov/i),
  'safety.deny_dd': (bench) => denied(bench, 'dd if=/dev/zero of=/dev/sda', /disk|device/i),
  'safety.deny_shutdown': (bench) => denied(bench, 'shutdown -h now', /machine|shut/i),
  'safety.workspace': async (bench) => {
    const session = await bench.session(PROCESS);
    const error = await session.error('process', {
      action: 'start', command: 'echo x > /opt/gibbous-seed-outside',
    });
    assert.ok(['denied', 'needs_approval'].includes(error.code), error.code);
    assert.match(error.message, /workspace/);
  },
  'safety.sandbox': async (bench) => {
    const session = await bench.session(PROCESS, {
      config: { sandbox: { profile: 'workspace' } },
    });
    await writeFile(path.join(session.place.workspace, 'touch.sh'),
      'touch inside; touch /var/gibbous-seed-outside');
    const pid = await run(session, 'sh touch.sh');
    assert.notEqual((await status(session, pid)).exit_code, 0);
    await stat(path.join(session.place.workspace, 'inside'));
    await assert.rejects(stat('/var/gibbous-seed-outside'));
  },
  'safety.cleanup': (bench) => cleaned_up(bench, {}),
  'safety.cleanup_kept': (bench) => cleaned_up(bench, { kill_on_session_end: false }),
  'safety.cap': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await run(session, 'yes x | head -n 1500000');
    const { output_path } = await status(session, pid);
    await until('the file is full', async () => (await stat(output_path)).size > 1000000);
    assert.ok((await stat(output_path)).size <= 1048576);
    assert.equal((await act(session, 'output', { pid, tail: 1 })).stdout, 'x\n');
  },
  'test.sleep': async (bench) => {
    const session = await bench.session(PROCESS);
    const pid = await start(session, 'sleep 10');
    assert.equal((await status(session, pid)).status, 'running');
    await act(session, 'stop', { pid });
    assert.equal((await status(session, pid)).status, 'exited');
  },
  'case.monitor': async (bench) => {
    const session = await bench.session(PROCESS);
    const log = path.join(session.place.workspace, 'service.log');
    await writeFile(log, 'first\n');
    const pid = await start(session, 'tail -f service.log');
    await says(session, pid, 'first');
    await appendFile(log, 'second\n');
    await says(session, pid, 'second');
  },
  'case.health': async (bench) => {
    const session = await bench.session(PROCESS);
    const write = (name, text) => writeFile(path.join(session.place.workspace, name), text);
    await write('service.py', 'import http.server as h, sys\n'
      + 'class Health(h.BaseHTTPRequestHandler):\n'
      + '  def do_GET(self): self.send_response(200); self.end_headers(); self.wfile.write(b"healthy")\n'
      + 's = h.HTTPServer(("127.0.0.1", 0), Health); print("port", s.server_port, "is open", flush=True)\n'
      + 's.serve_forever()\n');
    const service = await start(session, 'python3 service.py');
    await says(session, service, 'is open');
    const [, port] = (await act(session, 'output', { pid: service })).stdout.match(/port (\d+)/);
    await write('health.py',
      `import urllib.request as u; print(u.urlopen('http://127.0.0.1:${port}/api/health').read())`);
    const pid = await run(session, 'python3 health.py');
    assert.match((await act(session, 'output', { pid })).stdout, /healthy/);
  },
};
