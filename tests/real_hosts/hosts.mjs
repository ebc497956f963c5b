// Starting a host: without a person (`start`), or in a terminal (`inTerminal`).
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { claude } from './claude.mjs';
import { codex } from './codex.mjs';
import { Model } from './model.mjs';
import { Bench } from './support.mjs';
import { Terminal } from './terminal.mjs';

export const HOSTS = [claude, codex];

const PROMPT = 'Do what the script says.';

/** A bench, a model that follows `script`, and what starts the host on them. */
export async function session(t, host, script, prepareBench = async () => {}) {
  const bench = await Bench.for(t);
  await prepareBench(bench);
  const model = await Model.start(
    t, host.dialect, path.join(bench.directory, 'requests.jsonl'), () => script(bench));
  const env = await host.prepare(bench, model);
  return { bench, model, env, start: () => start(t, host, bench, env) };
}

/** Starts the host with one prompt and no person to ask. */
function start(t, host, bench, env) {
  const child = spawn(host.program, host.headless(PROMPT), {
    cwd: bench.project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const running = { child, said: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      running.said += chunk;
    });
  }
  running.ended = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return running;
}

/** Runs the host to its end. The model's script must have come to its end, too. */
export async function run(t, host, script, prepareBench) {
  const { bench, model, start: begin } = await session(t, host, script, prepareBench);
  const running = begin();
  const { code, signal } = await running.ended;
  await writeFile(path.join(bench.directory, 'host.txt'), running.said);
  model.check();
  if (code !== 0) throw new Error(`${host.name} ended with ${code ?? signal}: ${running.said}`);
  await bench.untilNothingIsLeft();
  return { bench, model, said: running.said };
}

/** Starts the host in a terminal, as a person does, and gives it a prompt. */
export async function inTerminal(t, host, script, prepareBench) {
  const prepare = async (bench) => {
    bench.hasPerson = true;
    await prepareBench?.(bench);
  };
  const { bench, model, env } = await session(t, host, script, prepare);
  const terminal = await Terminal.open(t, bench, [host.program, ...host.interactive()], env);
  await terminal.untilShown(host.ready);
  await terminal.type(PROMPT);
  await terminal.untilShown(new RegExp(PROMPT));
  await terminal.press('Enter');
  return { bench, model, terminal, env };
}
