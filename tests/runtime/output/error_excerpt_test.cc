// error_excerpt(): which lines it shows of a failure.
#include "runtime/output/error_excerpt.h"

#include <string>

#include "runtime/output/text.h"
#include "tests/support/catch.h"

using gibbous::error_excerpt;
using gibbous::kErrorExcerptBytes;
using gibbous::Stream;

namespace {

Stream stream_of(const std::string& bytes) {
  Stream stream;
  stream.append(bytes);
  stream.set_ended();
  return stream;
}

std::string of(const std::string& out, const std::string& err = "") {
  return error_excerpt(stream_of(out), stream_of(err));
}

std::string noise(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += "step " + std::to_string(i) + " done\n";
  return text;
}

}  // namespace

TEST_CASE("an error excerpt has the first error with the lines after it, and the last lines") {
  const std::string log =
      noise(1, 1500) + "FATAL: database lost\n  at connect\n  at main\n" + noise(1504, 3003);
  CHECK(of(log) ==
        "1501:FATAL: database lost\n1502-  at connect\n1503-  at main\n…\n"
        "3001-step 3001 done\n3002-step 3002 done\n3003-step 3003 done\n");
}

TEST_CASE("an error excerpt of a few lines is all of them, without numbers") {
  CHECK(of("one\nerror: two\n") == "one\nerror: two\n");
  CHECK(of("").empty());
  CHECK(of("\n\n \n").empty());
}

TEST_CASE("an error excerpt shows the error in a line, wherever it is") {
  for (const std::size_t before : {10U, 190U, 4'000U, 60'000U}) {
    const std::string line = std::string(before, 'x') + " error: boom" + std::string(9'000, 'y');
    INFO(before);
    CHECK(of(noise(1, 20) + line + "\n" + noise(21, 40)).find(" error: boom") != std::string::npos);
    CHECK(of(line).find(" error: boom") != std::string::npos);
  }
}

TEST_CASE("an error excerpt shows both ends of a long line without an error") {
  const std::string text = of("begin" + std::string(900, 'x') + "end\n");
  CHECK(text.starts_with("beginx"));
  CHECK(text.ends_with("xend\n"));
}

TEST_CASE("an error excerpt names the streams when both have output") {
  CHECK(of("built 3 files\n", "error: no space\n") ==
        "stderr:\nerror: no space\nstdout:\nbuilt 3 files\n");
  CHECK(of("FAIL test_a\n", "took 3 s\n") == "stdout:\nFAIL test_a\nstderr:\ntook 3 s\n");
}

TEST_CASE("an error excerpt keeps to its size for any output") {
  std::string errors;
  for (int i = 0; i < 500; ++i)
    errors += "error: " + std::string(400, 'e') + std::to_string(i) + "\n";
  for (const std::size_t bytes : {std::size_t{40}, std::size_t{100}, kErrorExcerptBytes}) {
    CHECK(error_excerpt(stream_of(errors), stream_of(errors), bytes).size() <= bytes);
    CHECK(error_excerpt(stream_of(errors), stream_of(""), bytes).size() <= bytes);
  }
  CHECK(!of(errors).empty());
  const std::string broken = "\x1b[31merror: \xff\xfe" + std::string(1000, '\xe2') + "\x1b[0m\n";
  CHECK(gibbous::is_utf8(of(noise(1, 20) + broken + noise(22, 40))));
}

TEST_CASE("an error excerpt shows the same error once, cleaned of colours and progress") {
  std::string log = noise(1, 10);
  for (int i = 0; i < 9; ++i) log += "\x1b[31mError: same\x1b[0m\n";
  log += "10%\r50%\rError: other\n" + noise(21, 30);
  CHECK(of(log) ==
        "11:Error: same\n12:Error: same\n13:Error: same\n…\n20:Error: other\n21-step 21 done\n"
        "22-step 22 done\n…\n28-step 28 done\n29-step 29 done\n30-step 30 done\n");
}

TEST_CASE("line numbers of an error excerpt are right where output is no longer kept") {
  Stream stream(4096, 64);
  stream.append(noise(1, 1000) + "error: late\n" + noise(1002, 1010));
  stream.set_ended();
  const std::string text = error_excerpt(stream, stream_of(""));
  CHECK(text.find("1001:error: late\n") != std::string::npos);
  CHECK(text.find("1010-step 1010 done\n") != std::string::npos);
}
