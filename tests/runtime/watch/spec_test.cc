// Wrong watchers are refused with the fault and its place.
#include <string>

#include "tests/runtime/watch/desk.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using test::spec_of;

std::string refusal(std::vector<WatchSpec> specs) {
  const auto patterns = WatchPatterns::compile(std::move(specs));
  if (patterns.ok()) return "";
  CHECK(patterns.status().code() == "invalid_arguments");
  return patterns.status().message();
}

std::string refusal_of(const std::string& regex) {
  return refusal({spec_of("fine"), spec_of(regex)});
}

std::string refused_event(const std::string& event) {
  WatchSpec spec = spec_of("x");
  spec.event = event;
  return refusal({spec});
}

TEST_CASE("an invalid regex is reported with RE2's message and the column") {
  CHECK(refusal_of("done|a**b") ==
        "watch[1].regex: bad repetition operator: ** (column 7) in \"done|a**b\"");
  CHECK(refusal_of("é[z-a]") ==
        "watch[1].regex: invalid character class range: z-a (column 3) in \"é[z-a]\"");
  CHECK(refusal_of("(open") == "watch[1].regex: missing ): (open in \"(open\"");
  CHECK_THAT(refusal_of("(?<=x)y"), Contains("watch[1].regex: invalid perl operator: (?<"));
  CHECK_THAT(refusal_of("\xff"), Contains("invalid UTF-8"));
}

TEST_CASE("regexes are bounded in length and in memory") {
  CHECK(refusal_of("") == "watch[1].regex: expected a regular expression, got \"\"");
  CHECK(refusal_of(std::string(kMaxWatchRegexBytes, 'x')).empty());
  CHECK(refusal_of(std::string(kMaxWatchRegexBytes + 1, 'x')) ==
        "watch[1].regex: expected at most 4096 bytes, got 4097");
  CHECK_THAT(refusal_of("((\\pL{100}){100})"), Contains("watch[1].regex: "));
}

TEST_CASE("an event is a short name") {
  CHECK(refused_event("server.ready-2_x").empty());
  CHECK(refused_event(std::string(kMaxEventNameBytes, 'e')).empty());
  CHECK(refused_event("2nd") ==
        "watch[0].event: expected a letter and up to 63 letters, digits, '_', '.' or '-', got "
        "\"2nd\"");
  CHECK_THAT(refused_event(""), Contains("got \"\""));
  CHECK_THAT(refused_event("a b"), Contains("got \"a b\""));
  CHECK_THAT(refused_event(std::string(kMaxEventNameBytes + 1, 'e')), Contains("watch[0].event"));
  CHECK_THAT(refused_event("a\xff"), Contains("watch[0].event"));
}

TEST_CASE("watchers and lines of context are bounded in number") {
  CHECK(refusal(std::vector<WatchSpec>(kMaxWatchers, spec_of("x"))).empty());
  CHECK(refusal(std::vector<WatchSpec>(kMaxWatchers + 1, spec_of("x"))) ==
        "watch: expected at most 128 watchers, got 129");
  WatchSpec spec = spec_of("x");
  spec.context_after = kMaxContextLines + 1;
  CHECK(refusal({spec}) == "watch[0].context_after: expected 0 to 20 lines, got 21");
  spec.context_before = kMaxContextLines + 2;
  CHECK(refusal({spec}) == "watch[0].context_before: expected 0 to 20 lines, got 22");
}

TEST_CASE("a set without watchers reports nothing") {
  test::Desk desk(std::vector<WatchSpec>{});
  desk.feed("a line\n");
  desk.end();
  CHECK(desk.set.spent());
  CHECK(desk.matches().empty());
}

}  // namespace
}  // namespace gibbous
