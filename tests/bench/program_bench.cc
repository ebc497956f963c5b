// The command as its clients meet it: cold start, memory, round trips over NDJSON and MCP.
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "tests/bench/harness.h"
#include "tests/bench/peer.h"

namespace gibbous::bench {
namespace {

namespace fs = std::filesystem;

constexpr Amount<int> kCalls{2000, 50};
constexpr Amount<int> kStarts{200, 10};

// A toolset with one trivial tool, for the cost of a call alone.
std::string echo_scripts() {
  const auto directory =
      std::filesystem::temp_directory_path() / ("gibbous-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "init.lua") << R"(
local echo = tool {
  name = 'echo',
  description = 'Gives back its message.',
  permission = 'read',
  input = schema.object { message = schema.string {} },
  run = function(args) return args.message end,
}
return { toolsets = { require 'toolsets.bg', { name = 'bench', tools = { echo } } } }
)";
  return directory.string();
}

// The state directory of a user who starts the command for the first time.
class FreshState {
 public:
  FreshState() : directory_(fs::temp_directory_path() / "gibbous-bench-state") {
    const char* before = std::getenv("XDG_STATE_HOME");
    if (before != nullptr) before_ = before;
    forget();
    ::setenv("XDG_STATE_HOME", directory_.c_str(), 1);
  }
  ~FreshState() {
    forget();
    before_ ? ::setenv("XDG_STATE_HOME", before_->c_str(), 1) : ::unsetenv("XDG_STATE_HOME");
  }
  FreshState(const FreshState&) = delete;
  FreshState& operator=(const FreshState&) = delete;

  void forget() const {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }

 private:
  fs::path directory_;
  std::optional<std::string> before_;
};

struct ColdStart {
  std::vector<double> answers;  // from the start to the first answer
  std::vector<double> ends;     // the same, and until the process has ended
};

void start_cold(const std::vector<std::string>& arguments, const std::string& request,
                ColdStart* into) {
  const double end = timed([&] {
    std::optional<Peer> peer;
    into->answers.push_back(timed([&] {
      peer.emplace(arguments);
      peer->send(request);
      peer->receive();
    }));
    peer.reset();
  });
  into->ends.push_back(end);
}

void add_cold_start(Report& report, const std::string& name, const ColdStart& measured,
                    std::optional<double> goal) {
  report.add({name, "ms", median(measured.answers), {}, "", {}, goal});
  report.add({"  and to the end of the process", "ms", median(measured.ends), {}, "", {}, goal});
}

std::vector<double> round_trips(Peer& peer, int count,
                                const std::function<std::string(int)>& request) {
  std::vector<double> millis;
  for (int i = 1; i <= count; ++i) {
    const std::string line = request(i);
    const std::string key = "\"id\":" + std::to_string(i);
    millis.push_back(timed([&] {
      peer.send(line);
      peer.receive_with(key);
    }));
  }
  return millis;
}

std::string echo_request(int id) {
  return mcp_request(id, "tools/call", R"("name":"echo","arguments":{"message":"hi"})");
}

// This process, and what it starts, share one processor until the end of this. What a round trip
// takes is then what is computed, and no processor has to be woken, which varies.
class OneProcessor {
 public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace

void bench_programs(Report& report) {
  report.section("The command (raw client)");
  const std::string scripts = echo_scripts();
  const std::vector<std::string> session = {"session", "--mode", "auto", "--scripts", scripts};
  const std::vector<std::string> mcp = {"mcp", "--mode", "auto", "--scripts", scripts};
  constexpr Amount<int> kColdStarts{15, 2};
  const std::vector<std::string> shipped = {"mcp", "--mode", "auto"};
  const std::string list = mcp_request(1, "tools/list", "");
  {
    const FreshState state;
    ColdStart first;
    for (int i = 0; i < kColdStarts; ++i) {
      state.forget();
      start_cold(shipped, list, &first);
    }
    add_cold_start(report, "first start of all to tools/list, MCP", first, 10);
  }
  {
    const FreshState state;
    ColdStart cold_session;
    ColdStart cold_mcp;
    const std::string call = R"({"id":1,"tool":"echo","args":{"message":"hi"}})";
    for (int i = 0; i < kColdStarts; ++i) {
      start_cold(session, call, &cold_session);
      start_cold(mcp, list, &cold_mcp);
    }
    add_cold_start(report, "cold start to the first answer, session", cold_session, 15);
    add_cold_start(report, "cold start to the first tools/list, MCP", cold_mcp, 10);
  }

  {
    Peer peer(session);
    const auto echo = round_trips(peer, kCalls, [](int id) {
      return R"({"id":)" + std::to_string(id) + R"(,"tool":"echo","args":{"message":"hi"}})";
    });
    report.add({"call of a trivial tool over session, p50", "ms", median(echo), {}, "", {}, 0.05});
    report.add(
        {"call of a trivial tool over session, p99", "ms", percentile(echo, 0.99), {}, "", {}, {}});
  }
  {
    Peer peer(mcp);
    const auto echo = round_trips(peer, kCalls, echo_request);
    report.add(
        {"tools/call of a trivial tool over MCP, p50", "ms", median(echo), {}, "", {}, 0.05});
    report.add({"tools/call of a trivial tool over MCP, p99",
                "ms",
                percentile(echo, 0.99),
                {},
                "",
                {},
                {}});
    constexpr double kMaxIdleKib = 12 * 1024;
    report.add({"RSS idle, MCP", "KiB", status_kib(peer.pid(), "VmRSS:"), {}, "", {}, kMaxIdleKib});
  }
  {
    const OneProcessor one;
    Peer peer(mcp);
    Peer copier("/bin/cat", {});
    report.add({"  the call and its client on one processor, p50",
                "ms",
                median(round_trips(peer, kCalls, echo_request)),
                median(round_trips(copier, kCalls, echo_request)),
                "cat, which only copies",
                {},
                {}});
  }
  {
    Peer peer(session);
    const auto starts = round_trips(peer, kStarts, [](int id) {
      return R"({"id":)" + std::to_string(id) +
             R"(,"tool":"bg_start","args":{"command":"echo hi"}})";
    });
    report.add({"bg_start of `echo hi`, p50", "ms", median(starts), {}, "", {}, 2});
  }
  {
    const std::string config = scripts + "/gibbous.lua";
    std::ofstream(config) << "return { limits = { max_concurrent = 200 } }\n";
    auto arguments = session;
    arguments.insert(arguments.end(), {"--config", config});
    Peer peer(arguments);
    peer.send(R"({"id":1,"tool":"bg_start","args":{"command":"exec sleep 600"}})");
    peer.receive_with("\"id\":1,");
    const double before = status_kib(peer.pid(), "VmRSS:");
    constexpr Amount<int> kIdleRuns{150, 10};
    for (int id = 2; id < kIdleRuns + 2; ++id) {
      peer.send(R"({"id":)" + std::to_string(id) +
                R"(,"tool":"bg_start","args":{"command":"exec sleep 600"}})");
      peer.receive_with("\"id\":" + std::to_string(id) + ",");
    }
    constexpr double kMaxRunKib = 8;
    report.add({"RSS of an idle run in the library",
                "KiB",
                (status_kib(peer.pid(), "VmRSS:") - before) / kIdleRuns,
                {},
                "",
                {},
                kMaxRunKib});
  }
  {
    constexpr double kMaxMillis = 250;
    std::vector<double> floods;
    for (int i = 0; i < 5; ++i) {
      Peer peer(session);
      peer.send(R"({"id":1,"tool":"echo","args":{"message":"hi"}})");
      peer.receive();
      floods.push_back(timed([&] {
        peer.send(
            R"({"id":2,"tool":"bg_start","args":{"command":"yes | head -c 200000000; echo END"}})");
        peer.receive_with("run_ended");
      }));
    }
    report.add(
        {"200 MB through session, to its end", "ms", median(floods), {}, "", {}, kMaxMillis});
  }
  std::filesystem::remove_all(scripts);
}

}  // namespace gibbous::bench
