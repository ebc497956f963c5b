// Shared by the keeper's tests: a loop with a client whose listener remembers everything, functions
// that wait for its events, and functions that look at processes. One Harness per test; its keeper
// ends with it.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/keeper/client.h"
#include "runtime/process/proc.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

struct RunRecord {
  bool started = false;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  UniqueFd pidfd, in, out, err;
  std::vector<StartFailure> failures;
  std::vector<ExitStatus> exits;
  std::vector<std::uint32_t> left;
  std::vector<KillReport> reports;
  bool lost = false;
  std::string output;  // read by Harness::read_*
};

using Steps = std::vector<std::string>;

// Identifies the processes of one test.
inline std::string unique_tag() {
  static std::atomic<int> count{0};
  return "tag-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

inline bool is_alive(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat && stat->alive();
}

inline bool is_stopped(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat && stat->state == 'T';
}

// Returns the processes, without zombies, that have `argument` among their arguments.
inline std::vector<pid_t> alive_with(const std::string& argument) {
  std::vector<pid_t> found;
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  for (const pid_t pid : pids) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    for (std::string word; std::getline(file, word, '\0');) {
      if (word == argument && is_alive(pid)) {
        found.push_back(pid);
        break;
      }
    }
  }
  return found;
}

// Returns true if this process may remove a hard limit, and so a mark.
inline bool may_reset_limits() {
  constexpr std::uint64_t kSysResource = std::uint64_t{1} << 24;
  constexpr int kHexadecimal = 16;
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    if (word != "CapEff:") continue;
    file >> word;
    return (std::stoull(word, nullptr, kHexadecimal) & kSysResource) != 0;
  }
  return false;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Harness final : private KeeperListener {
 public:
  explicit Harness(std::string keeper_path = {}, std::uint64_t open_files = 0) {
    auto client = KeeperClient::create(loop_.get(), {std::move(keeper_path), open_files}, *this);
    REQUIRE(client.ok());
    client_ = std::move(*client);
  }
  ~Harness() override { close_client(); }
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  void close_client() {
    if (!client_) return;
    bool closed = false;
    client_->close([&closed] { closed = true; });
    CHECK(loop_.until([&closed] { return closed; }));
    client_.reset();
  }

  KeeperClient& client() { return *client_; }
  Loop& loop() { return loop_; }
  RunRecord& run(RunKey key) { return runs_[key]; }
  const std::vector<std::string>& lost_reasons() const { return lost_reasons_; }
  const std::vector<std::string>& log() const { return log_; }

  // Returns a request for fixture_tree with these steps and a pipe as stdout.
  static StartRequest tree(const Steps& steps) {
    StartRequest request;
    request.argv = {fixture("tree")};
    request.argv.insert(request.argv.end(), steps.begin(), steps.end());
    request.env = {"PATH=/usr/bin:/bin"};
    request.cwd = "/";
    request.err = StdioKind::kNull;
    return request;
  }
  RunKey start(const StartRequest& request) {
    const RunKey key = next_key_++;
    const Status status = client_->start(key, request);
    INFO(status.message());
    REQUIRE(status.ok());
    return key;
  }
  RunKey start_running(const StartRequest& request) {
    const RunKey key = start(request);
    REQUIRE(wait_for([&] { return run(key).started || !run(key).failures.empty(); }));
    REQUIRE(run(key).started);
    return key;
  }

  bool wait_for(const std::function<bool()>& condition) { return loop_.until(condition); }
  bool wait_exit(RunKey key) {
    return wait_for([&] { return !run(key).exits.empty(); });
  }
  bool wait_report(RunKey key, std::size_t count = 1) {
    return wait_for([&] { return run(key).reports.size() >= count; });
  }
  // Waits until stdout has `lines` lines or has ended; returns all that came.
  std::string read_lines(RunKey key, std::size_t lines) {
    CHECK(wait_for(
        [&] { return !take_output(run(key)) || lines_of(run(key).output).size() >= lines; }));
    return run(key).output;
  }
  std::string read_all(RunKey key) {
    CHECK(wait_for([&] { return !take_output(run(key)); }));
    return run(key).output;
  }

 private:
  void on_started(RunKey key, Started started) override {
    RunRecord& record = run(key);
    record.started = true;
    record.pid = started.pid;
    record.start_time = started.start_time;
    record.pidfd = std::move(started.pidfd);
    record.in = std::move(started.in);
    record.out = std::move(started.out);
    record.err = std::move(started.err);
    note(key, "started");
  }
  void on_start_failed(RunKey key, StartFailure failure) override {
    run(key).failures.push_back(failure);
    note(key, "failed");
  }
  void on_exited(RunKey key, ExitStatus status) override {
    run(key).exits.push_back(status);
    note(key, "exited");
  }
  void on_left(RunKey key, std::uint32_t alive) override {
    run(key).left.push_back(alive);
    note(key, "left");
  }
  void on_limit(RunKey key, LimitReached) override { note(key, "limit"); }
  void on_detached(KeeperClient&, RunKey key, DetachedRun) override { note(key, "kept"); }
  void on_adopted(KeeperClient&, const Status&) override {}
  void on_killed(RunKey key, KillReport report) override {
    run(key).reports.push_back(std::move(report));
    note(key, "killed");
  }
  void on_keeper_lost(std::vector<RunKey> keys, std::string reason) override {
    for (const RunKey key : keys) {
      run(key).lost = true;
      note(key, "lost");
    }
    lost_reasons_.push_back(std::move(reason));
  }
  void note(RunKey key, const char* what) {
    log_.push_back(std::string(what) + " " + std::to_string(key));
  }
  // Returns false at the end.
  static bool take_output(RunRecord& record) {
    std::array<char, 65536> bytes;
    while (record.out) {
      const ssize_t got = ::read(record.out.get(), bytes.data(), bytes.size());
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      if (got <= 0) {
        record.out.reset();
        break;
      }
      record.output.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return false;
  }

  Loop loop_;
  std::unique_ptr<KeeperClient> client_;
  std::map<RunKey, RunRecord> runs_;
  std::vector<std::string> lost_reasons_;
  std::vector<std::string> log_;  // "started 1", "exited 1", … in order
  RunKey next_key_ = 1;
};

}  // namespace gibbous::testing
