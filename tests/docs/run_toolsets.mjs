// Runs the examples of a guide to the toolsets as they stand.
//
//   node run_toolsets.mjs GUIDE
//
// A block ```session OPTIONS is a session of its own with these options and a workspace of its own.
// A line that begins with "> " is a call, and goes on in lines that begin with ">   "; the lines with "< " after it
// are the text that it must give. In them Ab3xK9mZ, Bc4yL8nW ... are ids: the one that is met later is the one that was given
// before, in calls too. Digits stand for any digits, a duration for any duration, and ... for anything;
// 8123 in a call is a port that is free. GIBBOUS names the program.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

import { Session, make_place } from '../seeds/session.mjs';

const BLOCK = /^```session([^\n]*)\n(.*?)^```$/gms;
const DURATION = /^[\d.]+m?s$/;
const IDS = ['Ab3xK9mZ', 'Bc4yL8nW', 'Cd5zM7pX'];

function steps_of(text) {
  const steps = [];
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('>   ')) steps.at(-1).call += line.slice(4);
    else if (line.startsWith('> ')) steps.push({ call: line.slice(2), expected: [] });
    else if (line.startsWith('<')) steps.at(-1).expected.push(line.slice(2));
    else assert.fail(`neither a call nor its text: ${line}`);
  }
  return steps;
}

function free_port() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function pattern_of(lines, ids) {
  const parts = lines.join('\n').split(new RegExp(`(${IDS.join('|')}|\\d[\\d.]*m?s\\b|\\d+|\\.\\.\\.)`));
  const made = parts.map((part) => {
    if (IDS.includes(part)) return ids.has(part) ? ids.get(part) : `(?<${part}>[A-Za-z0-9]{8})`;
    if (part === '...') return '[^]*';
    if (DURATION.test(part)) return '(?:\\d+m )?[\\d.]+m?s';
    return /^\d+$/.test(part) ? '\\d+' : escaped(part);
  });
  return new RegExp(`^${made.join('')}\\s*$`);
}

async function run_block(options, text) {
  const place = await make_place();
  const toolsets = [...options.matchAll(/--toolset (\S+)/g)].map(([, name]) => name);
  const session = await Session.start({ place, toolsets });
  const ids = new Map();
  const port = await free_port();
  for (const { call, expected } of steps_of(text)) {
    const known = [...ids].reduce((line, [name, id]) => line.replaceAll(name, id), call);
    const { tool, args } = JSON.parse(known.replaceAll('$TMPDIR', place.temp).replaceAll('8123', port));
    const { result, error } = await session.answer(tool, args);
    const given = result?.text ?? `${error.code}: ${error.message}`;
    const shown = given.replaceAll(place.temp, '$TMPDIR').replaceAll(place.workspace, '$WORKSPACE');
    const found = pattern_of(expected, ids).exec(shown);
    assert.ok(found, `${call}\ngives:\n${shown}\nand not:\n${expected.join('\n')}`);
    for (const [name, id] of Object.entries(found.groups ?? {})) ids.set(name, id);
  }
  await session.end();
  await place.remove();
}

const guide = await readFile(process.argv[2], 'utf8');
const blocks = [...guide.matchAll(BLOCK)];
assert.ok(blocks.length > 0, 'the guide has no examples');
for (const [, options, text] of blocks) await run_block(options, text);
console.log(`${blocks.length} examples run as they stand`);
