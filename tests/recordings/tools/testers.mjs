// Test runners.
const SUM_TEST = "  it('adds', () => {\n    expect(1 - 2).toBe(3);\n  });\n"
  + "  it('knows zero', () => {\n    expect(0).toBe(0);\n  });\n";

const vitest = {
  packages: ['vitest'],
  version: 'vitest --version',
  files: {
    'sum.test.mjs': `import { describe, expect, it } from 'vitest';\n\ndescribe('sum', () => {\n`
      + `${SUM_TEST}});\n`,
    'good/good.test.mjs': "import { expect, it } from 'vitest';\n"
      + "it('knows', () => expect(1).toBe(1));\n",
    'bad/bad.test.mjs': "import { it } from 'vitest';\nimport './missing.mjs';\n"
      + "it('is lost', () => {});\n",
  },
  recordings: [
    { name: 'failure', command: 'vitest run sum' },
    { name: 'failure_color', command: 'FORCE_COLOR=1 vitest run sum' },
    { name: 'suite', command: 'vitest run bad' },
    { name: 'good', command: 'vitest run good' },
    { name: 'watch_pty', command: 'vitest good', pty: true, steps: [{ until: /Waiting/ }] },
  ],
};

const jest = {
  packages: ['jest'],
  version: 'jest --version',
  manifest: { jest: { testEnvironment: 'node' } },
  files: {
    'sum.test.js': `describe('sum', () => {\n${SUM_TEST}});\n`,
    'good/good.test.js': "it('knows', () => expect(1).toBe(1));\n",
    'bad/bad.test.js': "require('./missing');\nit('is lost', () => {});\n",
  },
  recordings: [
    { name: 'failure', command: 'jest sum' },
    { name: 'failure_pty', command: 'jest sum', pty: true },
    { name: 'suite', command: 'jest bad' },
    { name: 'good', command: 'jest good' },
  ],
};

const pytest = {
  version: 'python3 -m pytest --version 2>&1',
  files: {
    'test_sum.py': 'def test_adds():\n    total = 1 - 2\n    assert total == 3\n\n\n'
      + 'def test_zero():\n    assert 0 == 0\n',
    'bad/test_bad.py': 'import missing\n\n\ndef test_lost():\n    pass\n',
    'good/test_good.py': 'def test_knows():\n    assert True\n',
    'fixture/test_fixture.py': 'import pytest\n\n\n@pytest.fixture\ndef server():\n'
      + '    raise OSError("no server")\n\n\n'
      + 'def test_server(server):\n    pass\n',
  },
  recordings: [
    { name: 'failure', command: 'python3 -m pytest test_sum.py' },
    { name: 'failure_pty', command: 'python3 -m pytest test_sum.py', pty: true },
    { name: 'failure_quiet', command: 'python3 -m pytest -q --tb=short test_sum.py' },
    { name: 'failure_verbose', command: 'python3 -m pytest -v --tb=no test_sum.py' },
    { name: 'collect', command: 'python3 -m pytest bad' },
    { name: 'fixture', command: 'python3 -m pytest fixture' },
    { name: 'good', command: 'python3 -m pytest good' },
  ],
};

const unittest = {
  version: 'python3 --version',
  files: {
    'test_sum.py': 'import unittest\n\n\nclass Sum(unittest.TestCase):\n    def test_adds(self):\n'
      + '        self.assertEqual(1 - 2, 3)\n\n    def test_crash(self):\n        missing()\n',
  },
  recordings: [{ name: 'failure', command: 'python3 -m unittest' }],
};

const node_test = {
  version: 'node --version',
  files: {
    'sum.test.js': "const { test } = require('node:test');\n"
      + "const assert = require('node:assert');\n"
      + "test('adds', () => assert.strictEqual(1 - 2, 3));\ntest('knows zero', () => {});\n",
  },
  recordings: [
    { name: 'failure', command: 'node --test' },
    { name: 'failure_pty', command: 'node --test', pty: true },
  ],
};

export default { vitest, jest, pytest, unittest, node_test };
