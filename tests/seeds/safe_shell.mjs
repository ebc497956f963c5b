// What shows the rows of safe_shell.rows.
import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';

import { before } from '../support/before.mjs';
import { schema_of } from './look.mjs';
import { is_alive, until } from './session.mjs';

const SAFE = ['safe_shell'];
const DESCRIPTIONS = {
  command: 'The binary to run. No shell metacharacters.',
  args: 'Arguments for the command.',
  input: 'Stdin data to feed to the process.',
  stdout_file: 'Path to write stdout to. Required for background tasks.',
  stderr_file: 'Path to write stderr to. If not provided, stderr is merged into stdout_file. '
    + "To discard stderr, use '/dev/null'.",
  background: 'If true, starts the process and returns immediately (PID returned). You must use '
    + 'stdout_file/stderr_file to capture output. (Default: false)',
  keep_alive: 'Duration in seconds. Blocking mode: process is Killed (SIGKILL) after this time. '
    + 'Background mode: acts as a timeout signal (SIGKILL) if process exceeds duration. '
    + 'Default: 5s.',
};

const shell = (session, args) => session.data('safe_shell', args);
// A program for tests: sh gets its line as an argument, from no shell.
const sh = (session, line, more = {}) =>
  shell(session, { command: 'sh', args: ['-c', line], ...more });

async function property(bench, name, type) {
  const { schema } = await schema_of(bench, 'safe_shell', 'safe_shell');
  assert.equal(schema.properties[name].type, type);
  assert.equal(schema.properties[name].description, DESCRIPTIONS[name]);
  return schema;
}

const holds = (file, text) => until(`${file} holds ${text}`, async () =>
  (await readFile(file, 'utf8').catch(() => '')) === text);

async function in_background(bench, files, line, more = {}) {
  const session = await bench.session([...SAFE, 'wait']);
  const paths = Object.fromEntries(Object.entries(files).map(([key, name]) =>
    [key, name.startsWith('/') ? name : path.join(session.place.temp, name)]));
  const data = await sh(session, line, { background: true, ...paths, ...more });
  return { session, data, paths };
}

async function refused(bench, args, field) {
  const session = await bench.session(SAFE);
  const error = await session.error('safe_shell', args);
  assert.equal(error.code, 'invalid_arguments');
  assert.match(error.message, field);
  return error;
}

