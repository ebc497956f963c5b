// Which lines look like errors, from many kinds of tools that agents run.
#include <string>
#include <string_view>

#include "runtime/output/error_line.h"
#include "tests/support/catch.h"

using gibbous::looks_like_error;

TEST_CASE("lines in which tools say that they failed look like errors") {
  static constexpr std::string_view kLines[] = {
      "main.c:3:5: error: expected ';' before 'return'",
      "main.c:1:10: fatal error: missing.h: No such file or directory",
      "/usr/bin/ld: main.o: undefined reference to `foo'",
      "collect2: error: ld returned 1 exit status",
      "make: *** [Makefile:2: all] Error 1",
      "error[E0308]: mismatched types",
      "error: could not compile `x` (bin \"x\") due to 2 previous errors",
      "thread 'main' panicked at src/main.rs:2:5:",
      "panic: runtime error: index out of range",
      "--- FAIL: TestThing (0.00s)",
      "FAIL\texample.com/x\t0.003s",
      " FAIL  src/x.test.ts > adds",
      "npm ERR! code ELIFECYCLE",
      "npm error code 1",
      "Traceback (most recent call last):",
      "ValueError: invalid literal for int()",
      "E       assert 1 == 2",
      "E   ModuleNotFoundError: No module named 'x'",
      "FAILED tests/test_x.py::test_y - assert 1 == 2",
      "===== 1 failed, 3 passed in 0.1s =====",
      "Exception in thread \"main\" java.lang.NullPointerException",
      "java.lang.IllegalStateException: closed",
      "Uncaught TypeError: x is not a function",
      "Segmentation fault (core dumped)",
      "a.out: x.c:3: main: Assertion `0' failed.",
      "bash: foo: command not found",
      "bash: ./x: Permission denied",
      "curl: (7) Failed to connect: Connection refused",
      "[ERROR] Failed to execute goal",
      "level=error msg=\"it broke\"",
      "2026-01-01 CRITICAL disk is full",
      "10 errors generated.",
      "CMake Error at CMakeLists.txt:3 (add_library):",
      "Error: 0x80004005",
      "XMLError: bad document",
      "cannot open shared object file",
      "error: none of the targets matched",
      "./main.go:5:2: undefined: foo",
      "make: *** No rule to make target 'app.x', needed by 'all'.  Stop.",
      "[PARSE_ERROR] Unexpected token",
      "⨯ ./app/page.js:1:1",
      "  ● sum › adds",
      "not ok 1 - adds",
      "SumTest#test_adds [sum_test.rb:7]:",
  };
  for (const std::string_view line : kLines) {
    INFO(line);
    CHECK(looks_like_error(line));
  }
}

TEST_CASE("lines that merely contain the words do not look like errors") {
  static constexpr std::string_view kLines[] = {
      "",
      "0 errors, 0 warnings",
      "Found 0 errors.",
      "no errors found",
      "No error",
      "    0 Error(s)",
      "errors: 0",
      "{\"error\":null,\"ok\":true}",
      "{\"errors\": 0}",
      "test result: ok. 5 passed; 0 failed; 0 ignored",
      "ok=3 changed=0 unreachable=0 failed=0 skipped=1",
      "Finished without errors",
      "non-fatal warning",
      "[12/40] Building CXX object src/error.cc.o",
      "Compiling thiserror v1.0.50",
      "  CC      lib/error-inject.o",
      "src/errors/handler.go",
      "g++ -Werror -Wfatal-errors main.cc",
      "include/error_handler.h",
      "terrorists mirrored the referrer",
      "GET /error 200",
      "All tests passed",
      "Every line is fine",
      "  panic: false",
  };
  for (const std::string_view line : kLines) {
    INFO(line);
    CHECK_FALSE(looks_like_error(line));
  }
}

TEST_CASE("only the beginning of a very long line is examined") {
  const std::string far = std::string(gibbous::kMaxCheckedLineBytes, ' ') + "error: here";
  CHECK_FALSE(looks_like_error(far));
}
