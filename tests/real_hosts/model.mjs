// A model on the loopback that says what a test has written for it: the Messages API for Claude Code and the
// Responses API for Codex, both as streams. A script is an async generator: it yields what the model says,
// and gets back what the host let it see next.
//
//   const model = await Model.start(t, claude.dialect, file, async function* () {
//     const started = yield call('bg_start', { command: 'make' });
//     // started.result: the text that the model read
//   });
import { appendFile } from 'node:fs/promises';
import http from 'node:http';

/** The model calls a tool of Gibbous, by the name that Gibbous gives it. */
export const call = (tool, args = {}) => ({ tool, args });

/** The model calls a tool of the host itself. */
export const callHost = (tool, args = {}) => ({ tool, args, ofHost: true });

/** The model ends its turn. */
export const say = (text) => ({ text });

export class Model {
  /** `dialect` reads and writes the host's protocol; what the model gets is also written to `file`. */
  static async start(t, dialect, file, script) {
    const model = new Model();
    model.dialect = dialect;
    model.script = script();
    model.file = file;
    model.requests = [];
    model.failures = [];
    /** How often it had to look a tool up before it could call it. */
    model.lookups = 0;
    model.server = http.createServer((request, response) => model.receive(request, response));
    await new Promise((resolve) => model.server.listen(0, '127.0.0.1', resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}`;
    t.after(() => {
      model.server.closeAllConnections();
      model.server.close();
    });
    return model;
  }

  async receive(request, response) {
    let text = '';
    request.setEncoding('utf8');
    for await (const chunk of request) text += chunk;
    if (!this.dialect.isConversation(request.url, text)) {
      this.dialect.answerAside(request.url, text, response);
      return;
    }
    await appendFile(this.file, `${text}\n`);
    const seen = this.dialect.read(JSON.parse(text));
    this.requests.push(seen);
    let said;
    try {
      said = await this.next(seen);
    } catch (error) {
      // An assertion of the script: the host is to end, and the test to tell of it.
      this.failures.push(error);
      said = say('The script of the test has failed.');
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.dialect.write(response, said, seen);
    response.end();
  }

  /** What the model says now that it sees this. */
  async next(seen) {
    if (!this.pending) {
      const { value, done } = await this.script.next(seen);
      if (done) return say('That is all.');
      this.pending = value;
    }
    const said = this.pending;
    // As a model does: tools that the host has not shown yet are looked up first.
    if (said.tool && !said.ofHost && !said.lookedUp) {
      const lookup = this.dialect.lookup?.(said.tool, seen);
      if (lookup) {
        this.lookups += 1;
        said.lookedUp = true;
        return lookup;
      }
    }
    this.pending = undefined;
    return said;
  }

  /** Throws what an assertion of the script has thrown. */
  check() {
    if (this.failures.length > 0) throw this.failures[0];
  }
}

/** One event of a stream. */
export function send(response, event) {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
