// Desk: streams, a file sink that copies them, and their loop. For the tests of sinks.
#pragma once

#include <sys/resource.h>
#include <uv.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/output/file_sink.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

namespace fs = std::filesystem;

inline constexpr std::size_t kBigRing = std::size_t{8} << 20;
inline constexpr std::uint64_t kRoomy = std::uint64_t{16} << 20;

inline std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Lines that differ from each other.
inline std::string numbered(std::size_t bytes) {
  std::string text;
  for (int line = 0; text.size() < bytes; ++line) text += "line " + std::to_string(line) + "\n";
  text.resize(bytes);
  return text;
}

struct Told final : FileSinkListener {
  void on_sink_error(const std::string& message) override {
    errors.push_back(message);
    if (then) then();
  }
  void on_sink_recovered() override { ++recoveries; }
  std::vector<std::string> errors;
  int recoveries = 0;
  std::function<void()> then;
};

// Two streams and the sink that copies them, on a loop of its own.
struct Desk {
  explicit Desk(std::string where = {}, std::size_t ring = kBigRing)
      : out(ring, 0), err(ring, 0), spec{where.empty() ? dir.path() : std::move(where), "out.log"} {
    spec.max_bytes = kRoomy;
  }

  // The job of a deleted sink ends before its loop does.
  ~Desk() {
    sink.reset();
    uv_run(loop.get(), UV_RUN_DEFAULT);
    threads.close(nullptr);
    uv_run(loop.get(), UV_RUN_DEFAULT);
  }

  Status open(bool both = false) {
    std::vector<FileSinkSource> sources{{&out, "stdout"}};
    if (both) sources.push_back({&err, "stderr"});
    auto made = FileSink::create(threads, clock, spec, std::move(sources), told);
    if (made) sink = std::move(*made);
    return made.status();
  }
  void say(std::string_view text) {
    out.append(text);
    sink->notify(0);
  }
  void complain(std::string_view text) {
    err.append(text);
    sink->notify(1);
  }
  // Checks that all output is written, or counted as lost.
  bool settle() {
    return loop.until([this] {
      const FileSinkStatus& status = sink->status();
      return status.files > 0 && status.written_bytes + status.lost_bytes == out.end() + err.end();
    });
  }
  bool wait_for_error() {
    return loop.until([this] { return !told.errors.empty(); });
  }
  bool finish() {
    bool done = false;
    sink->finish([&done] { done = true; });
    return loop.until([&done] { return done; });
  }
  fs::path file(const std::string& name = "out.log") const {
    return fs::path(spec.directory) / name;
  }
  std::string text(const std::string& name = "out.log") const { return content(file(name)); }

  TempDir dir;
  Loop loop;
  DiskThreads threads{loop.get()};
  ManualClock clock;
  Stream out;
  Stream err;
  Told told;
  FileSinkSpec spec;
  std::unique_ptr<FileSink> sink;
};

// Limits the size of this process's files: acts like a full disk for every user.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() { lift(); }
  void lift() { static_cast<void>(::setrlimit(RLIMIT_FSIZE, &before_)); }

 private:
  rlimit before_{};
};

}  // namespace gibbous::testing
