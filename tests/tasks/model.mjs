// What a model has of Gibbous: it calls tools over MCP and reads the text of their results. Counts
// both, and finds what was left over when a task is over.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

// The keeper gives processes three seconds before it kills them; a busy machine needs more.
const END_LIMIT_MS = 15_000;
const LOOK_AGAIN_MS = 50;

export class Model {
  /** `toolsets`: names for --toolset; none is the default set. */
  static async start(toolsets) {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'gibbous-task-')));
    // A project has its packages inside; the same files, not copies.
    const packages = path.resolve(process.env.GIBBOUS_TASK_PACKAGES, 'node_modules');
    try {
      execFileSync('cp', ['-al', packages, root], { stdio: 'ignore' });
    } catch {
      execFileSync('cp', ['-a', packages, root]);
    }
    const model = new Model(root, toolsets);
    await model.request('initialize', {
      protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'task', version: '1' },
    });
    model.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return model;
  }

  constructor(root, toolsets) {
    this.root = root;
    this.calls = 0;
    this.bytes = 0;
    this.answers = [];
    this.waiting = new Map();
    this.last = 0;
    const chosen = toolsets.flatMap((name) => ['--toolset', name]);
    this.process = spawn(process.env.GIBBOUS, ['mcp', '--mode', 'auto', '--workspace', root,
      '--state', path.join(root, '.state'), ...chosen], {
      stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, GIBBOUS_TASK: root },
    });
    this.ended = new Promise((resolve) => { this.process.on('exit', resolve); });
    this.process.stdin.on('error', () => {});
    readline.createInterface({ input: this.process.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    });
  }

  send(message) { this.process.stdin.write(`${JSON.stringify(message)}\n`); }

  request(method, params) {
    this.last += 1;
    const id = this.last;
    const answer = new Promise((resolve, reject) => {
      this.waiting.set(id, resolve);
      this.ended.then(() => reject(new Error(`the server ended before it answered ${method}`)));
    });
    this.send({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  /** Calls a tool; the text is all that a model reads of the result. */
  async call(name, args) {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    const text = error ? error.message : result.content.map((part) => part.text).join('\n');
    this.calls += 1;
    this.bytes += Buffer.byteLength(text);
    this.answers.push(`${name} ${JSON.stringify(args)}\n${text}`);
    return text;
  }

  /** The bytes of the definitions that come with every request of a model. */
  async definitions() {
    const { result } = await this.request('tools/list', {});
    return result.tools.reduce((sum, tool) => sum + JSON.stringify({
      name: tool.name, description: tool.description, inputSchema: tool.inputSchema,
    }).length, 0);
  }

  /** The processes that this task has started and that live. */
  async left() {
    const found = [];
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === this.process.pid) continue;
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      // The keeper and its warden live as long as the server, under names that they give themselves.
      const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
      if (environment.includes(`GIBBOUS_TASK=${this.root}\0`) && command !== ''
        && !program.includes('gibbous-keeper')) found.push(command.replaceAll('\0', ' ').trim());
    }
    return found;
  }

  /** What lives on: the server ends first, and the keeper then ends the processes. */
  async close() {
    this.process.stdin.end();
    await this.ended;
    const deadline = performance.now() + END_LIMIT_MS;
    let left = await this.left();
    while (left.length > 0 && performance.now() < deadline) {
      await new Promise((resolve) => { setTimeout(resolve, LOOK_AGAIN_MS); });
      left = await this.left();
    }
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 });
    return left;
  }
}
