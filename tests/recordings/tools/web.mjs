// Development servers and bundlers.
const BROKEN_IMPORT = "import { add } from './missing.js';\nconsole.log(add(1, 2));\n";
const BROKEN_SYNTAX = 'export function add(a, b) {\n  return a +;\n}\n';

const vite = {
  packages: ['vite'],
  version: 'vite --version',
  files: {
    'index.html': '<!doctype html>\n<script type="module" src="/good.js"></script>\n',
    'good.js': "console.log('good');\n",
    'import.js': BROKEN_IMPORT,
    'syntax.js': BROKEN_SYNTAX,
    'syntax.ts': BROKEN_SYNTAX,
    'import.config.mjs': "export default { build: { rolldownOptions: { input: 'import.js' } } };\n",
    'syntax.config.mjs': "export default { build: { rolldownOptions: { input: 'syntax.js' } } };\n",
  },
  recordings: [
    { name: 'ready', command: 'vite --port 5273', steps: [{ until: /Local:/ }] },
    { name: 'ready_pty', command: 'vite --port 5273', pty: true, steps: [{ until: /press h/ }] },
    { name: 'dev_import', command: 'vite --port 5273',
      steps: [{ until: /Local:/, get: 'http://localhost:5273/import.js' },
              { until: /missing/ }] },
    { name: 'dev_syntax_pty', command: 'vite --port 5273', pty: true,
      steps: [{ until: /press h/, get: 'http://localhost:5273/syntax.ts' },
              { until: /syntax.ts/ }] },
    { name: 'build_import', command: 'vite build --config import.config.mjs' },
    { name: 'build_good', command: 'vite build' },
    { name: 'build_syntax_pty', command: 'vite build --config syntax.config.mjs', pty: true },
  ],
};

const next = {
  packages: ['next', 'react', 'react-dom'],
  version: 'next --version',
  files: {
    'app/layout.js':
      'export default function Layout({ children }) {\n'
        + '  return <html><body>{children}</body></html>;\n}\n',
    'app/page.js': 'export default function Page() {\n  return <p>good</p>;\n}\n',
    'app/import/page.js': "import x from './missing';\nexport default function Page() {\n"
      + "  return <p>{x}</p>;\n}\n",
    'app/crash/page.js':
      "export const dynamic = 'force-dynamic';\nexport default function Page() {\n"
        + "  throw new Error('boom');\n}\n",
  },
  recordings: [
    { name: 'ready', command: 'next dev -H localhost -p 3100', steps: [{ until: /Ready in/ }] },
    { name: 'ready_pty', command: 'next dev -H localhost -p 3100', pty: true,
      steps: [{ until: /Ready in/ }] },
    { name: 'dev_import', command: 'next dev -H localhost -p 3100',
      steps: [{ until: /Ready in/, get: 'http://localhost:3100/import' },
              { until: /GET \/import/ }] },
    { name: 'dev_crash', command: 'next dev -H localhost -p 3100',
      steps: [{ until: /Ready in/, get: 'http://localhost:3100/crash' },
              { until: /GET \/crash/ }] },
    { name: 'build_import', command: 'next build' },
    { name: 'build_import_pty', command: 'next build', pty: true },
  ],
};

const webpack = {
  packages: ['webpack', 'webpack-cli', 'webpack-dev-server'],
  version: 'node -p "require(\'webpack/package.json\').version"',
  files: {
    'src/index.js': "console.log('good');\n",
    'src/import.js': BROKEN_IMPORT,
    'src/syntax.js': BROKEN_SYNTAX,
  },
  recordings: [
    { name: 'build_good', command: 'webpack --mode development' },
    { name: 'build_import', command: 'webpack --mode development --entry ./src/import.js' },
    { name: 'build_syntax_pty', command: 'webpack --mode development --entry ./src/syntax.js',
      pty: true },
    { name: 'serve_ready', command: 'webpack serve --mode development --host localhost --port 8180',
      steps: [{ until: /compiled successfully/ }] },
    { name: 'watch_import_pty', pty: true,
      command: 'webpack --watch --mode development --entry ./src/import.js',
      steps: [{ until: /compiled with/ }] },
  ],
};

export default { vite, next, webpack };
