// The last lines of a run's output.
#include "bindings/inspect/output_tail.h"

#include <string>

#include "runtime/output/text.h"
#include "tests/support/catch.h"

using Catch::Matchers::Contains;
using gibbous::ItemType;
using gibbous::StoredItem;
using namespace gibbous::inspect;

namespace {

StoredItem item(ItemType type, const std::string& payload) {
  return {.seq = 1, .type = type, .payload = payload, .meta = "", .created_at = 0};
}

}  // namespace

TEST_CASE("the tail keeps the newest whole lines of both streams within its limit") {
  OutputTail tail(200);
  tail.add(item(ItemType::kStdout, "half "));
  tail.add(item(ItemType::kStderr, "an error\n"));
  tail.add(item(ItemType::kStdout, "a line\nrest"));
  CHECK(tail.open_line() == "rest");
  tail.finish();
  REQUIRE(tail.lines().size() == 3);
  CHECK(tail.lines()[0].text == "an error");
  CHECK(tail.lines()[0].kind == OutputLine::Kind::kError);
  CHECK(tail.lines()[1].text == "half a line");
  CHECK(tail.lines()[2].text == "rest");
  for (int i = 0; i < 100; ++i) tail.add(item(ItemType::kStdout, std::to_string(i) + "\n"));
  CHECK(tail.lines().back().text == "99");
  CHECK(tail.lines().size() + tail.left_out() == 103);
  CHECK(tail.lines().size() < 15);
}

TEST_CASE("an endless line is cut, and a progress bar keeps its last state") {
  OutputTail tail(std::size_t{1} << 20);
  for (int i = 0; i < 1'000; ++i) tail.add(item(ItemType::kStdout, std::string(100, 'x')));
  tail.add(item(ItemType::kStdout, "\n"));
  for (int i = 0; i < 10'000; ++i) {
    tail.add(item(ItemType::kStderr, "\rstep " + std::to_string(i)));
  }
  tail.finish();
  CHECK_THAT(tail.lines()[0].text, Contains("the rest of the line is left out"));
  CHECK(tail.lines()[0].text.size() < 20'000);
  CHECK(gibbous::clean(tail.lines()[1].text) == "step 9999");
}
