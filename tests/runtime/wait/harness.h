// Shared by the tests of waits: a runtime of runs and waits with the real keeper and real children.
#pragma once

#include <signal.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/wait/waits.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

// "" when it does not.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class House {
 public:
  explicit House(RunLimits limits = {}) {
    RunsOptions options;
    options.limits = limits;
    options.workspace = std::filesystem::current_path().string();
    options.env = {"PATH=/usr/bin:/bin"};
    options.keeper_path = program_directory() + "/gibbous-keeper";
    auto created = Runs::create(loop.get(), clock, options);
    REQUIRE(created.ok());
    runs = std::move(created.value());
    waits = Waits::create(loop.get(), clock, *runs);
  }
  ~House() {
    close_waits();
    bool closed = false;
    runs->close([&] { closed = true; });
    CHECK(loop.until([&] { return closed; }));
  }
  void close_waits() {
    if (!waits) return;
    bool closed = false;
    waits->close([&] { closed = true; });
    CHECK_FALSE(closed);  // from the loop
    CHECK(loop.until([&] { return closed; }));
    waits.reset();
  }

  Run& start(RunSpec spec) {
    bool ready = false;
    auto started = runs->start(std::move(spec), [&](Run&, Status status) {
      INFO(status.message());
      CHECK(status.ok());
      ready = true;
    });
    INFO(started.status().message());
    REQUIRE(started.ok());
    REQUIRE(loop.until([&] { return ready; }));
    return **started;
  }
  Run& sh(const std::string& command) {
    RunSpec spec;
    spec.command = command;
    spec.stdin_pipe = true;
    return start(std::move(spec));
  }
  // fixture_NAME with arguments.
  Run& program(const std::string& name, std::vector<std::string> arguments) {
    RunSpec spec;
    spec.argv = {fixture(name)};
    for (std::string& argument : arguments) spec.argv.push_back(std::move(argument));
    spec.stdin_pipe = true;
    return start(std::move(spec));
  }
  void say(Run& run, const std::string& text) {
    runs->write(run, text, [](Status) {});
  }
  void until_ended(Run& run) {
    REQUIRE(loop.until([&] { return run.ended() && run.drained(); }));
  }
  void kill(Run& run) {
    runs->kill(run, SIGKILL, Millis{0}, nullptr);
    until_ended(run);
  }

  // Begins a wait whose result arrives in `result`.
  Wait* begin(WaitSpec spec, std::optional<WaitResult>& result) {
    auto started = waits->start(std::move(spec), [&result](WaitResult answer) {
      CHECK_FALSE(result.has_value());  // once
      result = std::move(answer);
    });
    INFO(started.status().message());
    REQUIRE(started.ok());
    CHECK_FALSE(result.has_value());  // never from inside start()
    return started.value();
  }
  WaitResult wait(WaitSpec spec) {
    std::optional<WaitResult> result;
    begin(std::move(spec), result);
    REQUIRE(loop.until([&] { return result.has_value(); }));
    return *result;
  }
  WaitResult wait(Condition condition, std::optional<Millis> timeout = std::nullopt) {
    return wait(WaitSpec{{std::move(condition)}, false, timeout});
  }
  // Returns the status of a start that must fail.
  Status refused(Condition condition) {
    auto started = waits->start(WaitSpec{{std::move(condition)}, false, std::nullopt},
                                [](WaitResult) { CHECK(false); });
    REQUIRE_FALSE(started.ok());
    return started.status();
  }
  // Returns the number in the line "WORD NUMBER" that the run prints.
  int number_after(Run& run, const std::string& word);

  SystemClock clock;
  Loop loop;
  std::unique_ptr<Runs> runs;
  std::unique_ptr<Waits> waits;
};

inline Condition on_exit(const Run& run) {
  Condition condition;
  condition.kind = ConditionKind::kExit;
  condition.run = run.id();
  return condition;
}
inline Condition on_regex(const Run& run, std::string pattern) {
  Condition condition;
  condition.kind = ConditionKind::kRegex;
  condition.run = run.id();
  condition.pattern = std::move(pattern);
  return condition;
}
inline Condition on_quiet(const Run& run, Millis duration) {
  Condition condition;
  condition.kind = ConditionKind::kQuiet;
  condition.run = run.id();
  condition.duration = duration;
  return condition;
}
inline Condition on_port(int port, std::string host = "", std::string run = "") {
  Condition condition;
  condition.kind = ConditionKind::kPort;
  condition.port = port;
  condition.host = std::move(host);
  condition.run = std::move(run);
  return condition;
}
inline Condition on_http(std::string url, int status = 0, std::string run = "") {
  Condition condition;
  condition.kind = ConditionKind::kHttp;
  condition.url = std::move(url);
  condition.status = status;
  condition.run = std::move(run);
  return condition;
}
inline Condition on_file(std::string path, bool absent = false, std::string run = "") {
  Condition condition;
  condition.kind = ConditionKind::kFile;
  condition.path = std::move(path);
  condition.absent = absent;
  condition.run = std::move(run);
  return condition;
}
inline Condition on_timer(Millis duration) {
  Condition condition;
  condition.kind = ConditionKind::kTimer;
  condition.duration = duration;
  return condition;
}

inline int House::number_after(Run& run, const std::string& word) {
  const WaitResult result = wait(on_regex(run, "^" + word + " (\\d+)$"));
  REQUIRE(result.end == WaitEnd::kFired);
  return std::stoi(result.fired.at(0).captures.at(0));
}

}  // namespace gibbous::testing
