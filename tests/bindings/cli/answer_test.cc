// Answers for programs, as one line of text.
#include "bindings/cli/answer.h"

#include <limits>
#include <string>

#include "tests/support/catch.h"

using namespace gibbous;
using namespace gibbous::cli;

TEST_CASE("a result shows text and data") {
  CallResult result;
  result.ok = true;
  result.text = "line 1\nline 2";
  result.data = "{\"id\":\"x\"}";
  CHECK(answer_line("1", result_member(result)) ==
        R"({"id":1,"result":{"text":"line 1\nline 2","data":{"id":"x"}}})");
}

TEST_CASE("an error has its code, and other members only when they are set") {
  CallResult result;
  result.code = "denied";
  result.message = "not in this mode";
  CHECK(answer_line("\"a\"", result_member(result)) ==
        R"({"id":"a","error":{"code":"denied","message":"not in this mode"}})");
  result.data = "{}";
  result.traceback = "x.lua:1: here";
  CHECK(
      result_member(result) ==
      R"("error":{"code":"denied","message":"not in this mode","data":{},"traceback":"x.lua:1: here"})");
}

TEST_CASE("an answer is one line with any data") {
  CallResult result;
  result.ok = true;
  result.data = "{\n  \"a\": 1\r\n}";
  CHECK(result_member(result).find('\n') == std::string::npos);
  CHECK(result_member(result).find('\r') == std::string::npos);
}

TEST_CASE("progress has a total and a message only when they are set") {
  Progress progress;
  progress.progress = 2;
  CHECK(progress_member(progress) == R"("progress":{"progress":2})");
  progress.waiting = true;
  CHECK(progress_member(progress) == R"("progress":{"progress":2,"waiting":true})");
  progress.waiting = false;
  progress.total = 4.5;
  progress.message = "half";
  CHECK(progress_member(progress) == R"("progress":{"progress":2,"total":4.5,"message":"half"})");
  progress.progress = std::numeric_limits<double>::infinity();
  CHECK(progress_member(progress) ==
        R"("progress":{"progress":null,"total":4.5,"message":"half"})");
}

TEST_CASE("a reload shows where it failed") {
  ReloadResult result;
  result.ok = true;
  result.generation = 3;
  CHECK(reload_member(result) == R"("reload":{"ok":true,"generation":3})");
  result.ok = false;
  result.file = "init.lua";
  result.line = 2;
  result.message = "unexpected symbol";
  CHECK(
      reload_member(result) ==
      R"("reload":{"ok":false,"generation":3,"file":"init.lua","line":2,"message":"unexpected symbol"})");
}
