// `gibbous mcp --http` and `--unix` behind nginx with TLS, configured by the text of docs/mcp.md.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { HttpServer, MODERN, Workbench, until } from './support.mjs';

const NAME = 'tools.example.com';
const DOCS = path.join(process.env.GIBBOUS_PROFILE, '..', '..', '..', 'docs', 'mcp.md');

/** The block of the page in this language. */
async function block(language) {
  const page = await readFile(DOCS, 'utf8');
  const [, text] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page);
  return text;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const accepts = (port) => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => {
    socket.destroy();
    resolve(true);
  });
  socket.once('error', () => resolve(false));
});

/** nginx as the page says, with a certificate of its own, in front of `upstream`. */
class Proxy {
  static async start(t, bench, upstream) {
    const proxy = new Proxy();
    const place = (name) => path.join(bench.directory, 'nginx', name);
    await mkdir(place(''));
    await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1',
      '-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`,
      '-keyout', place('key.pem'), '-out', place('certificate.pem')]);
    proxy.certificate = await readFile(place('certificate.pem'));
    proxy.port = await freePort();
    const replaced = [
      [/listen 443 ssl;/, `listen 127.0.0.1:${proxy.port} ssl;`],
      [/ssl_certificate \S+;/, `ssl_certificate ${place('certificate.pem')};`],
      [/ssl_certificate_key \S+;/, `ssl_certificate_key ${place('key.pem')};`],
      [/proxy_pass http:\/\/127\.0\.0\.1:8000;/, `proxy_pass ${upstream};`],
    ];
    let server = await block('nginx');
    for (const [from, to] of replaced) {
      assert.match(server, from);
      server = server.replace(from, to);
    }
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${place(name)};`).join('\n');
    await writeFile(place('nginx.conf'), `daemon off;
master_process off;
pid ${place('pid')};
error_log stderr;
events {}
http {
access_log off;
${temporary}
${server}}
`);
    // It ends with the test, however that ends.
    const nginx = spawn('setpriv', ['--pdeathsig', 'KILL', 'nginx', '-p', place(''), '-c', place('nginx.conf')],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: `${process.env.PATH}:/usr/sbin`, ...bench.env() } });
    t.after(() => nginx.kill('SIGKILL'));
    let said = '';
    nginx.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
    const ended = new Promise((resolve, reject) => {
      nginx.once('error', reject);
      nginx.once('exit', (code) => reject(new Error(`nginx ended with ${code}: ${said}`)));
    });
    ended.catch(() => {});
    await Promise.race([until('nginx listens', () => accepts(proxy.port)), ended]);
    return proxy;
  }

  /** Sends a request, and gives the response as it comes: `text` grows, `done` is its end. */
  send(method, headers, body) {
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1', port: this.port, path: '/mcp', method, ca: this.certificate, servername: NAME,
        agent: false, headers: { Host: NAME, ...headers },
      }, (response) => {
        const answer = { status: response.statusCode, headers: response.headers, text: '' };
        answer.close = () => sent.destroy();
        answer.done = new Promise((whole) => {
          response.once('end', () => whole(true));
          response.once('close', () => whole(false));
        });
        response.setEncoding('utf8').on('data', (chunk) => {
          answer.text += chunk;
        });
        resolve(answer);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  modern(token, message, headers = {}) {
    const params = { ...message.params, _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      ...message.params?._meta,
    } };
    return this.send('POST', {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': message.method,
      ...(params.name && { 'Mcp-Name': params.name }),
      ...headers,
    }, JSON.stringify({ jsonrpc: '2.0', ...message, params }));
  }
}

async function behindNginx(t) {
  const bench = await Workbench.for(t);
  const server = await HttpServer.start(t, bench, { allowHost: NAME });
  const proxy = await Proxy.start(t, bench, server.url.origin);
  return { bench, server, proxy };
}

const calling = (name, args, id = 1) => ({ id, method: 'tools/call', params: {
  name, arguments: args, _meta: { progressToken: 'p' } } });

test('requests pass with their token, their host and their origin', async (t) => {
  const { server, proxy } = await behindNginx(t);
  const discover = { id: 1, method: 'server/discover' };
  const status = async (headers) => (await proxy.modern(server.token, discover, headers)).status;
  const answer = await proxy.modern(server.token, discover);
  assert.ok(await answer.done);
  assert.equal(JSON.parse(answer.text).result.supportedVersions[0], MODERN);
  assert.equal(await status({ Authorization: 'Bearer wrong' }), 401);
  assert.equal(await status({ Host: 'evil.example' }), 403);
  assert.equal(await status({ Origin: 'https://evil.example' }), 403);
  assert.equal(await status({ Origin: `https://${NAME}` }), 200);
  assert.equal(await status({ 'Mcp-Method': 'tools/list' }), 400);
  // A request that nginx keeps in a file for a while.
  const large = await proxy.modern(server.token, calling('probe_large', { bytes: 1, more: 'x'.repeat(3e6) }));
  assert.ok(await large.done);
  assert.equal(large.status, 200);
});

