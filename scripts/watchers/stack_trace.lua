-- A program crashed. The pattern matches the first line; the lines after it come as context. See
-- presets.lua.

local LINES_AFTER = 12

return {
  {
    -- python
    regex = [[^[ |+]*(?:Exception Group )?Traceback \(most recent call last\):$]],
    event = 'stack_trace',
    context_after = LINES_AFTER,
    match = {
      'Traceback (most recent call last):',
      '  + Exception Group Traceback (most recent call last):',
    },
    not_match = { 'see the Traceback above', 'print_tb(traceback)' },
  },
  {
    -- node; next puts a sign before it
    regex = [[^(?: ?⨯ |Uncaught )?\w*Error(?: \[\w+\])?: .|^\[?UnhandledPromiseRejection]],
    event = 'stack_trace',
    context_after = LINES_AFTER,
    match = {
      "TypeError: Cannot read properties of undefined (reading 'x')",
      "Error: Cannot find module './x'",
      '\27[31m\27[1m⨯\27[22m\27[39m Error: boom',
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    },
    not_match = {
      'errors: 0', 'No Error: all good', 'npm ERR! code ELIFECYCLE',
      'node:internal/modules/cjs/loader:1080',  -- the error itself follows
    },
  },
  {
    -- java, kotlin, scala
    regex = [[^(?:Exception in thread "[^"]*" |Caused by: )?(?:[a-z_][\w$]*\.)+[A-Z][\w$.]*(?:Ex]]
      .. [[ception|Error)\b]],
    event = 'stack_trace',
    context_after = LINES_AFTER,
    match = {
      'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()"',
      'Caused by: java.io.IOException: Broken pipe',
      'org.springframework.beans.factory.BeanCreationException: Error creating bean',
    },
    not_match = { '\tat java.base/java.lang.Thread.run(Thread.java:840)', 'import java.lang.Exce'
      .. 'ption' },
  },
  {
    -- go
    regex = [[^panic: |^fatal error: |^SIG(?:ABRT|QUIT|SEGV): |^WARNING: DATA RACE$]],
    event = 'stack_trace',
    context_after = LINES_AFTER,
    match = {
      'panic: runtime error: index out of range [5] with length 3',
      'SIGQUIT: quit',
      'WARNING: DATA RACE',
      'fatal error: all goroutines are asleep - deadlock!',
    },
    not_match = { 'don\'t panic: all is well', 'goroutine 1 [running]:' },
  },
  {
    -- rust
    regex = [[^thread '[^']*' (?:\(\d+\) )?panicked at ]],
    event = 'stack_trace',
    context_after = LINES_AFTER,
    match = {
      "thread 'main' panicked at src/main.rs:2:5:",
      "thread 'main' panicked at 'boom', src/main.rs:2:5",
      "thread 'tokio-runtime-worker' (4711) panicked at src/lib.rs:10:9:",
    },
    not_match = { "thread 'main' started" },
  },
  {
    -- C#, php, ruby, rails, elixir
    regex = [[^Unhandled exception[.:] |^(?:PHP )?Fatal error: +Uncaught |^\S+\.rb:\d+:in [`'].*]]
      .. [[\(\w+\)$]]
      .. [[|^(?:\[\S+\] )?[A-Z]\w*(?:::[A-Z]\w*)*(?:Error|NotFound|Invalid|Missing) \(]]
      .. [[|^\*\* \([A-Z][\w.]*Error\) ]],
    event = 'stack_trace',
    context_after = LINES_AFTER,
    match = {
      'Unhandled exception. System.NullReferenceException: Object reference not set to an instance',
      'PHP Fatal error:  Uncaught Error: Call to undefined function foo() in /app/a.php:3',
      "app.rb:3:in `foo': undefined method `x' for nil:NilClass (NoMethodError)",
      "app.rb:3:in 'Object#foo': undefined method 'x' for nil (NoMethodError)",
      "NoMethodError (undefined method `port' for nil:NilClass",
      '[0f2b-41] ActiveRecord::RecordNotFound (Couldn\'t find Item):',
      '** (RuntimeError) boom',
    },
    not_match = { '\tfrom app.rb:7:in `<main>\'', 'PHP Warning:  Undefined variable $x' },
  },
  {
    -- sanitizers, valgrind
    regex = [[^=+\d+=+ ?(?:ERROR: \w+Sanitizer: |Invalid (?:read|write) of size )|^WARNING: \w+S]]
      .. [[anitizer: ]]
      .. [[|: runtime error: ]],
    event = 'stack_trace',
    context_after = LINES_AFTER,
    match = {
      '\27[1m\27[31m==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020000000'
        .. '10\27[1m\27[0m',
      '==4711==ERROR: LeakSanitizer: detected memory leaks',
      'WARNING: ThreadSanitizer: data race (pid=4711)',
      "\27[1ma.c:3:5:\27[1m\27[31m runtime error: \27[1m\27[0m\27[1msigned integer overflow: 1 +"
        .. " 2147483647",
      '==4711== Invalid read of size 4',
    },
    not_match = { '==4711== Memcheck, a memory error detector', '==4711== LEAK SUMMARY:' },
  },
  {
    -- signals, aborts, failed assertions
    regex = [[(?i:\bsegmentation fault\b)|\bcore dumped\)|: segfault at [0-9a-f]+ |^\*\*\* .* ]]
      .. [[\*\*\*: terminated]]
      .. [[|^(?:free|malloc|realloc|munmap_chunk)\(\): |^terminate called |: Assertion `.*' fail]]
      .. [[ed\.$]],
    event = 'stack_trace',
    match = {
      'Segmentation fault (core dumped)',
      './run.sh: line 3:  4711 Segmentation fault      (core dumped) ./a.out',
      'Aborted (core dumped)',
      'zsh: segmentation fault  ./a.out',
      'a.out[4711]: segfault at 0 ip 000055d4 sp 00007ffc error 4 in a.out[55d4+1000]',
      '*** stack smashing detected ***: terminated',
      'free(): double free detected in tcache 2',
      "terminate called after throwing an instance of 'std::runtime_error'",
      "a.out: a.c:3: main: Assertion `x == 1' failed.",
    },
    not_match = { '*** done ***', 'a page fault was handled', "make: *** [all] Error 1" },
  },
}
