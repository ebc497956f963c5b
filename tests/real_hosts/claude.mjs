// Claude Code: how it is started on a session of the tests, and the Messages API as it uses it.
import path from 'node:path';
import { writeFile } from 'node:fs/promises';

import { send } from './model.mjs';
import { GIBBOUS, PACKAGES } from './support.mjs';

const PREFIX = 'mcp__gibbous__';
const SERVER = 'gibbous';

const textOf = (content) => (typeof content === 'string' ? content
  : (content ?? []).map((block) => block.text ?? `[${block.type}]`).join('\n'));

let made = 0;
const nextId = (kind) => `${kind}_${++made}`;

const dialect = {
  // It also asks for titles and counts tokens; those requests bring no tools along.
  isConversation(url, text) {
    return /^\/v1\/messages(\?|$)/.test(url) && text.includes('"tools":[{');
  },

  answerAside(url, text, response) {
    if (!/^\/v1\/messages(\?|$)/.test(url)) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"not_found_error","message":"not scripted"}}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.write(response, { text: 'aside' });
    response.end();
  },

  read(body) {
    const tools = new Set();
    const loaded = new Set();
    const take = (name) => {
      if (name.startsWith(PREFIX)) tools.add(name.slice(PREFIX.length));
    };
    for (const tool of body.tools) {
      take(tool.name ?? '');
      if (!tool.defer_loading) loaded.add(tool.name);
    }
    // Tools that it defers are named in its messages; those that were looked up are referred to there.
    const everything = JSON.stringify(body.messages);
    for (const [, name] of everything.matchAll(/mcp__gibbous__(\w+)/g)) take(PREFIX + name);
    for (const [, name] of everything.matchAll(/"tool_name":"(\w+)"/g)) loaded.add(name);
    const lastAnswer = body.messages.findLastIndex(({ role }) => role === 'assistant');
    const news = body.messages.slice(lastAnswer + 1).flatMap(({ content }) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
    const results = news.filter(({ type }) => type === 'tool_result');
    return {
      body,
      /** The names of Gibbous's tools that the model knows of, and those with a schema. */
      tools: [...tools],
      loaded: [...loaded].filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length)),
      result: results.map(({ content }) => textOf(content)).join('\n'),
      isError: results.some((result) => result.is_error === true),
      /** Whatever else is new: what the user says, notes of the host. */
      news: news.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n'),
    };
  },

  lookup(tool, seen) {
    if (seen.loaded.includes(tool)) return undefined;
    return { tool: 'ToolSearch', args: { query: `select:${PREFIX}${tool}`, max_results: 5 }, ofHost: true };
  },

  write(response, said) {
    send(response, { type: 'message_start', message: { id: nextId('msg'), type: 'message', role: 'assistant',
      model: 'claude-scripted', content: [], stop_reason: null, stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 } } });
    if (said.tool) {
      const name = said.ofHost ? said.tool : PREFIX + said.tool;
      send(response, { type: 'content_block_start', index: 0,
        content_block: { type: 'tool_use', id: nextId('toolu'), name, input: {} } });
      send(response, { type: 'content_block_delta', index: 0,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(said.args) } });
    } else {
      send(response, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
      send(response, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said.text } });
    }
    send(response, { type: 'content_block_stop', index: 0 });
    send(response, { type: 'message_delta', usage: { output_tokens: 1 },
      delta: { stop_reason: said.tool ? 'tool_use' : 'end_turn', stop_sequence: null } });
    send(response, { type: 'message_stop' });
  },
};

export const claude = {
  name: 'Claude Code',
  dialect,
  program: path.join(PACKAGES, 'node_modules', '@anthropic-ai', `claude-code-linux-${process.arch}`, 'claude'),

  async prepare(bench, model) {
    // Its first lines are what a person has answered at the first start.
    await writeFile(path.join(bench.home, '.claude.json'), JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      projects: { [bench.project]: { hasTrustDialogAccepted: true } },
      mcpServers: {
        [SERVER]: { type: 'stdio', command: GIBBOUS, args: bench.serverArgs(), env: bench.serverEnv() },
      },
    }));
    return { ...bench.hostEnv(), ANTHROPIC_BASE_URL: model.url, ANTHROPIC_AUTH_TOKEN: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
  },

  headless(prompt) {
    return ['-p', prompt, '--allowedTools', `mcp__${SERVER}`];
  },

  /** Shown once it takes a prompt. */
  ready: /❯[^]*mode on/,

  interactive() {
    return ['--permission-mode', 'default', '--allowedTools', `mcp__${SERVER}`];
  },
};
