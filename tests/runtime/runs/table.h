// Table: a table of runs with a loop, the real keeper and real children. For the tests of Runs.
#pragma once

#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "runtime/runs/runs.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

inline constexpr Millis kShortGrace{200};

class Table {
 public:
  explicit Table(RunLimits limits = {}, const std::string& workspace = "",
                 const std::string& temp_directory = "/tmp") {
    RunsOptions options;
    options.limits = limits;
    options.workspace = workspace.empty() ? std::filesystem::current_path().string() : workspace;
    options.temp_directory = temp_directory;
    options.env = {"PATH=/usr/bin:/bin", "COLOUR=blue"};
    options.keeper_path = program_directory() + "/gibbous-keeper";
    auto created = Runs::create(loop.get(), clock, options);
    REQUIRE(created.ok());
    runs = std::move(created.value());
  }
  ~Table() {
    if (runs) close();
  }
  void close() {
    bool closed = false;
    runs->close([&] { closed = true; });
    REQUIRE(loop.until([&] { return closed; }));
    runs.reset();
  }

  // Starts it and waits until it runs or has failed.
  Run& start(RunSpec spec, Status* status = nullptr) {
    bool ready = false;
    Status answer;
    auto started = runs->start(std::move(spec), [&](Run&, Status result) {
      ready = true;
      answer = std::move(result);
    });
    INFO(started.status().message());
    REQUIRE(started.ok());
    REQUIRE(!ready);  // never from inside start()
    REQUIRE(loop.until([&] { return ready; }));
    if (status != nullptr) {
      *status = answer;
    } else {
      INFO(answer.message());
      REQUIRE(answer.ok());
    }
    return **started;
  }
  Run& sh(const std::string& command) {
    RunSpec spec;
    spec.command = command;
    return start(std::move(spec));
  }
  void until_ended(Run& run) {
    REQUIRE(loop.until([&] { return run.ended(); }));
  }
  KillReport kill(Run& run, int signal_number = SIGTERM, Millis grace = kShortGrace) {
    bool done = false;
    KillReport report;
    runs->kill(run, signal_number, grace, [&](Run&, const KillReport& result) {
      done = true;
      report = result;
    });
    REQUIRE(!done);
    REQUIRE(loop.until([&] { return done; }));
    return report;
  }
  static std::string text(const Run& run, StreamId id) {
    constexpr std::size_t kAll = std::size_t{1} << 24;
    return run.stream(id).read(0, kAll).bytes;
  }

  SystemClock clock;
  Loop loop;
  std::unique_ptr<Runs> runs;
};

}  // namespace gibbous::testing