test('events arrive while the answer is not complete', async (t) => {
  const { server, proxy } = await behindNginx(t);
  const answer = await proxy.modern(server.token, calling('probe_count', { until_seen: true }));
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  await until('progress is there', () => answer.text.includes('"progress":100'));
  assert.ok(!answer.text.includes('counted'));
  await proxy.modern(server.token, calling('probe_saw', {}, 2));
  assert.ok(await answer.done);
  assert.match(answer.text, /counted/);
});

test('the stream of a session stays open, and goes on where it was lost', async (t) => {
  const { bench, server, proxy } = await behindNginx(t);
  const session = await server.open();
  const headers = { Authorization: `Bearer ${server.token}`, Accept: 'text/event-stream',
    'Mcp-Session-Id': session };
  await server.inSession(session, { method: 'notifications/initialized' });
  const stream = await proxy.send('GET', headers);
  assert.equal(stream.status, 200);
  await bench.addTool();
  await until('the change is announced', () => stream.text.includes('tools/list_changed'));
  const [last] = stream.text.match(/(?<=^id: ).*/gm).slice(-1);
  stream.close();
  await bench.mendScript();
  const next = await proxy.send('GET', { ...headers, 'Last-Event-ID': last });
  assert.equal(next.status, 200);
  const deleted = await proxy.send('DELETE', headers);
  assert.ok(await deleted.done);
  assert.equal(deleted.status, 200);
  assert.ok(await next.done);
});

test('a client that goes cancels its request', async (t) => {
  const { bench, server, proxy } = await behindNginx(t);
  const answer = await proxy.modern(server.token, calling('probe_hang', {}));
  const [, pid] = await until('it has a child', () => /pid (\d+)/.exec(answer.text));
  await until('it runs', () => bench.isAlive(Number(pid)));
  answer.close();
  await until('the child is gone', async () => !(await bench.isAlive(Number(pid))));
});

test('the end of the server ends the streams of its clients', async (t) => {
  const { server, proxy } = await behindNginx(t);
  const answer = await proxy.modern(server.token, { id: 's', method: 'subscriptions/listen', params: {
    notifications: { toolsListChanged: true } } });
  await until('it is acknowledged', () => answer.text.includes('acknowledged'));
  server.child.kill('SIGTERM');
  assert.ok(await answer.done);
  assert.match(answer.text, /"resultType":"complete"/);
});

test('a proxy of the same user may use a unix socket', async (t) => {
  const bench = await Workbench.for(t);
  const socket = path.join(bench.directory, 'mcp.sock');
  await HttpServer.start(t, bench, { socket });
  const proxy = await Proxy.start(t, bench, `http://unix:${socket}:/mcp`);
  const answer = await proxy.modern('none', { id: 1, method: 'server/discover' });
  assert.ok(await answer.done);
  assert.equal(answer.status, 200, answer.text);
});
