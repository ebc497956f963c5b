// The presets of scripts/watchers: the engine itself searches every example.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/bindings/lua/api/shipped_presets.h"

namespace gibbous::lua {
namespace {

enum class Ending { kNewline, kQuiet };

std::vector<WatchMatch> matches_of(const std::shared_ptr<const WatchPatterns>& patterns,
                                   const std::string& line, Ending ending) {
  testing::MatchDesk desk;
  WatchSet set(patterns, &desk);
  for (const WatchStream stream : {WatchStream::kStdout, WatchStream::kStderr}) {
    set.feed(stream, 0, ending == Ending::kNewline ? line + "\n" : line);
    if (ending == Ending::kQuiet) set.flush_partial(stream);
    set.end(stream);
  }
  return desk.matches;
}

TEST_CASE("the presets are the documented ones, each with examples") {
  for (const char* name : {"ready", "compile_error", "test_failure", "stack_trace", "prompt"}) {
    CAPTURE(name);
    REQUIRE(test::shipped_presets().contains(name));
    for (const test::Preset& preset : test::shipped_presets().at(name)) {
      CAPTURE(preset.spec.regex);
      CHECK(preset.spec.event == name);
      CHECK_FALSE(preset.match.empty());
    }
  }
}

TEST_CASE("every preset finds its examples, with and without the end of the line") {
  for (const auto& [name, list] : test::shipped_presets()) {
    for (const test::Preset& preset : list) {
      const auto patterns = test::compile_presets({preset.spec});
      for (const std::string& line : preset.match) {
        CAPTURE(name, preset.spec.regex, line);
        CHECK_FALSE(matches_of(patterns, line, Ending::kNewline).empty());
        CHECK_FALSE(matches_of(patterns, line, Ending::kQuiet).empty());
      }
    }
  }
}

TEST_CASE("no preset finds a near miss of any other") {
  for (const auto& [name, list] : test::shipped_presets()) {
    std::vector<WatchSpec> specs;
    for (const test::Preset& preset : list) specs.push_back(preset.spec);
    const auto patterns = test::compile_presets(specs);
    for (const test::Preset& preset : list) {
      for (const std::string& line : preset.not_match) {
        CAPTURE(name, line);
        for (const Ending ending : {Ending::kNewline, Ending::kQuiet}) {
          for (const WatchMatch& match : matches_of(patterns, line, ending)) {
            FAIL_CHECK("found by " << specs[match.watcher].regex);
          }
        }
      }
    }
  }
}

TEST_CASE("all presets together find what each finds alone") {
  std::vector<WatchSpec> specs;
  for (const auto& [name, list] : test::shipped_presets()) {
    for (const test::Preset& preset : list) specs.push_back(preset.spec);
  }
  const auto patterns = test::compile_presets(specs);
  std::size_t first = 0;
  for (const auto& [name, list] : test::shipped_presets()) {
    for (std::size_t at = 0; at < list.size(); ++at) {
      for (const std::string& line : list[at].match) {
        CAPTURE(name, line);
        const auto matches = matches_of(patterns, line, Ending::kNewline);
        CHECK(std::any_of(matches.begin(), matches.end(),
                          [&](const WatchMatch& match) { return match.watcher == first + at; }));
      }
    }
    first += list.size();
  }
}

}  // namespace
}  // namespace gibbous::lua
