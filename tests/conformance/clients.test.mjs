// The main job through every official client: list, start, wait, read, kill, progress, cancel,
// reload.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { CLIENTS, Workbench, promised, textOf, until } from './support.mjs';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** A connected client; it and its server are gone when the test ends. */
async function connect(t, client, options = {}) {
  const bench = await Workbench.for(t);
  const session = await client.connect(bench, options);
  t.after(() => session.close());
  assert.equal(session.revision, client.revision);
  return { bench, session };
}

for (const client of CLIENTS) {
  describe(client.name, () => {
    test('introduces the server and how its tools work together', async (t) => {
      const { session } = await connect(t, client);
      const { name, title, version } = session.client.getServerVersion();
      assert.equal(name, 'gibbous');
      assert.equal(title, 'Gibbous');
      assert.match(version, /^\d+\.\d+\.\d+$/);
      assert.match(session.client.getInstructions(), /bg_start/);
    });

    test('lists every tool in full', async (t) => {
      const { session } = await connect(t, client);
      const tools = await session.listTools();
      const names = tools.map((tool) => tool.name);
      for (const name of ['bg_start', 'bg_status', 'bg_output', 'bg_kill', 'wait_for']) {
        assert.ok(names.includes(name), name);
      }
      assert.deepEqual(names, [...names].sort());
      for (const tool of tools) {
        assert.match(tool.name, /^[A-Za-z0-9_.-]{1,128}$/);
        assert.ok(tool.description.length > 0, tool.name);
        assert.equal(tool.inputSchema.type, 'object', tool.name);
        assert.ok(!Array.isArray(tool.inputSchema.properties), tool.name);
        const outputType = tool.outputSchema?.type ?? 'object';
        assert.equal(outputType, 'object', tool.name);
        for (const hint of HINTS) assert.equal(typeof tool.annotations[hint], 'boolean', tool.name);
      }
      assert.deepEqual(await session.listTools(), tools);
    });

    test('starts a process, waits until it is ready, reads its output and ends it', async (t) => {
      const { bench, session } = await connect(t, client);
      const started = await session.callTool('bg_start', {
        command: 'echo "ready at $$"; sleep 600 & exec sleep 600', label: 'server' });
      assert.ok(!started.isError, textOf(started));
      const { id, pid } = started.structuredContent;
      assert.match(textOf(started), new RegExp(`id=${id} pid=${pid} `));

      const ready = await session.callTool('wait_for', { id, output_regex: 'ready at (\\d+)' });
      assert.ok(!ready.isError, textOf(ready));
      assert.match(JSON.stringify(ready.structuredContent), /ready at/);

      const output = await session.callTool('bg_output', { id });
      const line = `ready at ${pid}`;
      assert.ok(textOf(output).includes(line));
      assert.ok(JSON.stringify(output.structuredContent).includes(line));

      assert.ok(await bench.isAlive(pid));
      const killed = await session.callTool('bg_kill', { id });
      assert.ok(!killed.isError, textOf(killed));
      assert.equal(killed.structuredContent.killed, true);
      await until('its whole tree is gone', async () =>
        (await bench.processes()).every((process) => !process.command.startsWith('sleep')));
    });

    test('calls run concurrently', async (t) => {
      const { session } = await connect(t, client);
      let waiting = true;
      const slow = session.callTool('wait_for', { timer_ms: 500 }).finally(() => {
        waiting = false;
      });
      const quick = await session.callTool('bg_status', {});
      assert.ok(!quick.isError);
      assert.ok(waiting, 'the quick call was answered first');
      assert.ok(!(await slow).isError);
    });

    test('a process is a resource that can be listed and read', async (t) => {
      const { session } = await connect(t, client);
      const started = await session.callTool('bg_start', { command: 'echo "hello from $$"' });
      const { id } = started.structuredContent;
      const ended = await session.callTool('wait_for', { id, exit: true });
      assert.ok(!ended.isError, textOf(ended));
      const uri = `gibbous://runs/${id}`;
      const { resources } = await session.client.listResources();
      assert.deepEqual(resources.map((resource) => resource.uri), ['probe://static', 'gibbous://report', uri]);
      const { contents } = await session.client.readResource({ uri });
      assert.match(contents[0].text, /completed[^]*hello from \d+/);
      const { resourceTemplates } = await session.client.listResourceTemplates();
      assert.equal(resourceTemplates[0].uriTemplate, 'gibbous://runs/{id}');
      await assert.rejects(session.client.readResource({ uri: 'gibbous://runs/nobody' }), /nobody/);
    });

    test('resources of scripts are listed and read', async (t) => {
      const { session } = await connect(t, client);
      const { resources } = await session.client.listResources();
      assert.deepEqual(resources[0], { uri: 'probe://static', name: 'probe_static',
        title: 'Always there', mimeType: 'text/plain' });
      assert.deepEqual(resources.map(({ uri }) => uri), ['probe://static', 'gibbous://report']);
      const { resourceTemplates } = await session.client.listResourceTemplates();
      assert.equal(resourceTemplates.at(-1).uriTemplate, 'probe://items/{id}');
      const read = async (uri) => (await session.client.readResource({ uri })).contents;
      assert.deepEqual(await read('probe://static'),
        [{ uri: 'probe://static', mimeType: 'text/plain', text: 'at probe://static' }]);
      assert.deepEqual(await read('probe://items/a%20b'), [{ uri: 'probe://items/a%20b',
        mimeType: 'application/octet-stream', blob: 'YSBiAA==' }]);
      for (const uri of ['probe://items/none', 'probe://nothing']) {
        await assert.rejects(read(uri), (error) => {
          assert.match(error.message, new RegExp(uri));
          return true;
        });
      }
    });

    test('prompts are listed and got, and their arguments are checked', async (t) => {
      const { session } = await connect(t, client);
      const { prompts } = await session.client.listPrompts();
      assert.deepEqual(prompts, [{ name: 'probe_talk', title: 'Talk',
        description: 'Begins a conversation', arguments: [
          { name: 'about', description: 'What about', required: true },
          { name: 'tone', required: false }] }]);
      const get = (name, args) => session.client.getPrompt({ name, arguments: args });
      const { description, messages } = await get('probe_talk', { about: 'tests' });
      assert.equal(description, 'Begins a conversation');
      assert.deepEqual(messages, [
        { role: 'user', content: { type: 'text', text: 'About tests, plainly' } },
        { role: 'assistant', content: { type: 'image', mimeType: 'image/png', data: 'AAH/' } },
      ]);
      for (const [name, args, says] of [
        ['probe_talk', {}, /args\.about/], ['probe_tlk', {}, /probe_talk/]]) {
        await assert.rejects(get(name, args), (error) => {
          assert.equal(error.code, -32602);
          assert.match(error.message, says);
          return true;
        });
      }
    });

    test('arguments, variables and ids of processes are completed', async (t) => {
      const { session } = await connect(t, client);
      const complete = async (ref, name, value, args) => (await session.client.complete({
        ref, argument: { name, value }, ...(args && { context: { arguments: args } }) })).completion;
      assert.deepEqual(await complete({ type: 'ref/prompt', name: 'probe_talk' }, 'tone', 'p'),
        { values: ['Plainly', 'politely'], total: 2, hasMore: false });
      assert.deepEqual(await complete({ type: 'ref/prompt', name: 'probe_talk' }, 'about', 'p'),
        { values: [], total: 0, hasMore: false });
      const items = await complete(
        { type: 'ref/resource', uri: 'probe://items/{id}' }, 'id', 'a', { of: '-' });
      assert.equal(items.values.length, 100);
      assert.equal(items.values[0], 'a-1');
      assert.equal(items.total, 120);
      assert.equal(items.hasMore, true);
      const { structuredContent } = await session.callTool('bg_start', { command: 'true' });
      const { id } = structuredContent;
      const runs = await complete(
        { type: 'ref/resource', uri: 'gibbous://runs/{id}' }, 'id', id.slice(0, 4));
      assert.deepEqual(runs.values, [id]);
      await assert.rejects(complete({ type: 'ref/prompt', name: 'probe_talk' }, 'volume', ''),
        (error) => error.code === -32602 && /volume/.test(error.message));
    });

    test('progress rises until the result', async (t) => {
      const { session } = await connect(t, client);
      const seen = [];
      // A client that reads progress and the answer in one go drops the progress: its callback
      // is gone by then. So the answer waits until the last one was seen.
      let noted;
      const result = await session.callTool('probe_count', { until_seen: true }, {
        onprogress: (progress) => {
          seen.push(progress);
          if (progress.progress === progress.total) noted = session.callTool('probe_saw', {});
        } });
      await noted;
      assert.equal(textOf(result), 'counted');
      // A machine that stands still makes the server report that the call waits, in between.
      const said = seen.filter(({ progress }) => Number.isInteger(progress));
      assert.deepEqual(said.map(({ progress, total, message }) => [progress, total, message]),
        [[0, 100, 'at 0'], [50, 100, 'at 50'], [100, 100, 'at 100']]);
    });

    test('a call that waits reports the last line of its run', async (t) => {
      const { session } = await connect(t, client);
      const started = await session.callTool('bg_start', {
        command: 'echo configuring; echo PASSWORD=hunter2hunter2; exec sleep 600' });
      const { id } = started.structuredContent;
      const seen = [];
      const line = promised('the last line');
      const waited = session.callTool('wait_for', { id, exit: true }, {
        onprogress: (progress) => {
          seen.push(progress);
          if (progress.message === 'PASSWORD=***') line.resolve();
        } });
      await line.promise;
      await session.callTool('bg_kill', { id });
      await waited;
      const amounts = seen.map(({ progress }) => progress);
      assert.deepEqual(amounts, [...new Set(amounts)].sort((left, right) => left - right));
    });

    test('a cancelled call kills its child, and the server continues', async (t) => {
      const { bench, session } = await connect(t, client);
      const stop = new AbortController();
      const started = promised('the pid of the child');
      const call = session.callTool('probe_hang', {}, {
        signal: stop.signal, onprogress: ({ message }) => started.resolve(message) });
      const refused = assert.rejects(call);
      const pid = Number((await started.promise).replace('pid ', ''));
      await until('it runs', () => bench.isAlive(pid));
      stop.abort('not needed any more');
      await refused;
      await until('the child is gone', async () => !(await bench.isAlive(pid)));
      assert.ok(!(await session.callTool('bg_status', {})).isError);
    });

    test('the model sees bad arguments, and the client sees unknown tools', async (t) => {
      const { session } = await connect(t, client);
      const result = await session.callTool('bg_start', { comand: 'true' });
      assert.equal(result.isError, true);
      assert.equal(result.structuredContent, undefined);
      assert.match(textOf(result), /command/);
      await assert.rejects(session.callTool('bg_strat', {}), (error) => {
        assert.equal(error.code, -32602);
        assert.match(error.message, /bg_start/);
        return true;
      });
    });

    test('a refusal of the policy says what to do', async (t) => {
      for (const mode of ['plan', 'default']) {
        const { session } = await connect(t, client, { mode });
        const result = await session.callTool('bg_start', { command: 'true' });
        assert.equal(result.isError, true);
        assert.ok(textOf(result).length > 20, textOf(result));
        assert.ok(!(await session.callTool('bg_status', {})).isError);
      }
    });

    test('a script that never ends is stopped with its file and line', async (t) => {
      const { session } = await connect(t, client);
      const spinning = session.callTool('probe_spin', {});
      assert.ok(!(await session.callTool('bg_status', {})).isError);
      const result = await spinning;
      assert.equal(result.isError, true);
      assert.match(textOf(result), /probe\.lua:\d+/);
    });

    test('a large result arrives, and one that exceeds the limit of clients is an error', async (t) => {
      const { session } = await connect(t, client);
      const mebibyte = 1024 * 1024;
      const large = await session.callTool('probe_large', { bytes: 2 * mebibyte });
      assert.equal(textOf(large).length, 2 * mebibyte);
    });

    test('images, sounds, resources and links arrive, in a result and in an error', async (t) => {
      const { session } = await connect(t, client);
      for (const fail of [false, true]) {
        const { content, isError } = await session.callTool('probe_rich', { fail });
        assert.equal(isError, fail);
        assert.deepEqual(content, [
          { type: 'text', text: 'all kinds' },
          { type: 'image', mimeType: 'image/png', data: 'AAH/', annotations: {
            audience: ['user'], priority: 0.5, lastModified: '2026-01-12T15:00:58Z' } },
          { type: 'audio', mimeType: 'audio/wav', data: 'AAH/' },
          { type: 'resource', resource: {
            uri: 'probe://text', mimeType: 'text/plain', text: 'inside' } },
          { type: 'resource', resource: { uri: 'probe://blob', blob: 'eHk=' } },
          { type: 'resource_link', uri: 'probe://link', name: 'link', size: 12 },
        ]);
      }
    });

    test('an edited script is announced and called, a broken one changes nothing', async (t) => {
      const changes = [];
      const { bench, session } = await connect(t, client, {
        onToolsChanged: () => changes.push(1) });
      const edition = async () =>
        (await session.callTool('probe_edition', {})).structuredContent.edition;
      assert.equal(await edition(), 'first');

      await bench.addTool();
      await until('the change is announced', () => changes.length > 0);
      assert.ok((await session.listTools()).some((tool) => tool.name === 'probe_extra'));
      assert.equal(textOf(await session.callTool('probe_extra', {})), 'extra');
      assert.equal(await edition(), 'second');

      await bench.breakScript();
      const broken = await session.callTool('wait_for', { timer_ms: 600 });
      assert.ok(!broken.isError);
      assert.equal(await edition(), 'second');
      await bench.mendScript();
      await until('the mended script is in force', async () => (await edition()) === 'mended');
    });
  });
}
