-- A test failed, or a summary says that some did. See presets.lua.

return {
  {
    -- pytest
    regex = [[^(?:FAILED|ERROR) \S+\.py(?:::\S+)?|^(?:=+ .*\b)?\d+ (?:failed|errors?)\b.* in [\d]]
      .. [[.]+s]],
    event = 'test_failure',
    match = {
      'FAILED tests/test_a.py::test_b - assert 1 == 2',
      '\27[31mFAILED\27[0m tests/test_a.py::\27[1mtest_b\27[0m - assert 1 == 2',
      'ERROR tests/test_a.py - ImportError: cannot import name',
      '1 failed, 3 passed in 0.12s',
      '\27[31m========================= \27[31m\27[1m1 failed\27[0m, \27[32m3 passed\27[0m\27[31'
        .. 'm in 0.12s\27[0m\27[31m =========================\27[0m',
    },
    not_match = {
      '========================= 4 passed in 0.12s =========================',
      'tests/test_a.py::test_b PASSED                                   [100%]',
    },
  },
  {
    -- unittest, jest, vitest, go
    regex = [[^ ?FAIL(?:: |  ?|\t)[\w./@-]+|^FAILED \((?:failures|errors)=\d|]]
      .. [[^ERROR: \w+ \([\w.]+\)$]],
    event = 'test_failure',
    match = {
      'FAIL: test_add (test_math.AddTest.test_add)',
      'FAILED (failures=1)',
      'ERROR: test_crash (test_math.AddTest.test_crash)',
      '\27[0m\27[7m\27[1m\27[31m FAIL \27[39m\27[22m\27[27m\27[0m \27[2msrc/\27[22m\27[1ma.test.'
        .. 'js\27[22m',
      'FAIL\texample.com/app\t0.003s',
    },
    not_match = { 'ok  \texample.com/app\t0.003s', ' PASS  src/a.test.js', 'FAILOVER to replica' },
  },
  {
    -- jest and vitest: one test, and the summary
    regex = [[^Tests: +(?:\d+ \w+, )*\d+ failed|^ +● \S|^ +Tests  \d+ failed]],
    event = 'test_failure',
    match = {
      '\27[1mTests:       \27[22m\27[1m\27[31m1 failed\27[39m\27[22m, \27[1m\27[32m3 passed\27[3'
        .. '9m\27[22m, 4 total',
      '\27[1m\27[31m  \27[1m● \27[22m\27[1msum › adds two numbers\27[39m\27[22m',
      '  ● Test suite failed to run',
      '\27[2m      Tests \27[22m \27[1m\27[31m1 failed\27[39m\27[22m\27[2m | \27[22m\27[32m3 pas'
        .. 'sed\27[39m\27[90m (4)\27[39m',
    },
    not_match = {
      'Tests:       4 passed, 4 total', '      Tests  4 passed (4)', '● Validation Warning:',
    },
  },
  {
    -- mocha, node --test, TAP, playwright
    regex = [[^ +\d+ (?:failing|failed)\b|^ *✖ \S.*\([\d.]+ms\)|^ℹ fail [1-9]|^ *not ok \d+]],
    event = 'test_failure',
    match = {
      '\27[0m\27[31m  1 failing\27[0m',
      '  1 failed',
      '\27[31m✖ adds two numbers \27[90m(1.2345ms)\27[39m\27[39m',
      '\27[34mℹ fail 1\27[39m',
      'not ok 2 - adds two numbers',
    },
    not_match = {
      '  4 passing (12ms)', 'ℹ fail 0', 'ok 1 - adds two numbers', '✔ adds two numbers (1.2ms)',
    },
  },
  {
    -- go
    regex = [[^ *--- FAIL: (?P<test>\S+)]],
    event = 'test_failure',
    match = { '--- FAIL: TestAdd (0.00s)', '    --- FAIL: TestAdd/zero (0.00s)' },
    not_match = { '--- PASS: TestAdd (0.00s)', '=== RUN   TestAdd' },
  },
  {
    -- cargo
    regex = [[^test (?P<test>\S+) (?:- should panic )?\.\.\. FAILED|^test result: FAILED]],
    event = 'test_failure',
    match = {
      'test tests::it_adds ... \27[31mFAILED\27[m',
      'test result: \27[31mFAILED\27[m. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out',
    },
    not_match = {
      'test tests::it_adds ... ok',
      'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
    },
  },
  {
    -- maven, gradle
    regex = [[Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])|^\S+ > .+ FAILED$]],
    event = 'test_failure',
    match = {
      '[\27[1;31mERROR\27[m] \27[1;31mTests run: 3, Failures: 1, Errors: 0, Skipped: 0\27[m',
      '[ERROR] Tests run: 3, Failures: 0, Errors: 2, Skipped: 0',
      'AppTest > shouldAnswer() \27[31mFAILED\27[39m',
    },
    not_match = {
      '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0', 'AppTest > shouldAnswer() PASSED',
    },
  },
  {
    -- rspec, minitest, exunit
    regex = [[\b\d+ (?:examples?|tests?), [1-9]\d* failures?|\b\d+ runs, \d+ assertions, ]]
      .. [[(?:[1-9]\d* failures|0 failures, [1-9])]]
      .. [[|^(?P<test>[A-Z]\w*(?:::\w+)*#\w+)(?: \[\S+:\d+\])?:$]],
    event = 'test_failure',
    match = {
      '\27[31m3 examples, 1 failure\27[0m',
      'SumTest#test_adds [sum_test.rb:7]:',
      'Shop::SumTest#test_crashes:',
      '10 runs, 12 assertions, 1 failures, 0 errors, 0 skips',
      '10 runs, 12 assertions, 0 failures, 2 errors, 0 skips',
      '\27[31m2 tests, 1 failure\27[0m',
    },
    not_match = {
      '3 examples, 0 failures', '10 runs, 12 assertions, 0 failures, 0 errors, 0 skips',
    },
  },
  {
    -- ctest, googletest
    regex = [[\*\*\*(?:Failed|Timeout|Exception|Not Run)|^The following tests FAILED:|^\[  FAILE]]
      .. [[D  \] ]],
    event = 'test_failure',
    match = {
      '1/2 Test #1: unit .............................\27[0;31m***Failed\27[0m    0.01 sec',
      '2/2 Test #2: slow .............................***Exception: SegFault  0.20 sec',
      'The following tests FAILED:',
      '\27[0;31m[  FAILED  ] \27[mMath.Add (0 ms)',
    },
    not_match = {
      '1/2 Test #1: unit .............................   Passed    0.01 sec', '[       OK ] Math'
        .. '.Add (0 ms)',
    },
  },
  {
    -- catch2
    regex = [[^(?P<file>[^\s:]+):(?P<line>\d+): FAILED:|^test cases: .*\b[1-9]\d* failed]],
    event = 'test_failure',
    match = {
      '/app/tests/math_test.cc:12: \27[1;31mFAILED\27[0m:',
      'test cases: 2 | \27[1;32m1 passed\27[0m | \27[1;31m1 failed\27[0m',
    },
    not_match = { 'All tests passed (12 assertions in 2 test cases)', 'test cases: 2 | 2 passed' },
  },
  {
    -- phpunit, dotnet
    regex = [[^FAILURES!|^Tests: \d+, Assertions: \d+, (?:Errors|Failures): \d|^Failed! +- Faile]]
      .. [[d: ]],
    event = 'test_failure',
    match = {
      '\27[37;41mFAILURES!\27[0m',
      '\27[37;41mTests: 3\27[0m\27[37;41m, Assertions: 5\27[0m\27[37;41m, Failures: 1\27[0m\27[3'
        .. '7;41m.\27[0m',
      'Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 12 ms',
    },
    not_match = { 'OK (3 tests, 5 assertions)', 'Passed!  - Failed:     0, Passed:     4' },
  },
}
