-- A compiler, linker or build tool gave up. See presets.lua.

return {
  {
    -- gcc, clang, swiftc, zig, javac
    regex = [[^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<m]]
      .. [[essage>.+)]],
    event = 'compile_error',
    match = {
      "main.c:3:5: error: 'x' undeclared (first use in this function)",
      "\27[01m\27[Kmain.c:3:5:\27[m\27[K \27[01;31m\27[Kerror: \27[m\27[K'\27[01m\27[Kx\27[m\27["
        .. "K' undeclared",
      "\27[1msrc/a b.cc:30:15: \27[0m\27[0;1;31merror: \27[0m\27[1muse of undeclared identifier "
        .. "'x'\27[0m",
      'main.c:1:10: fatal error: missing.h: No such file or directory',
      "src/Main.java:5: error: ';' expected",
      "/app/main.swift:3:7: error: cannot find 'x' in scope",
    },
    not_match = {
      "main.c:3:5: warning: unused variable 'x' [-Wunused-variable]",
      "main.c:3:5: note: each undeclared identifier is reported only once",
      '10:12:33 error: connection reset',
    },
  },
  {
    -- linkers, and compilers about what is no line of a source
    regex = [[^(?:\S*/)?(?:collect2|ld|ld\.\w+|mold|ld64\.lld|cc1\w*|gcc|g\+\+|clang(?:\+\+)?)(?:]]
      .. [[-\d+)?: (?:fatal )?error: |: undefined reference to `]],
    event = 'compile_error',
    match = {
      'collect2: error: ld returned 1 exit status',
      'clang: error: linker command failed with exit code 1 (use -v to see invocation)',
      '\27[1mclang++-16: \27[0m\27[0;1;31merror: \27[0mno input files',
      '\27[01m\27[Kcc1:\27[m\27[K \27[01;31m\27[Kfatal error: \27[m\27[Kx.c: No such file or d'
        .. 'irectory',
      'ld.lld: \27[0;31merror: \27[0mundefined symbol: frobnicate',
      "/usr/bin/ld: main.c:(.text+0x9): undefined reference to `frobnicate'",
      'mold: \27[0;1;31merror:\27[0m undefined symbol: frobnicate',
    },
    not_match = { '/usr/bin/ld: warning: missing .note.GNU-stack section' },
  },
  {
    -- rustc and cargo
    regex = [[^error\[E\d{4}\]: |^error: could not compile `]],
    event = 'compile_error',
    match = {
      'error[E0308]: mismatched types',
      '\27[0m\27[1m\27[38;5;9merror[E0308]\27[0m\27[0m\27[1m: mismatched types\27[0m',
      '\27[1m\27[31merror\27[0m\27[1m:\27[0m could not compile `app` (bin "app") due to 1 previo'
        .. 'us error',
    },
    not_match = {
      'error: test failed, to rerun pass `--lib`',
      'warning: unused variable: `x`',
      'For more information about this error, try `rustc --explain E0308`.',
    },
  },
  {
    -- tsc, msvc, csc, msbuild
    regex = [[\berror(?: TS\d{4,5}| (?:C|CS|LNK|MSB|FS|BC)\d{4,5}): ]],
    event = 'compile_error',
    match = {
      "src/app.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      '\27[96msrc/app.ts\27[0m:\27[93m3\27[0m:\27[93m7\27[0m - \27[91merror\27[0m\27[90m TS2322:'
        .. ' \27[0mType',
      "main.cpp(3): error C2065: 'x': undeclared identifier",
      "LINK : fatal error LNK1104: cannot open file 'a.lib'",
      "/app/Program.cs(3,7): error CS0103: The name 'x' does not exist [/app/app.csproj]",
    },
    not_match = {
      "main.cpp(3): warning C4101: 'x': unreferenced local variable",
      'Found 1 error in src/app.ts:3',
    },
  },
  {
    -- go
    regex = [[^(?:vet: )?(?P<file>\.{0,2}[\w./-]+\.go):(?P<line>\d+):(?P<column>\d+): ]],
    event = 'compile_error',
    match = { './main.go:5:2: undefined: foo', 'internal/a/b.go:12:9: missing return' },
    not_match = { '    main_test.go:12: got 3, want 4', '\t/app/main.go:12 +0x1d' },
  },
  {
    -- python, node, ruby
    regex = [[^(?:SyntaxError|IndentationError|TabError): |^(?:\S+: )?\S+\.rb:\d+: syntax error]],
    event = 'compile_error',
    match = {
      'SyntaxError: invalid syntax',
      'app.rb:4: syntax error, unexpected end-of-input',
      "SyntaxError: '(' was never closed",
      '\27[1;35mSyntaxError\27[0m: \27[35minvalid syntax\27[0m',
      "IndentationError: expected an indented block after 'if' statement on line 1",
      "SyntaxError: Unexpected token '}'",
    },
    not_match = { 'except SyntaxError: pass', 'ValueError: invalid literal' },
  },
  {
    -- make, ninja, cmake
    regex = [[^(?:g?make(?:\[\d+\])?|[^\s:]+:\d+): \*\*\* |^ninja: (?:error|build stopped): |]]
      .. [[^FAILED: \S|^CMake Error(?: at |: )]],
    event = 'compile_error',
    match = {
      'make: *** [Makefile:3: all] Error 1',
      'make[2]: *** [CMakeFiles/app.dir/build.make:76: main.o] Error 1',
      'ninja: build stopped: subcommand failed.',
      'Makefile:2: *** missing separator.  Stop.',
      'FAILED: CMakeFiles/app.dir/main.c.o ',
      'FAILED: [code=1] main.o',
      "ninja: error: loading 'build.ninja': No such file or directory",
      '\27[31mCMake Error at CMakeLists.txt:3 (find_package):',
    },
    not_match = {
      "make: Nothing to be done for 'all'.",
      "make[1]: Leaving directory '/app'",
      'ninja: no work to do.',
      'FAILED (failures=1)',
      'FAILED tests/test_a.py::test_b - assert 1 == 2',
    },
  },
  {
    -- maven, gradle, kotlin
    regex = [[^\[ERROR\] (?:COMPILATION ERROR|Failed to execute goal |The build could not |\S+:\[]]
      .. [[\d+,\d+\] )|^e: (?:file://)?\S+:\d+:\d+ ]]
      .. [[|^FAILURE: Build failed]],
    event = 'compile_error',
    match = {
      '[\27[1;31mERROR\27[m] COMPILATION ERROR : ',
      "[ERROR] /app/src/main/java/App.java:[5,10] ';' expected",
      '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:co',
      '[ERROR] The build could not read 1 project -> [Help 1]',
      'e: file:///app/src/main/kotlin/Main.kt:3:5 Unresolved reference: x',
      'FAILURE: Build failed with an exception.',
    },
    not_match = { '[ERROR] Tests run: 3, Failures: 1', '[INFO] BUILD SUCCESS' },
  },
  {
    -- vite: the development server, and its build with rolldown or rollup
    regex = [[\[vite\] (?:\(\w+\) )?(?:Internal server|Pre-transform) error: |^error during build:]]
      .. [[|^\[(?:UNRESOLVED_\w+|MISSING_EXPORT|\w+_ERROR)\] ]],
    event = 'compile_error',
    match = {
      '9:57:40 PM [vite] Internal server error: Failed to resolve import "./x.js" from "main.js".',
      '9:57:40 PM \27[31m\27[1m[vite]\27[22m\27[39m (client) Pre-transform error: x',
      "[UNRESOLVED_IMPORT] Could not resolve './x.js' in main.js",
      '\27[31m[PARSE_ERROR] \27[0mUnexpected token',
      '\27[31merror during build:',
    },
    not_match = {
      '9:57:40 PM [vite] (client) hmr update /main.js',
      '9:57:40 PM [vite] server restarted.',
      'vite v8.3.8 building client environment for production...',
      '[EVAL] Use of direct `eval`',
    },
  },
  {
    -- eslint
    regex = [[^ +(?P<line>\d+):(?P<column>\d+) +error +\S|^✖ \d+ problems? \([1-9]\d* error]],
    event = 'compile_error',
    match = {
      "  2:5  error    'x' is not defined                     no-undef",
      "  \27[2m2:5\27[22m  \27[31merror\27[39m    'x' is not defined  \27[2mno-undef\27[22m",
      '\27[31m\27[1m✖ 4 problems (3 errors, 1 warning)\27[22m\27[39m',
    },
    not_match = {
      "  1:7  warning  'unused' is assigned a value but never used  no-unused-vars",
      '✖ 1 problem (0 errors, 1 warning)',
    },
  },
  {
    -- webpack, esbuild, next
    regex = [[^ERROR in \S|^(?:Error: )?Module not found: |^ ?⨯ \.\.?/\S+:\d+:\d+$|Failed to]]
      .. [[ compile|Turbopack build failed with |^✘ \[ERROR\] |^\[plugin[: ]\S+\] ]],
    event = 'compile_error',
    match = {
      '\27[1m\27[31mERROR\27[39m\27[22m in \27[1m./src/index.js\27[39m\27[22m 3:0-21',
      "Module not found: Error: Can't resolve './x' in '/app/src'",
      '\27[31mFailed to compile.\27[39m',
      ' ⨯ Failed to compile',
      'Error: Turbopack build failed with 1 error:',
      "Error: Module not found: Can't resolve './x'",
      '\27[31m\27[1m⨯\27[22m\27[39m ./app/page.js:1:1',
      '\27[31m✘ \27[41;31m[\27[41;97mERROR\27[41;31m]\27[0m \27[1mCould not resolve "./x"\27[0m',
    },
    not_match = { 'webpack 5.91.0 compiled successfully in 1254 ms', '▲ [WARNING] Duplicate key' },
  },
}
