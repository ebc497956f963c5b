// A host in a terminal, as a person has it: tmux keeps the screen, the test reads it and types.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { until } from './support.mjs';

const execute = promisify(execFile);
const COLUMNS = 110;
const ROWS = 50;
const PRESS_AGAIN_MS = 3_000;

export class Terminal {
  static async open(t, bench, argv, env) {
    const terminal = new Terminal();
    // The name of a socket may have 107 bytes at most: a session's directory can be too deep for it.
    terminal.directory = await mkdtemp(path.join(tmpdir(), 'gibbous-tmux-'));
    terminal.socket = path.join(terminal.directory, 'socket');
    terminal.captured = path.join(bench.directory, 'screens.txt');
    terminal.screens = [];
    terminal.closed = false;
    t.after(() => terminal.close());
    // tmux takes the directory and the variables of its server, which this starts.
    await execute('tmux', ['-S', terminal.socket, '-f', '/dev/null', 'new-session', '-d', '-s', 'host',
      '-x', String(COLUMNS), '-y', String(ROWS), '-c', bench.project, '--', ...argv], { env });
    return terminal;
  }

  async tmux(...args) {
    return (await execute('tmux', ['-S', this.socket, ...args])).stdout;
  }

  /** The screen as text. */
  async screen() {
    const text = (await this.tmux('capture-pane', '-p', '-t', 'host')).replace(/\s+\n/g, '\n');
    if (text !== this.screens.at(-1)) this.screens.push(text);
    return text;
  }

  /** The screen once it shows this. */
  untilShown(what) {
    return until(() => `the terminal shows ${what}, but it shows:\n${this.screens.at(-1)}`, async () => {
      const text = await this.screen();
      return what.test(text) ? text : undefined;
    });
  }

  /**
   * Presses a key, again where it had no effect: a host that has just drawn its dialog anew may not listen yet.
   * `shown` is a pattern, or a function of the screen.
   */
  async pressUntil(key, shown) {
    const look = typeof shown === 'function' ? shown : (text) => shown.test(text);
    await until(() => `${key} leads to ${shown}, but the terminal shows:\n${this.screens.at(-1)}`, async () => {
      await this.press(key);
      const again = Date.now() + PRESS_AGAIN_MS;
      while (Date.now() < again) {
        if (look(await this.screen())) return true;
      }
      return false;
    });
  }

  async type(text) {
    await this.tmux('send-keys', '-t', 'host', '-l', text);
  }

  /** Keys by their names: Enter, Down, Escape. */
  async press(...keys) {
    await this.tmux('send-keys', '-t', 'host', ...keys);
  }

  async close() {
    if (this.closed) return;
    this.closed = true;
    await writeFile(this.captured, this.screens.join(`\n${'='.repeat(COLUMNS)}\n`));
    await this.tmux('kill-server').catch(() => {});
    await rm(this.directory, { recursive: true, force: true });
  }
}
