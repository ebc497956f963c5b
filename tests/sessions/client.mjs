// A client of `gibbous mcp` that speaks plain JSON lines, so that several can share a state directory.
import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

import { afterwards } from '../seeds/session.mjs';

/** A directory that is gone when the test ends. */
export async function directory(t) {
  const made = await realpath(await mkdtemp(path.join(tmpdir(), 'gibbous-sessions-')));
  afterwards(t, () => rm(made, { recursive: true, force: true, maxRetries: 10 }));
  return made;
}

export class Client {
  static async start(t, { state, workspace, options = [], mode = 'dangerous' }) {
    const client = new Client(state, workspace, options, mode);
    afterwards(t, () => client.close());
    await client.request('initialize', {
      protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' },
    });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return client;
  }

  constructor(state, workspace, options, mode) {
    this.waiting = new Map();
    this.last = 0;
    this.process = spawn(process.env.GIBBOUS, ['mcp', '--structured', '--state', state, '--workspace', workspace,
      '--mode', mode,
      '--toolset', 'bg', '--toolset', 'wait', '--toolset', 'shell', ...options], { stdio: 'pipe' });
    this.said = '';
    this.process.stderr.on('data', (part) => {
      this.said += part;
      process.stderr.write(part);
    });
    this.ended = new Promise((resolve) => { this.process.on('exit', resolve); });
    readline.createInterface({ input: this.process.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.waiting.get(message.id)?.(message);
    });
    this.process.stdin.on('error', () => {});
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

  /** The result of a tool: its data, or an error with its text. */
  async call(name, args) {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    if (error) throw new Error(error.message);
    const text = result.content.map((part) => part.text).join('\n');
    if (result.isError) throw new Error(text);
    return { ...result.structuredContent, text };
  }

  kill() { this.process.kill('SIGKILL'); return this.ended; }

  close() { this.process.stdin.end(); return this.ended; }
}
