// The fixtures of the official suite (profile/), as scripts, through every official client.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { CLIENTS, PROFILE, Workbench, assertProgress, progressOf, textOf } from './support.mjs';


/** A client of a server with the profile, whose user gives these answers. */
async function connect(t, client, answers) {
  const bench = await Workbench.with(t, PROFILE);
  const asked = [];
  const onElicit = answers && ((params) => {
    asked.push(params);
    return answers.shift();
  });
  const session = await client.connect(bench, { onElicit });
  t.after(() => session.close());
  return { session, asked, call: (name, args = {}) => session.callTool(name, args) };
}

const accept = (content) => ({ action: 'accept', content });

for (const client of CLIENTS) {
  describe(client.name, () => {
    test('tools return every kind of content', async (t) => {
      const { call } = await connect(t, client);
      const types = async (name) => (await call(name)).content.map(({ type }) => type);
      assert.equal(textOf(await call('test_simple_text')),
        'This is a simple text response for testing.');
      assert.deepEqual(await types('test_image_content'), ['image']);
      assert.deepEqual(await types('test_audio_content'), ['audio']);
      assert.deepEqual(await types('test_embedded_resource'), ['resource']);
      const { content } = await call('test_multiple_content_types');
      assert.deepEqual(content.map(({ type }) => type), ['text', 'image', 'resource']);
      assert.deepEqual(JSON.parse(content[2].resource.text), { test: 'data', value: 123 });
      const failed = await call('test_error_handling');
      assert.equal(failed.isError, true);
      assert.equal(textOf(failed), 'This tool intentionally returns an error for testing');
    });

    test('resources are listed and read', async (t) => {
      const { session } = await connect(t, client);
      const { resources } = await session.client.listResources();
      assert.deepEqual(resources.map(({ uri }) => uri),
        ['test://static-binary', 'test://static-text', 'test://watched-resource', 'gibbous://report']);
      const read = async (uri) => (await session.client.readResource({ uri })).contents[0];
      assert.deepEqual(await read('test://static-text'), { uri: 'test://static-text',
        mimeType: 'text/plain', text: 'This is the content of the static text resource.' });
      const image = await read('test://static-binary');
      assert.equal(Buffer.from(image.blob, 'base64').subarray(1, 4).toString(), 'PNG');
      const { text, mimeType } = await read('test://template/123/data');
      assert.equal(mimeType, 'application/json');
      assert.deepEqual(JSON.parse(text),
        { id: '123', templateTest: true, data: 'Data for ID: 123' });
      await assert.rejects(read('test://nothing'), (error) => {
        // SDK 2 shows the code of 2026-07-28 whatever the revision is.
        assert.equal(error.code, client === CLIENTS[0] ? -32002 : -32602);
        return true;
      });
    });

    test('prompts are got and completed', async (t) => {
      const { session } = await connect(t, client);
      const get = async (name, args) =>
        (await session.client.getPrompt({ name, arguments: args })).messages;
      assert.deepEqual(await get('test_simple_prompt'), [{ role: 'user',
        content: { type: 'text', text: 'This is a simple prompt for testing.' } }]);
      const [both] = await get('test_prompt_with_arguments', { arg1: 'hello', arg2: 'world' });
      assert.equal(both.content.text, "Prompt with arguments: arg1='hello', arg2='world'");
      const embedded = await get('test_prompt_with_embedded_resource', { resourceUri: 'test://x' });
      assert.equal(embedded[0].content.resource.uri, 'test://x');
      assert.equal(embedded[1].content.type, 'text');
      assert.equal((await get('test_prompt_with_image'))[0].content.type, 'image');
      const { completion } = await session.client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' } });
      assert.deepEqual(completion.values, ['paris', 'park', 'party']);
    });

    test('tools ask with every kind of field', async (t) => {
      const person = { username: 'ann', email: 'ann@example.org' };
      const values = { name: 'Jane', age: 25, score: 88, status: 'inactive', verified: false };
      const choices = { untitledSingle: 'option1', titledSingle: 'value2',
        untitledMulti: ['option1', 'option3'], titledMulti: ['value1'] };
      const { call, asked } = await connect(t, client,
        [accept(person), { action: 'decline' }, accept(values), accept(choices)]);
      const said = async (name, args) => textOf(await call(name, args));
      const content = (text) => JSON.parse(text.split('content=')[1]);
      assert.deepEqual(content(await said('test_elicitation', { message: 'Who?' })), person);
      assert.match(await said('test_elicitation', { message: 'Who?' }), /action=decline/);
      assert.deepEqual(content(await said('test_elicitation_sep1034_defaults')), values);
      assert.deepEqual(content(await said('test_elicitation_sep1330_enums')), choices);
      assert.equal(asked[0].message, 'Who?');
      assert.deepEqual(asked[0].requestedSchema.required.toSorted(), ['email', 'username']);
      const fields = asked[2].requestedSchema.properties;
      assert.deepEqual(Object.values(fields).map((field) => field.default).sort(),
        [30, 95.5, 'John Doe', 'active', true].sort());
      assert.equal(asked[3].requestedSchema.properties.titledSingle.oneOf[0].title, 'First');
      assert.equal(asked[3].requestedSchema.properties.titledMulti.items.anyOf[0].const, 'value1');
    });

    test('a call and a prompt take several rounds', async (t) => {
      const { session, call } = await connect(t, client, [accept({ name: 'Ann' }),
        accept({ name: 'Ann' }), accept({ color: 'blue' }), accept({ context: 'tests' }),
        accept({ ok: true })]);
      assert.equal(textOf(await call('test_input_required_result_elicitation')), 'Hello, Ann!');
      assert.equal(textOf(await call('test_input_required_result_multi_round')), 'Ann likes blue');
      const { messages } = await session.client.getPrompt(
        { name: 'test_input_required_result_prompt' });
      assert.equal(messages[0].content.text, 'Use this context: tests');
      assert.equal(textOf(await call('test_input_required_result_request_state')), 'state-ok');
    });

    test('a client that can do neither is told so', async (t) => {
      const { call } = await connect(t, client);
      for (const [name, args] of [['test_sampling', { prompt: 'x' }],
        ['test_elicitation', { message: 'x' }]]) {
        const result = await call(name, args);
        assert.equal(result.isError, true);
        assert.match(textOf(result), /does not support/);
      }
    });

    test('progress comes before the answer', async (t) => {
      const { session } = await connect(t, client);
      const seen = progressOf(session);
      await session.callTool('test_tool_with_progress', {}, { onprogress: () => {} });
      assertProgress(seen);
    });
  });
}
