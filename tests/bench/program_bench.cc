// The command as its clients meet it: cold start, memory, round trips over NDJSON and MCP.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/bench/harness.h"
#include "tests/bench/peer.h"

namespace gibbous::bench {
namespace {

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

double cold_start(const std::vector<std::string>& arguments, const std::string& request) {
  return timed([&] {
    Peer peer(arguments);
    peer.send(request);
    peer.receive();
    // The end of the process is not part of the start, but what Peer's destructor waits for is
    // short.
  });
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

}  // namespace

void bench_programs(Report& report) {
  report.section("The command (raw client)");
  const std::string scripts = echo_scripts();
  const std::vector<std::string> session = {"session", "--mode", "auto", "--scripts", scripts};
  const std::vector<std::string> mcp = {"mcp", "--mode", "auto", "--scripts", scripts};
  constexpr Amount<int> kColdStarts{15, 2};
  std::vector<double> cold_session;
  std::vector<double> cold_mcp;
  for (int i = 0; i < kColdStarts; ++i) {
    cold_session.push_back(
        cold_start(session, R"({"id":1,"tool":"echo","args":{"message":"hi"}})"));
    cold_mcp.push_back(cold_start(mcp, mcp_request(1, "tools/list", "")));
  }
  report.add(
      {"cold start to first answer and exit, session", "ms", median(cold_session), {}, "", {}, 15});
  report.add(
      {"cold start to first tools/list and exit, MCP", "ms", median(cold_mcp), {}, "", {}, 10});

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
    const auto echo = round_trips(peer, kCalls, [](int id) {
      return mcp_request(id, "tools/call", R"("name":"echo","arguments":{"message":"hi"})");
    });
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
