// What a task asks for, in the words of two sets of tools: `lean` and the default set.

const id_of = (text) => /\b(?:id=)?([A-Za-z0-9]{8})\b/.exec(text)?.[1];

export const LEAN = {
  name: 'lean',
  toolsets: ['lean'],
  start: (model, command, more = {}) => model.call('run', { command, ...more }),
  until: {
    exit: 'exit', input: 'input', quiet: (ms) => `quiet ${ms}`, port: (port) => `port ${port}`,
    http: (url) => url, line: (line) => line,
  },
  wait: (model, id, until, timeout) => model.call('job', { action: 'wait', id, until, timeout }),
  type: (model, id, keys) => model.call('job', { action: 'keys', id, keys }),
  output: (model, id, more = {}) => model.call('job', { action: 'output', id, ...more }),
  list: (model) => model.call('job', { action: 'list' }),
  stop_all: (model) => model.call('job', { action: 'stop' }),
  id_of,
};

export const DEFAULT = {
  name: 'bg',
  toolsets: [],
  start: (model, command, { until, timeout, ...more } = {}) => model.call('bg_start', {
    command, ...more, ...(until ? { until: { ...until, ...(timeout ? { timeout } : {}) } } : {}),
  }),
  until: {
    exit: { exit: true }, input: { input: true }, quiet: (quiet) => ({ quiet }),
    port: (port) => ({ port }), http: (http) => ({ http }), line: (line) => ({ line }),
  },
  wait: (model, id, until, timeout) => model.call('wait_for', {
    id, timeout, ...(until.line ? { output_regex: until.line } : until),
  }),
  type: (model, id, keys) => model.call('bg_input', { id, keys }),
  output: (model, id, more = {}) => model.call('bg_output', { id, ...more }),
  list: (model) => model.call('bg_status', {}),
  // One call for each run: its document has no way to end all of them.
  stop_all: async (model, ids) => {
    const texts = [];
    for (const id of ids) texts.push(await model.call('bg_kill', { id }));
    return texts.join('\n');
  },
  id_of,
};