export const tests = {
  'schema.name': async (bench) => {
    const { tools, description } = await schema_of(bench, 'safe_shell', 'safe_shell');
    assert.deepEqual(tools, ['safe_shell']);
    assert.equal(description, 'Execute a specific binary safely. Supports blocking (wait for '
      + 'completion) or background (start and detach) modes.');
  },
  'schema.command': async (bench) => {
    assert.deepEqual((await property(bench, 'command', 'string')).required, ['command']);
  },
  'schema.args': async (bench) => {
    const schema = await property(bench, 'args', 'array');
    assert.deepEqual(schema.properties.args.items, { type: 'string' });
  },
  'schema.input': (bench) => property(bench, 'input', 'string'),
  'schema.stdout_file': (bench) => property(bench, 'stdout_file', 'string'),
  'schema.stderr_file': (bench) => property(bench, 'stderr_file', 'string'),
  'schema.background': (bench) => property(bench, 'background', 'boolean'),
  'schema.keep_alive': async (bench) => {
    const schema = await property(bench, 'keep_alive', 'integer');
    assert.deepEqual(Object.keys(schema.properties).sort(), Object.keys(DESCRIPTIONS).sort());
    await refused(bench, { command: 'true', timeout: 5 }, /timeout/);
  },
  'direct.binary': async (bench) => {
    const session = await bench.session(SAFE, { mode: 'dangerous' });
    const data = await sh(session, 'cat /proc/$PPID/comm; echo $$');
    assert.equal(data.output, `gibbous-keeper\n${data.pid}\n`);
  },
  'direct.meta': async (bench) => {
    const session = await bench.session(SAFE);
    for (const command of ['', 'ls -l', 'ls;id', 'ls|cat', 'ls&', 'echo$HOME', 'a<b', 'a>b', 'a`b`',
      'a(b)', 'a*', "a'b", 'a"b', 'a\\b', 'a\nb']) {
      const error = await session.error('safe_shell', { command });
      assert.equal(error.code, 'invalid_arguments');
      assert.match(error.message, /args\.command.*No shell metacharacters/);
    }
  },
  'direct.args': async (bench) => {
    const session = await bench.session(SAFE);
    const args = ['$HOME', '`id`', '; id', '| cat', '> x', '*', 'a  b', '"', "'"];
    const { output } = await shell(session, { command: 'printf', args: ['%s\\n', ...args] });
    assert.deepEqual(output.trimEnd().split('\n'), args);
  },
  'direct.missing': async (bench) => {
    const session = await bench.session(SAFE);
    const error = await session.error('safe_shell', { command: 'no-such-binary-here' });
    assert.equal(error.code, 'start_failed');
    assert.match(error.message, /no-such-binary-here/);
  },
  'input.fed': async (bench) => {
    const session = await bench.session(SAFE);
    const { output } = await shell(session, { command: 'head', args: ['-n', '1'], input: 'one\ntwo\n' });
    assert.equal(output, 'one\n');
  },
  'input.end': async (bench) => {
    const session = await bench.session(SAFE);
    const data = await shell(session, { command: 'sort', input: 'b\na\n' });
    assert.deepEqual([data.output, data.exit_code], ['a\nb\n', 0]);
  },
  'input.open': async (bench) => {
    const session = await bench.session(SAFE);
    const data = await sh(session, 'echo up; read line && echo got || echo end', { keep_alive: 1 });
    assert.equal(data.output, 'up\n');
    assert.equal(data.state, 'timeout');
  },
  'interactive.wait': async (bench) => {
    const session = await bench.session(SAFE);
    const data = await sh(session, 'sleep 0.2; echo done', { background: false });
    assert.deepEqual([data.output, data.state], ['done\n', 'completed']);
  },
  'interactive.memory': async (bench) => {
    const session = await bench.session(SAFE);
    const data = await sh(session, 'echo out; echo err >&2; echo out again');
    assert.equal(data.output, 'out\nerr\nout again\n');
    assert.equal(data.stderr, undefined);
  },
  'interactive.files': async (bench) => {
    const session = await bench.session(SAFE);
    const data = await sh(session, 'echo out; echo err >&2', { stdout_file: 'logs/all.log' });
    assert.equal(data.output, 'out\nerr\n');
    const file = path.join(session.place.workspace, 'logs/all.log');
    assert.equal(await readFile(file, 'utf8'), 'out\nerr\n');
  },
  'interactive.stderr': async (bench) => {
    const session = await bench.session(SAFE);
    const data = await sh(session, 'echo out; echo err >&2', {
      stdout_file: 'out.log', stderr_file: 'err.log',
    });
    assert.deepEqual([data.output, data.stderr], ['out\n', 'err\n']);
    const read = (name) => readFile(path.join(session.place.workspace, name), 'utf8');
    assert.deepEqual([await read('out.log'), await read('err.log')], ['out\n', 'err\n']);
  },
  'interactive.exit': async (bench) => {
    const session = await bench.session(SAFE);
    assert.equal((await sh(session, 'exit 3')).exit_code, 3);
  },
  'daemon.explicit': async (bench) => {
    const { paths } = await in_background(bench,
      { stdout_file: 'out.log', stderr_file: 'err.log' }, 'echo out; echo err >&2');
    await holds(paths.stdout_file, 'out\n');
    await holds(paths.stderr_file, 'err\n');
  },
  'daemon.merged': async (bench) => {
    const { paths } = await in_background(bench, { stdout_file: 'all.log' },
      'echo out; echo err >&2');
    await holds(paths.stdout_file, 'out\nerr\n');
  },
  'daemon.discard': async (bench) => {
    const { paths, data } = await in_background(bench,
      { stdout_file: 'out.log', stderr_file: '/dev/null' }, 'echo err >&2; echo out');
    await holds(paths.stdout_file, 'out\n');
    assert.equal(data.stderr_path, '/dev/null');
  },
  'daemon.immediate': async (bench) => {
    const { data } = await in_background(bench, { stdout_file: 'out.log' }, 'sleep 60');
    assert.ok(is_alive(data.pid));
  },
  'daemon.format': async (bench) => {
    const session = await bench.session(SAFE);
    const [stdout_file, stderr_file] = ['out.log', 'err.log']
      .map((name) => path.join(session.place.temp, name));
    const { text, data } = await session.call('safe_shell', {
      command: 'sleep', args: ['60'], background: true, stdout_file, stderr_file,
    });
    assert.deepEqual(JSON.parse(text),
      { pid: data.pid, stdout_path: stdout_file, stderr_path: stderr_file });
    assert.deepEqual([data.stdout_path, data.stderr_path], [stdout_file, stderr_file]);
  },
  'daemon.required': (bench) =>
    refused(bench, { command: 'sleep', args: ['1'], background: true }, /args\.stdout_file/),
  'daemon.pid': async (bench) => {
    const { paths, data } = await in_background(bench, { stdout_file: 'out.log' }, 'echo $$');
    await holds(paths.stdout_file, `${data.pid}\n`);
  },
  'default.background': async (bench) => {
    const session = await bench.session(SAFE);
    assert.equal((await sh(session, 'echo waited')).output, 'waited\n');
  },
  'keep_alive.blocking': async (bench) => {
    const session = await bench.session(SAFE);
    const { data, text } = await session.call('safe_shell', {
      command: 'sh', args: ['-c', 'trap "" TERM; echo up; while :; do sleep 0.05; done'],
      keep_alive: 1,
    });
    assert.deepEqual([data.output, data.state], ['up\n', 'timeout']);
    assert.match(text, /SIGKILL/);
    assert.ok(!is_alive(data.pid));
  },
  'keep_alive.background': async (bench) => {
    const { session, data } = await in_background(bench, { stdout_file: 'out.log' },
      'trap "" TERM; while :; do sleep 0.05; done', { keep_alive: 1 });
    const { state } = await before(session, 30_000, () => session.event('run_ended', data.id));
    assert.equal(state, 'timeout');
    assert.ok(!is_alive(data.pid));
  },
  'keep_alive.tree': async (bench) => {
    const session = await bench.session(SAFE);
    const { output } = await sh(session, 'sleep 60 > /dev/null & echo $!', { keep_alive: 1 });
    await until('what it left behind is gone', () => !is_alive(Number(output)));
    const { data, paths } = await in_background(bench, { stdout_file: 'out.log' },
      'sleep 60 & echo $!; wait', { keep_alive: 1 });
    await until('the pid', async () =>
      (await readFile(paths.stdout_file, 'utf8').catch(() => '')).endsWith('\n'));
    const child = Number(await readFile(paths.stdout_file, 'utf8'));
    await until('both are gone', () => !is_alive(data.pid) && !is_alive(child));
  },
  'keep_alive.default': async (bench) => {
    const session = await bench.session([...SAFE, 'wait']);
    const started = Date.now();
    const data = await before(session, 30_000, () => shell(session, { command: 'sleep', args: ['60'] }));
    const took = Date.now() - started;
    assert.equal(data.state, 'timeout');
    assert.ok(took >= 4900, `${took} ms`);
  },
  'temp.exists': async (bench) => {
    const session = await bench.session(SAFE);
    await rm(session.place.temp, { recursive: true });
    const file = path.join(session.place.temp, 'out.log');
    await sh(session, 'echo out', { stdout_file: file });
    assert.equal(await readFile(file, 'utf8'), 'out\n');
  },
  'temp.writable': async (bench) => {
    const session = await bench.session(SAFE);
    await rm(session.place.temp, { recursive: true });
    await writeFile(session.place.temp, 'a file is in its place');
    const error = await session.error('safe_shell', {
      command: 'true', stdout_file: path.join(session.place.temp, 'out.log'),
    });
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, /temporary directory .*temp_directory/);
  },
  'temp.outside': async (bench) => {
    const session = await bench.session(SAFE, { mode: 'dangerous' });
    for (const stdout_file of ['/opt/gibbous-seed.log', '../up.log']) {
      const error = await session.error('safe_shell', { command: 'true', stdout_file });
      assert.ok(['invalid_arguments', 'denied'].includes(error.code), error.code);
    }
  },
  'temp.paths': async (bench) => {
    const session = await bench.session(SAFE);
    for (const [stdout_file, place] of [['./a.log', 'a.log'], ['b//c.log', 'b/c.log'],
      ['b/./d.log', 'b/d.log'], [`${session.place.temp}//./e.log`, null]]) {
      const { stdout_path } = await sh(session, 'echo x', { stdout_file });
      const expected = path.join(place ? session.place.workspace : session.place.temp,
        place ?? 'e.log');
      assert.equal(stdout_path, expected);
      assert.equal(await readFile(expected, 'utf8'), 'x\n');
    }
    for (const wrong of ['', '~/x', '~root/x', '../up', 'a/../b', 'a/', '.', 'a\0b', '/etc/x',
      'x'.repeat(253), 'a/'.repeat(600) + 'x']) {
      for (const field of ['stdout_file', 'stderr_file']) {
        const error = await session.error('safe_shell',
          { command: 'true', stdout_file: 'good.log', [field]: wrong });
        assert.equal(error.code, 'invalid_arguments', wrong);
        assert.ok(error.message.startsWith(`args.${field}: `), error.message);
      }
    }
  },
  'temp.links': async (bench) => {
    const session = await bench.session(SAFE, { mode: 'dangerous' });
    const outside = path.join(session.place.root, 'outside');
    await mkdir(outside);
    await symlink(outside, path.join(session.place.temp, 'way'));
    await symlink(path.join(outside, 'x.log'), path.join(session.place.temp, 'x.log'));
    for (const name of ['way/out.log', 'x.log']) {
      await session.error('safe_shell', {
        command: 'echo', args: ['x'], background: true,
        stdout_file: path.join(session.place.temp, name),
      });
    }
    for (const name of ['out.log', 'x.log']) await assert.rejects(stat(path.join(outside, name)));
  },
  'web.server': async (bench) => {
    const session = await bench.session(SAFE);
    const probe = createServer().listen(0, '127.0.0.1');
    await until('a free port', () => probe.listening);
    const { port } = probe.address();
    probe.close();
    await writeFile(path.join(session.place.workspace, 'page'), 'served');
    await shell(session, {
      command: 'python3', args: ['-m', 'http.server', String(port), '--bind', '127.0.0.1'],
      background: true, stdout_file: 'server.log', keep_alive: 30,
    });
    const body = await until('an answer', () => new Promise((resolve) => {
      get(`http://127.0.0.1:${port}/page`, (response) => {
        let text = '';
        response.on('data', (part) => (text += part)).on('end', () => resolve(text));
      }).on('error', () => resolve(''));
    }));
    assert.equal(body, 'served');
  },
};
