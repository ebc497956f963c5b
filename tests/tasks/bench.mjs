// The tasks, as a table: calls, bytes that a model reads, seconds to the fact, whether it was seen,
// and what was left over.
//
//   bench.mjs [--quick] [--show] [TASK...]     TASK is a number
//
// --quick shortens waits that only take time; --show prints what the model reads. GIBBOUS names the
// program, GIBBOUS_TASK_PACKAGES the directory with the packages. Exits with 1 when a fact was not
// seen, something was left over, or lean missed its goal; the default set may take 1.5 times as much.
import { Model } from './model.mjs';
import { TASKS } from './tasks.mjs';
import { DEFAULT, LEAN } from './vocabulary.mjs';

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const show = words.includes('--show');
const chosen = words.filter((word) => /^\d+$/.test(word)).map(Number);
const QUICK_SECONDS = 2;
// The formats of their documents are fixed, so the default set may take more.
const ALLOWANCE = { lean: 1, bg: 1.5 };

async function measure(task, tools) {
  const model = await Model.start(tools.toolsets);
  const began = performance.now();
  const seen = await task.run(model, tools, quick ? QUICK_SECONDS : task.seconds).catch((error) => {
    console.error(error);
    return false;
  });
  const seconds = (performance.now() - began) / 1000;
  const { calls, bytes, answers } = model;
  const left = await model.close();
  const allowed = ALLOWANCE[tools.name];
  const good = calls <= task.goal.calls * allowed && bytes <= task.goal.bytes * allowed;
  return { calls, bytes, seconds, seen, left, good, answers };
}

const row = (cells) => `| ${cells.join(' | ')} |`;
let failed = false;
console.log(row(['task', 'set', 'calls · bytes', 'goal', 'seconds', 'fact', 'left over']));
console.log(row(Array(7).fill('---')));
for (const [index, task] of TASKS.entries()) {
  if (chosen.length > 0 && !chosen.includes(index + 1)) continue;
  for (const tools of [LEAN, DEFAULT]) {
    const got = await measure(task, tools);
    // A goal of the default set is missed where its document's formats alone are longer.
    failed = failed || !got.seen || got.left.length > 0 || (tools === LEAN && !got.good);
    console.log(row([`${index + 1} ${task.name}`, tools.name, `${got.calls} · ${got.bytes}`,
      `${task.goal.calls} · ${task.goal.bytes}${got.good ? '' : ' missed'}`, got.seconds.toFixed(1),
      got.seen ? 'seen' : 'NOT SEEN', got.left.length === 0 ? 'nothing' : got.left.join(', ')]));
    if (show) console.log(`\n${got.answers.map((text) => `> ${text}`).join('\n')}\n`);
  }
}
for (const tools of [LEAN, DEFAULT]) {
  const model = await Model.start(tools.toolsets);
  console.log(`definitions of ${tools.name}: ${await model.definitions()} bytes`);
  await model.close();
}
process.exit(failed ? 1 : 0);
