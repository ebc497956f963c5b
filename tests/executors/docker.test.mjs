// scripts/executors/docker.lua against a real engine, which the tests start and end themselves. Where
// that is not possible they say why, loudly, and are skipped.
import assert from 'node:assert/strict';
import { access, mkdir, readFile, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Engine, IMAGE } from './engine.mjs';
import { GIBBOUS, LIMIT, Session, output, temporaryDirectory, until } from './support.mjs';

const MEBIBYTE = 1024 * 1024;
let engine;

before(async () => {
  engine = await Engine.start();
  if (engine.reason) console.error(`\n*** NOT TESTED: the docker executor: ${engine.reason}\n`);
}, { timeout: 240_000 });
after(() => engine.stop?.());

function config(more = '') {
  return `{ executor = 'docker', executors = { docker = {
    image = '${IMAGE}', host = '${engine.host}', pull = 'never', ${more}
  } } }`;
}

/** A test with a session whose runs are containers. */
function docker(name, body, more) {
  test(name, { timeout: 240_000 }, async (t) => {
    if (engine.reason) return t.skip(engine.reason);
    return body(await Session.start(t, config(more)), t);
  });
}

async function gone(id) {
  await until('the container is removed', async () => !(await engine.containers()).includes(
    `gibbous-${id}`));
}

async function running(id) {
  await until('the container runs', async () => {
    const text = await engine.docker('ps', '--format', '{{.Names}}');
    return text.split('\n').includes(`gibbous-${id}`);
  });
}

/** A listener on a free port of this machine. */
async function takenPort(t) {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '0.0.0.0', resolve));
  t.after(() => server.close());
  return server.address().port;
}

test('in a default container, Gibbous runs what no rule knows, without a network', LIMIT, async (t) => {
  if (engine.reason) return t.skip(engine.reason);
  const frob = path.join(await temporaryDirectory(t), 'frob');
  await writeFile(frob, '#!/bin/sh\necho begun; nc 127.0.0.1 1', { mode: 0o755 });
  const linked = (await output('ldd', [GIBBOUS])).stdout.match(/\/\S+/g);
  const files = [...linked.map((file) => `${file}:${file}`), `${GIBBOUS}:/bin/gibbous`, `${frob}:/bin/frob`];
  const inside = ['run', '--rm', '-w', '/tmp', '-e', 'HOME=/tmp', ...files.flatMap((file) => ['-v', `${file}:ro`])];
  for (const user of ['0', '1000']) {
    const said = await engine.docker(...inside, '-u', user, IMAGE, 'gibbous', 'call', '--mode', 'auto', 'bg_start',
      JSON.stringify({ command: 'frob', until: { exit: true } }));
    assert.match(said, /begun/);
    assert.match(said, /Permission denied|Operation not permitted/);
  }
});

