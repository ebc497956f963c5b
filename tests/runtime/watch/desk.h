// Shared by the tests of watchers: a set with a sink that keeps every match, and short functions to
// feed it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/watch/watch_set.h"
#include "tests/support/catch.h"
#include "tests/support/watch_differential.h"

namespace gibbous::test {

inline WatchSpec spec_of(std::string regex) {
  WatchSpec spec;
  spec.regex = std::move(regex);
  spec.event = "found";
  return spec;
}

inline std::shared_ptr<const WatchPatterns> compile(std::vector<WatchSpec> specs) {
  auto patterns = WatchPatterns::compile(std::move(specs));
  INFO(patterns.status().message());
  REQUIRE(patterns.ok());
  return *patterns;
}

struct Desk {
  explicit Desk(std::vector<WatchSpec> specs) : set(compile(std::move(specs)), &sink) {}
  explicit Desk(const std::string& regex) : Desk(std::vector{spec_of(regex)}) {}

  void feed(std::string_view bytes, WatchStream stream = WatchStream::kStdout) {
    Offset& offset = offsets[static_cast<std::size_t>(stream)];
    set.feed(stream, offset, bytes);
    offset += bytes.size();
  }
  void flush() { set.flush_partial(WatchStream::kStdout); }
  void end() { set.end(WatchStream::kStdout); }

  const std::vector<WatchMatch>& matches() const { return sink.matches; }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const WatchMatch& match : sink.matches) lines.push_back(match.line);
    return lines;
  }

  testing::MatchDesk sink;
  WatchSet set;
  Offset offsets[kWatchStreams] = {};
};

using Texts = std::vector<std::string>;

}  // namespace gibbous::test
