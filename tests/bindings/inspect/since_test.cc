// How --since is written, and how figures are shown.
#include "bindings/inspect/since.h"

#include <string>

#include "bindings/inspect/figures.h"
#include "tests/support/catch.h"

using Catch::Matchers::Contains;
using namespace gibbous::inspect;

namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

}  // namespace

TEST_CASE("the option --since takes the number of an item, a time ago or a time") {
  CHECK(parse_since("42", kNow)->seq == 42U);
  CHECK(parse_since("0", kNow)->seq == 0U);
  CHECK(parse_since("250ms", kNow)->at == kNow - 250);
  CHECK(parse_since("90s", kNow)->at == kNow - 90'000);
  CHECK(parse_since("5m", kNow)->at == kNow - 300'000);
  CHECK(parse_since("2h", kNow)->at == kNow - 7'200'000);
  CHECK(parse_since("1d", kNow)->at == kNow - 86'400'000);
  CHECK(parse_since("2023-11-14T22:13:20Z", kNow)->at == kNow);
  CHECK(parse_since("2023-11-14T22:13Z", kNow)->at == kNow - 20'000);
  CHECK(parse_since("22:13:20Z", kNow)->at == kNow);
}

TEST_CASE("an invalid --since is quoted, with the accepted forms") {
  for (const char* wrong : {"", "yesterday", "5x", "-5m", "99999999999999999999", "12:99", "5 m",
                            "\x1b[2J", "2023-11-14T22:13:20ZZ"}) {
    INFO(wrong);
    const auto since = parse_since(wrong, kNow);
    REQUIRE_FALSE(since);
    CHECK(since.status().code() == "invalid_arguments");
    CHECK_THAT(since.status().message(), Contains("--since: expected") && Contains("5m"));
    CHECK(since.status().message().find('\x1b') == std::string::npos);
  }
}

TEST_CASE("figures are printed short") {
  CHECK(duration_text(-1) == "0ms");
  CHECK(duration_text(840) == "840ms");
  CHECK(duration_text(12'345) == "12.3s");
  CHECK(duration_text(200'000) == "3m20s");
  CHECK(duration_text(7'500'000) == "2h05m");
  CHECK(duration_text(356'400'000) == "4d3h");
  CHECK(bytes_text(812) == "812 B");
  CHECK(bytes_text(1'258'291) == "1.2 MiB");
  CHECK(bytes_text(450'000'000) == "429 MiB");
}
