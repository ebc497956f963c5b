// `gibbous mcp < requests`: a shell's server answers all that it was asked, then ends.
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using gibbous::Json;
using namespace gibbous::testing;

namespace {

Json request(int id, const std::string& method, const Json& params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}

Json call(int id, const std::string& tool, const Json& arguments) {
  return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

// A handshake, a command, and a wait that takes longer than any other end of input grants.
std::string requests() {
  const Json client = {{"protocolVersion", "2025-11-25"},
                       {"capabilities", Json::object()},
                       {"clientInfo", {{"name", "a shell"}, {"version", "1"}}}};
  std::string text;
  for (const Json& each :
       {request(1, "initialize", client),
        Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
        call(2, "bg_start", {{"command", "echo up; exec sleep 1000"}}),
        call(3, "wait_for", {{"timer_ms", 1'500}}), request(4, "resources/list", Json::object())}) {
    text += each.dump() + "\n";
  }
  return text;
}

std::set<int> answered(const std::string& out) {
  std::set<int> ids;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    const Json message = Json::parse(line);
    if (message.contains("result")) ids.insert(message["id"].get<int>());
  }
  return ids;
}

}  // namespace

TEST_CASE("mcp answers all requests of a file, and all of a pipe that has ended") {
  const TempDir home;
  home.write("requests", requests());
  // A shell fills and closes the pipe of a text that follows before it starts the server.
  for (const std::string& input : {std::string("< requests"), "<< 'END'\n" + requests() + "END"}) {
    INFO(input);
    const Outcome made = run_program(
        {.argv = {"/bin/sh", "-c", "exec '" + command_path() + "' mcp --mode dangerous " + input},
         .env = {{"HOME", home.path()}, {"XDG_STATE_HOME", home.path() + "/state"}},
         .cwd = home.path()});
    INFO(made.out << made.err);
    CHECK(made.status.code == 0);
    CHECK(answered(made.out) == std::set<int>{1, 2, 3, 4});
  }
}
