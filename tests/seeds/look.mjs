// What tests look at besides a session: the schemas of a toolset, and the journal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { GIBBOUS, program } from './session.mjs';

/** The names of a toolset's tools, and the description and schema of one of them. */
export async function schema_of(bench, toolset, tool) {
  const { workspace, state } = await bench.place();
  const { code, stdout, stderr } = await program(GIBBOUS, [
    'tools', '--format', 'openai', '--toolset', toolset, '--workspace', workspace, '--state', state,
  ]);
  assert.equal(code, 0, stderr);
  const functions = JSON.parse(stdout).map((each) => each.function ?? each);
  const found = functions.find((each) => each.name === tool);
  if (tool) assert.ok(found, `there is no tool ${tool}: ${stdout}`);
  return {
    tools: functions.map((each) => each.name),
    description: found?.description,
    schema: found?.parameters,
  };
}

const REQUESTS = [
  {
    id: 1, method: 'initialize',
    params: {
      protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'seeds', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];

/** What a toolset's list of tools costs a model: the bytes of the answer that MCP clients get. */
export async function bytes_of_list(bench, toolset) {
  const { workspace, state } = await bench.place();
  const server = spawn(GIBBOUS, [
    'mcp', '--mode', 'auto', '--toolset', toolset, '--workspace', workspace, '--state', state,
  ], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    for (const request of REQUESTS) {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
    }
    for await (const line of createInterface({ input: server.stdout })) {
      if (JSON.parse(line).id === 2) return Buffer.byteLength(line);
    }
    return assert.fail('the server ended without an answer');
  } finally {
    server.stdin.end();
  }
}

const QUERY = `
import json, sqlite3, sys
rows = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True).execute(sys.argv[2])
print(json.dumps(rows.fetchall()))`;

/** The rows that a query finds in the session's journal, once there are any. */
export async function recorded(session, query) {
  const database = path.join(session.place.state, 'sessions.db');
  for (let look = 0; look < 100; ++look) {
    const { code, stdout, stderr } = await program('python3', ['-c', QUERY, database, query]);
    if (code === 0 && stdout.trim() !== '[]') return JSON.parse(stdout);
    if (look === 99) assert.fail(`nothing is recorded: ${query}: ${stderr}`);
  }
  return [];
}
