// The official suite speaks HTTP only, so its scenarios about tools run here over stdio, through the
// official clients of both eras. The table of what passes is in docs/mcp.md, word for word.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { CLIENTS, MODERN, PROFILE, Workbench, assertProgress, progressOf, promised, textOf }
  from './support.mjs';

const PAGE = process.env.GIBBOUS_MCP_PAGE;
assert.ok(PAGE, 'GIBBOUS_MCP_PAGE must name docs/mcp.md');

const accept = (content) => ({ action: 'accept', content });
const spoken = (text) => ({ role: 'assistant', model: 'test-model', stopReason: 'endTurn',
  content: { type: 'text', text } });
const ROOTS = { roots: [{ uri: 'file:///test/root', name: 'Test Root' }] };
const TEXT = 'This is a simple text response for testing.';

/** A client that answers whatever it is asked, but for what is left out. */
async function connect(t, client, { without = [] } = {}) {
  const bench = await Workbench.with(t, PROFILE);
  const asked = [];
  const answers = [];
  const changes = [];
  const options = {
    onElicit: (params) => {
      asked.push(params);
      return answers.shift() ?? accept({ name: 'Alice' });
    },
    onSample: () => spoken('Paris'),
    onRoots: () => ROOTS,
    onToolsChanged: () => changes.shift()?.resolve(),
  };
  for (const ability of without) delete options[ability];
  const session = await client.connect(bench, options);
  t.after(() => session.close());
  const call = (name, args = {}, more = {}) => session.callTool(name, args, more);
  return { client, session, asked, answers, changes, call,
    said: async (...args) => textOf(await call(...args)) };
}

const returns = (name, types) => async ({ call }) => {
  const { content, isError } = await call(name);
  assert.ok(!isError);
  assert.deepEqual(content.map(({ type }) => type), types);
};

const says = (name, text, args) => async ({ said }) => assert.equal(await said(name, args), text);

