// The tool `start_services`: several calls of one session, and what it says of its services.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { HERE, LIMIT, PATIENCE_MS, Session } from './support.mjs';

const SCRIPTS = path.join(HERE, '..', '..', 'scripts');

const start = (t) => Session.start(t, "{ toolsets = { 'services', 'bg' } }", { scripts: SCRIPTS });
const serve = (session, ...services) => session.call('start_services', { services, timeout: PATIENCE_MS });

test('a service starts after one of an earlier call', LIMIT, async (t) => {
  const session = await start(t);
  const first = await serve(session,
    { name: 'db', command: 'echo up; sleep 1000', ready: { output_regex: '^up$' } },
    { name: 'done', command: 'true', ready: { exit: true } });
  assert.equal(first.result.data.ready, true);
  const second = await serve(session,
    { name: 'web', command: 'echo here; sleep 1000', after: ['db', 'done'], ready: { output_regex: 'here' } });
  assert.equal(second.result.data.ready, true);
  const third = await serve(session, { name: 'late', command: 'true', after: ['nobody'] });
  assert.match(third.error.message, /service late: after: there is no service nobody/);
});

test('a running service is not started twice', LIMIT, async (t) => {
  const session = await start(t);
  const first = await serve(session, { name: 'web', command: 'sleep 1000' });
  const { id } = first.result.data.services[0];
  const second = await serve(session, { name: 'web', command: 'sleep 1000' });
  assert.match(second.error.message, new RegExp(`service web: name: .* runs already, id=${id}: end it`));
  await session.call('bg_kill', { id });
  const third = await serve(session, { name: 'web', command: 'sleep 1000' });
  assert.equal(third.result.data.ready, true);
});

test('reasons name services, not runs', LIMIT, async (t) => {
  const session = await start(t);
  const { result } = await serve(session,
    { name: 'db', command: 'exit 3', ready: { exit: true } },
    { name: 'web', command: 'true', after: ['db'] });
  assert.equal(result.data.services[1].reason, 'not started: db ended (exit code 3)');
});

test('a mistake is found before anything starts, and reported with the argument\'s name', LIMIT, async (t) => {
  const session = await start(t);
  const answer = await serve(session, { name: 'a', command: 'sleep 1000' },
    { name: 'b', command: 'true', ready: { port: 5, output_regex: '(' } });
  assert.match(answer.error.message, /^service b: ready: output_regex: missing/);
  assert.deepEqual(session.events.filter((event) => event.event === 'run_started'), []);
});
