// Eight things that coding agents do all day, each done the cheapest way with the words of a set of
// tools. A task returns whether the model has read the fact that it needs.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

// The kernel gives out higher ports itself, to any program that asks meanwhile.
const [FIRST_PORT, PORTS] = [20_000, 10_000];

async function free_port() {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const free = await new Promise((resolve) => {
      const server = createServer().on('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

const write = (model, name, text) => writeFile(path.join(model.root, name), text);

// Prints 3,000 lines, the failure in the middle of the second half.
const CRASH = `
import sys, time
for n in range(1500): print('request', n, 'ok')
time.sleep(2)
sys.stderr.write('Traceback (most recent call last):\\n  File "app.py", line 88, in connect\\n')
sys.stderr.write('    raise ConnectionError("no database at db:5432")\\nConnectionError: no database at db:5432\\n')
for n in range(1500): print('closing', n)
sys.exit(1)
`;

// A compiler's log: 2,000 lines, two of them errors.
const BUILD = `
for n in range(2000):
  if n == 700: print("src/store.cc:41:17: error: 'Journl' was not declared in this scope")
  elif n == 1400: print("src/main.cc:9:3: error: expected ';' before 'return'")
  else: print(f'[{n}/2000] Building CXX object src/part{n}.cc.o')
raise SystemExit(2)
`;

export const TASKS = [
  {
    name: 'a vite dev server to its URL',
    goal: { calls: 1, bytes: 110 },
    async run(model, tools) {
      await write(model, 'index.html', '<script type="module">console.log(1)</script>');
      const port = await free_port();
      const text = await tools.start(model, `npx vite --port ${port} --strictPort`, {
        label: 'web', until: tools.until.line('Local:'),
      });
      return text.includes(`http://localhost:${port}/`);
    },
  },
  {
    name: 'a crash 2 s after the start, in 3,000 lines: the error and its stack',
    goal: { calls: 1, bytes: 350 },
    async run(model, tools) {
      await write(model, 'app.py', CRASH);
      const text = await tools.start(model, 'python3 app.py', { until: tools.until.line('listening') });
      return text.includes('no database at db:5432') && text.includes('line 88, in connect');
    },
  },
  {
    name: 'a failing build of 2,000 lines',
    goal: { calls: 1, bytes: 620 },
    async run(model, tools) {
      await write(model, 'build.py', BUILD);
      const text = await tools.start(model, 'python3 build.py', { until: tools.until.exit });
      return text.includes("'Journl' was not declared") && text.includes("expected ';' before 'return'");
    },
  },
  {
    name: 'a test watcher breaks: learn of it',
    goal: { calls: 3, bytes: 300 },
    async run(model, tools) {
      await write(model, 'sum.js', 'export const sum = (a, b) => a + b;\n');
      await write(model, 'sum.test.js', "import { expect, test } from 'vitest';\nimport { sum } from './sum.js';\n"
        + "test('adds', () => { expect(sum(2, 2)).toBe(4); });\n");
      const started = await tools.start(model, `npx vitest --watch --root . --no-color`, {
        label: 'tests', until: tools.until.line('Waiting for file changes'),
      });
      await write(model, 'sum.js', 'export const sum = (a, b) => a - b;\n');
      await tools.wait(model, tools.id_of(started), tools.until.line('Tests .*failed'), 20000);
      const text = await tools.output(model, tools.id_of(started), { grep: 'AssertionError' });
      return text.includes('expected +0 to be 4') || text.includes('expected 0 to be 4');
    },
  },
  {
    name: 'prompts, and a python REPL',
    goal: { calls: 5, bytes: 400 },
    async run(model, tools) {
      await write(model, 'setup.sh', 'read -p "Project name? " name\nread -p "Licence? " licence\n'
        + 'echo "created $name under $licence"\n');
      const asked = await tools.start(model, 'bash setup.sh', { pty: true, until: tools.until.input });
      await tools.type(model, tools.id_of(asked), 'demo<Enter>');
      const created = await tools.type(model, tools.id_of(asked), 'MIT<Enter>');
      const repl = await tools.start(model, 'python3 -q', { pty: true, until: tools.until.input });
      const sum = await tools.type(model, tools.id_of(repl), 'sum(range(1000))<Enter>');
      return created.includes('created demo under MIT') && sum.includes('499500');
    },
  },
  {
    name: 'three services in order, one of them unhealthy: which',
    goal: { calls: 4, bytes: 500 },
    async run(model, tools) {
      const [db, api, web] = [await free_port(), await free_port(), await free_port()];
      await write(model, 'serve.py', 'import http.server, sys\nstatus = int(sys.argv[2])\n'
        + 'class Handler(http.server.BaseHTTPRequestHandler):\n'
        + '  def do_GET(self):\n    self.send_response(status)\n    self.end_headers()\n'
        + "http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()\n");
      const ready = (port, timeout) => ({ until: tools.until.http(`http://127.0.0.1:${port}/`), timeout });
      await tools.start(model, `python3 serve.py ${db} 200`, { label: 'db', ...ready(db, 20000) });
      const unhealthy = await tools.start(model, `python3 serve.py ${api} 500`, { label: 'api', ...ready(api, 10000) });
      await tools.start(model, `python3 serve.py ${web} 200`, { label: 'web', ...ready(web, 20000) });
      const list = await tools.list(model);
      return unhealthy.includes('500') && ['db', 'api', 'web'].every((name) => list.includes(name));
    },
  },
  {
    name: 'a 60 s job beside five quick calls',
    goal: { calls: 6, bytes: 300 },
    seconds: 60,
    async run(model, tools, seconds) {
      await tools.start(model, `sleep ${seconds}; echo migrated`, { label: 'job' });
      for (let count = 0; count < 4; count += 1) {
        await tools.start(model, `echo quick ${count}`, { until: tools.until.exit });
      }
      await new Promise((resolve) => { setTimeout(resolve, (seconds + 1) * 1000); });
      const text = await tools.start(model, 'echo quick 4', { until: tools.until.exit });
      return text.includes('job ended: exit');
    },
  },
  {
    name: 'everything stopped, a setsid grandchild too',
    goal: { calls: 1, bytes: 120 },
    async run(model, tools) {
      const ids = [];
      for (const command of ['sleep 600', 'setsid sh -c "sleep 600 & sleep 600" & sleep 600']) {
        ids.push(tools.id_of(await tools.start(model, command)));
      }
      while ((await model.left()).length < 5) await new Promise((resolve) => { setTimeout(resolve, 20); });
      [model.calls, model.bytes] = [0, 0];
      await tools.stop_all(model, ids);
      return (await model.left()).length === 0;
    },
  },
];