/** By their names in the suite. */
const SCENARIOS = {
  'tools-list': async ({ session }) => {
    const tools = await session.listTools();
    assert.ok(tools.some(({ name }) => name === 'test_simple_text'));
    for (const { description, inputSchema } of tools) {
      assert.ok(description);
      assert.equal(inputSchema.type, 'object');
    }
  },
  'tools-call-simple-text': says('test_simple_text', TEXT),
  'tools-call-image': returns('test_image_content', ['image']),
  'tools-call-audio': returns('test_audio_content', ['audio']),
  'tools-call-embedded-resource': returns('test_embedded_resource', ['resource']),
  'tools-call-mixed-content': returns('test_multiple_content_types', ['text', 'image', 'resource']),
  'tools-call-error': async ({ call }) => {
    const result = await call('test_error_handling');
    assert.equal(result.isError, true);
    assert.match(textOf(result), /intentionally/);
  },
  'tools-call-with-progress': async ({ session, call }) => {
    const seen = progressOf(session);
    await call('test_tool_with_progress', {}, { onprogress: () => {} });
    assertProgress(seen);
  },
  'tools-call-with-logging': says('test_tool_with_logging', 'Tool with logging executed'),
  'tools-call-sampling': says('test_sampling', 'LLM response: Paris', { prompt: 'Capital?' }),
  'tools-call-elicitation': async ({ said, asked, answers }) => {
    answers.push(accept({ username: 'ann', email: 'ann@example.org' }), { action: 'decline' },
      { action: 'cancel' });
    assert.match(await said('test_elicitation', { message: 'Who?' }), /action=accept.*"ann"/);
    assert.equal(asked.at(-1).message, 'Who?');
    assert.match(await said('test_elicitation', { message: 'Who?' }), /action=decline/);
    assert.match(await said('test_elicitation', { message: 'Who?' }), /action=cancel/);
  },
  'elicitation-sep1034-defaults': async ({ said, asked, answers }) => {
    answers.push(accept({ name: 'Jane', age: 25, score: 88, status: 'inactive', verified: false }));
    assert.match(await said('test_elicitation_sep1034_defaults'), /action=accept.*"Jane"/);
    const fields = Object.values(asked.at(-1).requestedSchema.properties);
    assert.deepEqual(fields.map((field) => typeof field.default).sort(),
      ['boolean', 'number', 'number', 'string', 'string']);
  },
  'elicitation-sep1330-enums': async ({ said, asked, answers }) => {
    answers.push(accept({ untitledSingle: 'option1', titledSingle: 'value1', legacyEnum: 'opt1',
      untitledMulti: ['option1', 'option2'], titledMulti: ['value1', 'value2'] }));
    assert.match(await said('test_elicitation_sep1330_enums'), /action=accept.*"opt1"/);
    const fields = asked.at(-1).requestedSchema.properties;
    assert.equal(fields.titledSingle.oneOf[0].title, 'First');
    assert.deepEqual(fields.legacyEnum.enumNames, ['One', 'Two']);
    assert.equal(fields.titledMulti.items.anyOf[0].const, 'value1');
  },
  'json-schema-2020-12': async ({ session, call, said }) => {
    const tool = (await session.listTools()).find(({ name }) => name === 'json_schema_2020_12_tool');
    const { inputSchema } = tool;
    assert.equal(inputSchema.$schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.equal(inputSchema.$defs.address.$anchor, 'addressDef');
    assert.deepEqual(inputSchema.then, { required: ['phone'] });
    assert.equal(inputSchema.additionalProperties, false);
    assert.equal(await said(tool.name, { contactMethod: 'phone', phone: '1' }), 'Reached by phone');
    const wrong = await call(tool.name, { contactMethod: 'phone', email: 'a@b' });
    assert.equal(wrong.isError, true);
  },
  'input-required-result-basic-elicitation':
    says('test_input_required_result_elicitation', 'Hello, Alice!'),
  'input-required-result-basic-sampling':
    says('test_input_required_result_sampling', 'LLM response: Paris'),
  'input-required-result-basic-list-roots':
    says('test_input_required_result_list_roots', 'Roots: file:///test/root'),
  'input-required-result-request-state': async ({ said, answers }) => {
    answers.push(accept({ ok: true }));
    assert.equal(await said('test_input_required_result_request_state'), 'state-ok');
  },
  'input-required-result-multiple-input-requests':
    says('test_input_required_result_multiple_inputs', 'Hello, Alice! Paris file:///test/root'),
  'input-required-result-multi-round': async ({ said, answers }) => {
    answers.push(accept({ name: 'Alice' }), accept({ color: 'blue' }));
    assert.equal(await said('test_input_required_result_multi_round'), 'Alice likes blue');
  },
  'input-required-result-capability-check': async ({ client, t }) => {
    const { said } = await connect(t, client, { without: ['onElicit'] });
    assert.equal(await said('test_input_required_result_capabilities'), 'nobody Paris');
  },
  'server-stateless: a missing capability': async ({ client, t }) => {
    const { call } = await connect(t, client, { without: ['onSample'] });
    if (client.revision !== MODERN) {
      const result = await call('test_missing_capability');
      assert.equal(result.isError, true);
      assert.match(textOf(result), /sampling/);
      return;
    }
    await assert.rejects(call('test_missing_capability'), (error) => {
      assert.equal(error.code, -32021);
      assert.deepEqual(error.data.requiredCapabilities, { sampling: {} });
      return true;
    });
  },
  'server-stateless: a changed list of tools': async ({ session, changes, call }) => {
    const there = async () =>
      (await session.listTools()).some(({ name }) => name === 'test_changing_tool');
    for (const expected of [true, false]) {
      const change = promised('the list of tools has changed');
      changes.push(change);
      await call('test_trigger_tool_change');
      await change.promise;
      assert.equal(await there(), expected);
    }
  },
};

const COLUMNS = CLIENTS.filter(({ name }) => !name.includes('negotiated'));

test('every scenario about tools passes over stdio, as docs/mcp.md says', async (t) => {
  const rows = Object.fromEntries(Object.keys(SCENARIOS).map((name) => [name, []]));
  const failures = [];
  await Promise.all(COLUMNS.map(async (client, column) => {
    const context = { ...await connect(t, client), t };
    for (const [name, run] of Object.entries(SCENARIOS)) {
      rows[name][column] = 'passes';
      try {
        await run(context);
      } catch (error) {
        rows[name][column] = 'fails';
        failures.push(`${name}, ${client.name}: ${error.message}`);
      }
    }
  }));
  const table = [
    `| scenario | ${COLUMNS.map(({ name, revision }) =>
      `${name.split(',')[0]}, ${revision}`).join(' | ')} |`,
    `|---|${COLUMNS.map(() => '---|').join('')}`,
    ...Object.entries(rows).map(([name, cells]) => `| ${name} | ${cells.join(' | ')} |`),
  ].join('\n');
  for (const line of table.split('\n')) t.diagnostic(line);
  assert.deepEqual(failures, []);
  const page = await readFile(PAGE, 'utf8');
  assert.ok(page.includes(`\n${table}\n`), `docs/mcp.md has another table than:\n${table}`);
});