describe('docker', { concurrency: 2 }, () => {
  docker('streams stay apart, the exit code is the command\'s, the container goes', async (s) => {
    const id = await s.start({ command: 'echo out; echo err >&2; exit 7' });
    const end = await s.finish(id);
    assert.equal(end.out, 'out\n');
    assert.equal(end.err, 'err\n');
    assert.equal(end.state, 'failed');
    assert.equal(end.exit_code, 7);
    assert.equal(end.executor, 'docker');
    assert.equal(end.command, 'echo out; echo err >&2; exit 7');
    assert.ok(!(await engine.containers()).includes(`gibbous-${id}`));
  });

  docker('stdin and the environment reach the command', async (s) => {
    const id = await s.start({
      command: 'echo "$WORD $PATH"; cat', stdin: 'pipe', env: { WORD: 'a b', PATH: '/bin' },
    });
    await running(id);
    await s.data('write', { id, text: 'typed\n' });
    const end = await s.finish(id);
    assert.equal(end.out, 'a b /bin\ntyped\n');
    assert.equal(end.state, 'completed');
  });

  docker('variables are the command\'s, not those of the client', async (s) => {
    const env = {
      LD_PRELOAD: '/no/such.so', HTTP_PROXY: 'http://127.0.0.1:1', DOCKER_HOST: 'tcp://127.0.0.1:1',
      SPACES: '  a "b" \'c\' # $d ', LINES_OF: 'one\ntwo', EMPTY: '', LONG: 'x'.repeat(20_000),
    };
    const id = await s.start({
      command: 'echo "$LD_PRELOAD|$HTTP_PROXY|$DOCKER_HOST|$SPACES|$LINES_OF|${EMPTY-unset}|${#LONG}"; read l',
      env, stdin: 'pipe',
    });
    await running(id);
    const { pid } = await s.info(id);
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    assert.ok(words.includes('gibbous-') && !words.includes('/no/such'));
    assert.ok(!/LD_PRELOAD=|HTTP_PROXY=h|\0SPACES=/.test(
      (await readFile(`/proc/${pid}/environ`, 'utf8')).replace(/GIBBOUS_VARIABLES=[^\0]*/, '')));
    await s.data('write', { id, text: 'over\n' });
    const end = await s.finish(id);
    assert.equal(end.out, `${env.LD_PRELOAD}|${env.HTTP_PROXY}|${env.DOCKER_HOST}|${env.SPACES}|one\ntwo||20000\n`);
    const answer = await s.call('start', { command: 'true', env: { LD_PRELOAD: 'a\nb' } });
    assert.match(answer.error.message, /env\.LD_PRELOAD: the client itself would obey/);
  });

  docker('what detaches a client elsewhere is typed into the container', async (s) => {
    const id = await s.start({
      command: 'stty raw -echo; echo ready; head -c 2 | od -An -tx1', pty: { rows: 24, cols: 80 },
    });
    await s.data('wait_for', { id, output_regex: 'ready', timeout: 90_000 });
    await s.data('type', { id, keys: '<C-p><C-q>' });
    assert.match((await s.finish(id)).out, /10 11/);
  });

  docker('a terminal is one inside, too', async (s) => {
    const end = await s.finish(await s.start({
      // The engine tells the size when the program runs already.
      command: 'tty; until stty size 2>/dev/null | grep "30 90"; do sleep 0.1; done; echo $TERM',
      pty: { rows: 30, cols: 90, term: 'vt100' },
    }));
    assert.match(end.out, /^\/dev\/pts\/\d+\r?\n30 90\r?\nvt100\r?\n$/);
  });

  docker('the workspace is mounted where it is', async (s) => {
    await writeFile(path.join(s.workspace, 'here'), 'from outside\n');
    const end = await s.finish(await s.start({ command: 'cat here && touch made' }));
    assert.equal(end.out, 'from outside\n');
    assert.equal(end.state, 'completed');
  });

  docker('a workspace that is mounted read-only cannot be changed', async (s) => {
    const end = await s.finish(await s.start({ command: 'touch made' }));
    assert.equal(end.state, 'failed');
    assert.match(end.err, /[Rr]ead-only/);
  }, "workspace = 'ro'");

  docker('a profile keeps what the host executes, and hides what it hides', async (s) => {
    await mkdir(path.join(s.workspace, '.git/hooks'), { recursive: true });
    await writeFile(path.join(s.workspace, '.git/config'), 'config\n');
    const end = await s.finish(await s.start({
      command: `echo x > .git/config; echo x > .git/hooks/new; mv .git old; echo x > made
        echo x > .git/index && cat .git/config made`, sandbox: 'workspace',
    }));
    assert.equal(end.out, 'config\nx\n');
    assert.deepEqual(await readdir(path.join(s.workspace, '.git/hooks')), []);
  });

  docker('a profile that writes nothing leaves the workspace and volumes as they are', async (s) => {
    const volumes = [`${s.workspace}:/there`, `${s.workspace}:/here:rw`];
    const end = await s.finish(await s.start({
      command: 'touch made /there/made /here/made; true', sandbox: 'readonly',
      executor: { name: 'docker', volumes },
    }));
    assert.equal(end.err.match(/Read-only/g).length, 3);
  });

  docker('volumes give no more than the profile', async (s, t) => {
    const home = await temporaryDirectory(t);
    await mkdir(path.join(home, '.ssh'));
    await writeFile(path.join(home, '.ssh/id'), 'secret\n');
    await writeFile(path.join(home, '.netrc'), 'secret\n');
    await symlink(path.join(home, '.ssh'), path.join(home, 'link'));
    const other = await Session.start(t, config(), { env: { HOME: home } });
    const volume = (source) => ({
      command: 'cat /v/.s*/* /v/.n*; echo x > /v/new; true', sandbox: 'workspace',
      executor: { name: 'docker', volumes: [`${source}:/v`] },
    });
    assert.equal((await other.finish(await other.start(volume(home)))).out, '');
    await access(path.join(home, 'new'));  // /tmp may be written
    const hidden = await other.call('start', volume(path.join(home, 'link')));
    assert.match(hidden.error.message, /volumes\[1\]: the profile workspace hides /);
    assert.match((await other.finish(await other.start(volume('/etc')))).err, /Read-only/);
    const missing = await other.call('start', volume(path.join(home, 'missing')));
    assert.match(missing.error.message, /volumes\[1\]: there is no /);
  });

  docker('a directory to start in is one below the workspace', async (s) => {
    const start = async (cwd) => (await s.call('start', { command: 'pwd', cwd })).error?.message;
    assert.match(await start('missing'), /cwd: there is no directory .*missing; make it first/);
    assert.match(await start('../../..'), /cwd: \/.* is not below the workspace/);
    await assert.rejects(access(path.join(s.workspace, 'missing')));
  });

  docker('a profile with a network alone leaves the workspace to be written', async (s) => {
    const end = await s.finish(await s.start({ command: 'touch made', sandbox: { network: 'off' } }));
    assert.equal(end.state, 'completed');
  });

  docker('a wanted port that is taken becomes another one, which waits use', async (s, t) => {
    const taken = await takenPort(t);
    const { id, info } = await s.data('start', {
      command: 'sleep 1; exec httpd -f -p 8080 -h /', ports: [`${taken}:8080`],
    });
    assert.equal(info.ports.length, 1);
    assert.equal(info.ports[0].port, 8080);
    assert.notEqual(info.ports[0].host, taken);
    const { fired } = await s.data('wait_for', { id, port: 8080, timeout: 90_000 });
    assert.equal(fired[0].port, info.ports[0].host);
    assert.equal(fired[0].mapped_from, 8080);
    // Before httpd listens, the engine's proxy takes connections, and closes them later than usual
    // on a busy machine. httpd answers that there is no page.
    await until('httpd answers', async () => {
      const answer = await fetch(`http://127.0.0.1:${info.ports[0].host}/`).catch(() => null);
      return answer?.status === 404;
    });
    await s.data('bg_kill', { id });
    await gone(id);
  });

  docker('a URL of a mapped port is asked where it is mapped', async (s, t) => {
    const taken = await takenPort(t);
    const { id, info } = await s.data('start', {
      command: 'sleep 1; exec httpd -f -p 8080 -h /bin', ports: [`${taken}:8080`],
    });
    const url = 'http://localhost:8080/busybox';
    const mapped_url = `http://127.0.0.1:${info.ports[0].host}/busybox`;
    const { fired } = await s.data('wait_for', { id, http: url, timeout: 90_000 });
    assert.deepEqual(fired, [{ kind: 'http', index: 1, run: id, url, mapped_url, status: 200 }]);
    const service = await s.data('wait_for_service', { id, port: 8080, http: url });
    assert.equal(service.port, info.ports[0].host);
    assert.equal(service.status, 200);
    await s.data('bg_kill', { id });
  });

  docker('with the network of the host a port is what it is', async (s, t) => {
    const taken = await takenPort(t);
    const executor = { name: 'docker', network: 'host' };
    const { info } = await s.data('start', { command: 'sleep 1000', ports: [`${taken}`], executor });
    assert.deepEqual(info.ports, [{ port: taken, host: taken }]);
    await s.data('bg_kill', { id: info.id });
    const refused = async (ports, network) => (await s.call('start', {
      command: 'true', ports, executor: { name: 'docker', network },
    })).error.message;
    assert.match(await refused(['8080:80'], 'host'), /ports: '8080:80' is not possible/);
    assert.match(await refused(['80'], 'container:other'), /ports: the network container:other/);
  });

  docker('an engine elsewhere chooses the port, and waits use it', async (s) => {
    // Any address but 127.0.0.1 counts as elsewhere.
    const { id, info } = await s.data('start', {
      command: 'exec httpd -f -p 8080 -h /bin', ports: ['8080'],
    });
    const published = await engine.docker('port', `gibbous-${id}`);
    assert.deepEqual(info.ports, [{ port: 8080, host: Number(/:(\d+)$/.exec(published)[1]) }]);
    assert.equal(info.address, '127.0.0.2');
    const { fired } = await s.data('wait_for', {
      id, port: 8080, http: 'http://localhost:8080/busybox', mode: 'all', timeout: 90_000,
    });
    const [port, http] = fired.sort((a, b) => a.index - b.index);
    assert.equal(port.port, info.ports[0].host);
    assert.equal(port.address, '127.0.0.2');
    assert.equal(http.mapped_url, `http://127.0.0.2:${info.ports[0].host}/busybox`);
    await s.data('bg_kill', { id });
  }, "address = '127.0.0.2'");

  docker('an engine elsewhere gets the port that was named, or says that it is taken', async (s) => {
    const first = await s.data('start', { command: 'sleep 1000', ports: ['8080'] });
    const { host } = first.info.ports[0];
    const second = await s.data('start', { command: 'sleep 1000', ports: [`${host}:9090`] });
    assert.equal((await s.finish(second.id)).state, 'failed');
    assert.match((await s.info(second.id)).reason, /already allocated/);
    await s.data('bg_kill', { id: first.id });
    const third = await s.data('start', { command: 'sleep 1000', ports: [`${host}:9090`] });
    assert.deepEqual(third.info.ports, [{ port: 9090, host }]);
    await s.data('bg_kill', { id: third.id });
  }, "address = '127.0.0.2'");

  docker('the tools tell which port leads to the one that was asked for', async (s, t) => {
    const taken = await takenPort(t);
    const answer = await s.call('run_background', { cmd: 'sleep 100', ports: [`${taken}:80`] });
    const [mapping] = answer.result.data.ports;
    assert.equal(mapping.port, 80);
    assert.notEqual(mapping.host, taken);
    assert.ok(answer.result.text.endsWith(`Ports: 80 is port ${mapping.host} of this machine`));
    await s.data('bg_kill', { id: answer.result.data.id });
  });

  docker('a wait for a port of a container that ends says so', async (s) => {
    const id = await s.start({ command: 'sleep 1; echo no server; exit 3', ports: ['8080'] });
    const answer = await s.call('wait_for', { id, port: 8080, timeout: 90_000 });
    assert.equal(answer.error.code, 'cannot_happen');
    assert.match(answer.error.message, /no server/);
  });

  docker('a container over its memory ends as out of memory', async (s) => {
    const id = await s.start({
      command: 'x=$(head -c 200000000 /dev/zero | tail -c 190000000)',
      limits: { memory_bytes: 16 * MEBIBYTE },
    });
    const end = await s.finish(id);
    assert.equal(end.reason, 'out of memory');
    assert.equal(end.state, 'killed');
    assert.equal(end.limit.name, 'memory');
    assert.equal(end.limits_by.memory_bytes, 'docker');
    await gone(id);
  });

  docker('limits of processes and processors are the engine\'s', async (s) => {
    const id = await s.start({ command: 'sleep 100', limits: { pids: 17, cpu_share: 0.5 } });
    await running(id);
    const text = await engine.docker('inspect', '--format',
      '{{.HostConfig.PidsLimit}} {{.HostConfig.NanoCpus}}', `gibbous-${id}`);
    assert.equal(text, '17 500000000');
    await s.data('bg_kill', { id });
  });

  docker('a kill ends the container before it is reported', async (s) => {
    const id = await s.start({ command: "trap '' TERM; while true; do sleep 1; done" });
    await running(id);
    const report = await s.data('bg_kill', { id, signal: 'SIGKILL' });
    assert.equal(report.killed, true);
    assert.ok(!(await engine.containers()).includes(`gibbous-${id}`));
    assert.equal((await s.info(id)).state, 'killed');
  });

  docker('usage is the container\'s, as the engine counts it', async (s) => {
    const id = await s.start({
      command: 'sleep 1000 & while true; do :; done', ports: ['8080'],
    });
    await running(id);
    const usage = await until('it has used the processor', async () => {
      const now = await s.usage(id);
      return now.by && now.cpu_time_ms >= 100 && now;
    });
    assert.equal(usage.by, 'docker');
    assert.equal(usage.processes, 3);  // docker-init, sh and sleep
    assert.ok(usage.rss_bytes > 0 && usage.rss_bytes < 32 * MEBIBYTE);
    assert.ok(usage.cpu_percent > 0);
    const [mapping] = (await s.info(id)).ports;
    assert.deepEqual(usage.ports, [{ ...mapping, address: '127.0.0.1' }]);
    const listed = await s.call('bg_status', { id });
    assert.match(listed.result.text, new RegExp(
      `cpu=\\S+ mem=\\S+ procs=3 idle=\\S+ port=8080\\(127\\.0\\.0\\.1:${mapping.host}\\) by=docker`));
    await s.data('bg_kill', { id });
  });

  docker('a stop signal reaches the command', async (s) => {
    const id = await s.start({ command: "trap 'echo bye; exit 0' TERM; while true; do sleep 0.1; done" });
    await running(id);
    await s.data('bg_kill', { id });
    const { stdout } = await s.data('bg_output', { id, since_last_read: false });
    assert.equal(stdout, 'bye\n');
    assert.ok(!(await engine.containers()).includes(`gibbous-${id}`));
  });

  docker('a time limit leaves no container', async (s) => {
    const id = await s.start({ command: 'sleep 100', timeout_ms: 1500 });
    const end = await s.finish(id);
    assert.equal(end.state, 'timeout');
    await gone(id);
  });

  docker('a host that is killed leaves no container', async (s) => {
    const first = await s.start({ command: 'sleep 100' });
    await running(first);
    const second = await s.start({ command: 'sleep 100' });  // perhaps only being created
    await s.kill();
    await gone(first);
    await gone(second);
  });

  docker('the end of a session leaves no container', async (s) => {
    const id = await s.start({ command: 'sleep 100' });
    await running(id);
    await s.end();
    await gone(id);
  });

  docker('a keeper that is killed leaves no container', async (s) => {
    const id = await s.start({ command: 'sleep 100' });
    await running(id);
    const { pid } = await s.info(id);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    process.kill(Number(/^PPid:\s+(\d+)/m.exec(status)[1]), 'SIGKILL');
    await gone(id);
    assert.equal((await s.info(id)).state, 'lost');
  });

  docker('containers of hosts that are dead are swept, those of others are not', async (s) => {
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const pids = await readlink('/proc/self/ns/pid');
    const create = (name, host) => engine.docker('create', '--name', name, '--label',
      `gibbous.host=${host}`, IMAGE, '/bin/sleep', '100');
    await create('stale', `this-machine/${boot}/${pids}/4194303/1`);
    await create('elsewhere', 'another-machine/another-boot/pid:[1]/1/1');
    await s.finish(await s.start({ command: 'true' }));
    await until('the stale one is gone', async () => !(await engine.containers()).includes('stale'));
    assert.ok((await engine.containers()).includes('elsewhere'));
    await engine.docker('rm', '-f', 'elsewhere');
  });

  docker('an image that is not there is a clear reason', async (s) => {
    const id = await s.start({ command: 'true', executor: { name: 'docker', image: 'no/such' } });
    const end = await s.finish(id);
    assert.equal(end.state, 'failed');
    assert.match(end.reason, /docker could not run the container: .*no\/such/s);
  });

  docker('a command that the image has not is a clear reason', async (s) => {
    const end = await s.finish(await s.start({ argv: ['/no/such/program'] }));
    assert.equal(end.state, 'failed');
    assert.match(end.reason, /not in the image/);
  });

  docker('exit codes of the command are not those of the client', async (s) => {
    for (const code of [125, 126, 127, 255]) {
      const end = await s.finish(await s.start({ command: `echo over >&2; exit ${code}` }));
      assert.equal(end.reason, `exit code ${code}`);
    }
    const end = await s.finish(await s.start({
      command: 'exit 137', limits: { memory_bytes: 16 * MEBIBYTE },
    }));
    assert.equal(end.state, 'failed');
    assert.equal(end.limit, undefined);
    assert.match(end.reason, /^exit code 137: perhaps /);
  });

  docker('a setting that looks like an option is none', async (s) => {
    for (const field of ['image', 'user', 'network', 'context', 'host']) {
      const answer = await s.call('start', {
        command: 'true', executor: { name: 'docker', [field]: '--volume=/:/h' },
      });
      assert.equal(answer.error.code, 'invalid_arguments');
      assert.match(answer.error.message, new RegExp(`executors\\.docker\\.${field}: .*does not begin with`));
    }
  });

  docker('a client that is missing is named', async (s) => {
    const answer = await s.call('start', {
      command: 'true', executor: { name: 'docker', program: '/no/such/docker' }, env: { WORD: 'x' },
    });
    assert.equal(answer.error.code, 'start_failed');
    assert.match(answer.error.message, /program: there is no \/no\/such\/docker/);
  });

  docker('wrong settings name the field', async (s) => {
    const answer = await s.call('start', { command: 'true', executor: { name: 'docker', imagine: 'x' } });
    assert.equal(answer.error.code, 'invalid_arguments');
    assert.match(answer.error.message, /executors\.docker.*imagine/);
    const unknown = await s.call('start', { command: 'true', executor: 'dokcer' });
    assert.equal(unknown.error.code, 'unknown_executor');
    assert.match(unknown.error.message, /did you mean 'docker'/);
  });
});
