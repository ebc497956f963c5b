// The fuzzer's property on random bytes and on mutated requests, a fixed number of them.
#include <random>
#include <string>
#include <string_view>

#include "tests/bindings/mcp/http/http_fixture.h"
#include "tests/fuzz/mcp_http_fuzz.h"
#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

constexpr unsigned kSeed = 20260728;
constexpr int kRounds = 500;
constexpr std::size_t kMaxRandomBytes = 600;
constexpr int kMaxMutations = 10;

std::string requests() {
  std::string text = HttpClient::modern(Fixture::modern(1, "server/discover"));
  Json call = call_of(2, "echo");
  call["params"]["_meta"]["progressToken"] = "t";
  text += HttpClient::modern(call);
  text += HttpClient::initialize();
  text += HttpClient::legacy(Fixture::request(3, "tools/list"), "unknown");
  text += HttpClient::in_session("GET", "unknown", "0-1");
  const std::string body = Fixture::modern(4, "tools/list").dump();
  text += HttpClient::post("", {{"Content-Length", ""},
                                {"Transfer-Encoding", "chunked"},
                                {"MCP-Protocol-Version", "2026-07-28"},
                                {"Mcp-Method", "tools/list"},
                                {"Injected", "x"}});
  text += "4;a=b\r\n" + body.substr(0, 4) + "\r\n";
  return text;
}

TEST_CASE("random bytes on a connection crash nothing") {
  std::mt19937 random(kSeed);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes(random() % kMaxRandomBytes, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    feed_http_bytes(bytes);
  }
}

TEST_CASE("mutated requests on a connection break nothing") {
  constexpr std::string_view kTokens = "\r\n\r\n :,;/0-9aZ{}\"\xff";
  std::mt19937 random(kSeed);
  const std::string whole = requests();
  feed_http_bytes(whole);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = whole;
    const int mutations = 1 + static_cast<int>(random() % kMaxMutations);
    for (int mutation = 0; mutation < mutations; ++mutation) {
      const std::size_t at = random() % bytes.size();
      const std::size_t other = random() % bytes.size();
      switch (random() % 3) {
        case 0:
          bytes[at] = kTokens[random() % kTokens.size()];
          break;
        case 1:
          bytes.erase(at, 1 + random() % 8);
          break;
        case 2:
          bytes.insert(at, bytes.substr(other, random() % 64));
          break;
      }
      if (bytes.empty()) bytes = "\r\n";
    }
    feed_http_bytes(bytes);
  }
}

}  // namespace
}  // namespace gibbous::mcp::http
