// Languages: crashes with a stack, and their prompts.
const node = {
  version: 'node --version',
  files: {
    'crash.js': 'function read(options) {\n  return options.port.number;\n}\nread({});\n',
    'reject.js': "async function connect() {\n  throw new Error('no server');\n}\nconnect();\n",
    'plain.js': "Promise.reject('no server');\n",
    'import.js': "require('./missing');\n",
    'syntax.js': 'function add(a, b) {\n  return a +;\n}\n',
    'serve.js': "require('http').createServer().listen(8380, 'localhost', () => {\n"
      + "  console.log('Server listening on http://localhost:8380');\n});\n",
    'busy.js': "const http = require('http');\nhttp.createServer().listen(8381, "
      + "() => http.createServer().listen(8381));\n",
  },
  recordings: [
    { name: 'crash', command: 'node crash.js' },
    { name: 'reject', command: 'node reject.js' },
    { name: 'reject_plain', command: 'node plain.js' },
    { name: 'import', command: 'node import.js' },
    { name: 'syntax', command: 'node syntax.js' },
    { name: 'busy_port', command: 'node busy.js' },
    { name: 'ready', command: 'node serve.js', steps: [{ until: /listening/ }] },
    { name: 'prompt_pty', command: 'node', pty: true,
      steps: [{ until: /> /, type: '1 + 1\r' }, { until: /\n2/ }] },
  ],
};

const npm = {
  version: 'npm --version',
  files: {
    'package.json': '{ "name": "app", "version": "1.0.0", "scripts": { "build": "false" } }\n',
    'new/readme.txt': '',
  },
  recordings: [
    { name: 'failure', command: 'npm run build' },
    { name: 'missing', command: 'npm run missing' },
    { name: 'init_pty', command: 'cd new && npm init', pty: true,
      steps: [{ until: /package name/, type: '\r' }, { until: /version/ }] },
  ],
};

const python = {
  version: 'python3 --version',
  files: {
    'crash.py': 'def read(options):\n    return options["port"]\n\n\nread({})\n',
    'chain.py': 'try:\n    int("http")\nexcept ValueError as error:\n    raise RuntimeError("no '
      + 'port") from error\n',
    'syntax.py': 'def add(a, b):\n    return a +\n',
    'ask.py': 'name = input("Enter your name: ")\n',
  },
  recordings: [
    { name: 'crash', command: 'python3 crash.py' },
    { name: 'chain', command: 'python3 chain.py' },
    { name: 'syntax', command: 'python3 syntax.py' },
    { name: 'http_ready', command: 'python3 -m http.server 8480', steps: [{ until: /Serving/ }] },
    { name: 'prompt_pty', command: 'python3', pty: true,
      steps: [{ until: />>> /, type: '1 + 1\r' }, { until: /\n2\r\n>>> $/ }] },
    { name: 'debugger_pty', command: 'python3 -m pdb crash.py', pty: true,
      steps: [{ until: /\(Pdb\) $/ }] },
    { name: 'input_pty', command: 'python3 ask.py', pty: true, steps: [{ until: /name: $/ }] },
  ],
};

const java = {
  version: 'java -version 2>&1 | head -n 1',
  files: {
    'Crash.java': 'class Crash {\n  static int size(String text) { return text.length(); }\n'
      + '  public static void main(String[] args) {\n    try { size(null); }\n'
      + '    catch (NullPointerException e) { throw new IllegalStateException("no text", e); }\n'
      + '  }\n}\n',
    'Bad.java': 'class Bad {\n  int port() { return missing; }\n  int host() { return 1 }\n}\n',
    'Type.java': 'class Type {\n  int port() { return "http"; }\n}\n',
  },
  recordings: [
    { name: 'crash', command: 'javac -d . Crash.java && java -cp . Crash' },
    { name: 'error', command: 'javac -d . Bad.java' },
    { name: 'error_type', command: 'javac -d . Type.java' },
  ],
};

export default { node, npm, python, java };
