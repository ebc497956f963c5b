// Codex: how it is started on a session of the tests, and the Responses API as it uses it.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { send } from './model.mjs';
import { GIBBOUS, PACKAGES } from './support.mjs';

const NAMESPACE = 'mcp__gibbous';

const textOf = (output) => (typeof output === 'string' ? output
  : (output ?? []).map((block) => block.text ?? `[${block.type}]`).join('\n'));

let made = 0;
const nextId = (kind) => `${kind}_${++made}`;

const dialect = {
  // In a terminal it also asks for a title; that request brings no tools along.
  isConversation: (url, text) => url === '/v1/responses' && text.includes(`"${NAMESPACE}"`),

  answerAside(url, _text, response) {
    if (url !== '/v1/responses') {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"not scripted"}}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.write(response, { text: 'aside' });
    response.end();
  },

  read(body) {
    const ours = body.tools.find(({ name }) => name === NAMESPACE)?.tools ?? [];
    const lastCall = body.input.findLastIndex(({ type, role }) => type === 'function_call' || role === 'assistant');
    const news = body.input.slice(lastCall + 1);
    const tools = ours.map(({ name }) => name);
    return {
      body,
      tools,
      loaded: tools,
      result: news.filter(({ type }) => type === 'function_call_output')
        .map(({ output }) => textOf(output)).join('\n'),
      isError: false,
      news: news.filter(({ type, role }) => type === 'message' && role === 'user')
        .map(({ content }) => textOf(content)).join('\n'),
    };
  },

  write(response, said) {
    const id = nextId('resp');
    send(response, { type: 'response.created', response: { id } });
    const item = said.tool
      ? { type: 'function_call', id: nextId('fc'), call_id: nextId('call'), name: said.tool,
        ...(!said.ofHost && { namespace: NAMESPACE }), arguments: JSON.stringify(said.args) }
      : { type: 'message', id: nextId('msg'), role: 'assistant',
        content: [{ type: 'output_text', text: said.text }] };
    send(response, { type: 'response.output_item.done', output_index: 0, item });
    send(response, { type: 'response.completed', response: { id,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } });
  },
};

function findProgram() {
  const vendor = path.join(PACKAGES, 'node_modules', '@openai', `codex-linux-${process.arch}`, 'vendor');
  const [target] = readdirSync(vendor);
  return path.join(vendor, target, 'bin', 'codex');
}

const toml = (value) => JSON.stringify(value);

export const codex = {
  name: 'Codex',
  dialect,
  get program() {
    return findProgram();
  },

  async prepare(bench, model) {
    const settings = path.join(bench.home, '.codex');
    await mkdir(settings, { recursive: true });
    const env = Object.entries(bench.serverEnv()).map(([name, value]) => `${name} = ${toml(value)}`);
    await writeFile(path.join(settings, 'config.toml'), `
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = ${toml(bench.hasPerson ? 'on-request' : 'never')}

[model_providers.scripted]
name = "scripted"
base_url = "${model.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[mcp_servers.gibbous]
command = ${toml(GIBBOUS)}
args = ${toml(bench.serverArgs())}
# Gibbous asks; without this line Codex refuses every tool that is not read-only when it has nobody to ask.
default_tools_approval_mode = "approve"
env = { ${env.join(', ')} }

[projects.${toml(bench.project)}]
trust_level = "trusted"
`);
    return { ...bench.hostEnv(), SCRIPTED_KEY: 'scripted' };
  },

  headless(prompt) {
    return ['exec', '--skip-git-repo-check', prompt];
  },

  /** Shown once it takes a prompt. */
  ready: /Ask Codex to do anything/,

  interactive() {
    return [];
  },

  /** What looks for its updates goes on for good. */
  stays: /daemon pid-update-loop$/,

  /** The server belongs to a daemon, which lives on when the terminal is closed. */
  async afterTerminal(bench, env) {
    await promisify(execFile)(this.program, ['app-server', 'daemon', 'stop'], { cwd: bench.project, env });
  },
};
