// The fuzzer's property on random bytes and on mutated conversations, a fixed number of them.
#include <algorithm>
#include <random>
#include <string>

#include "tests/fuzz/mcp_fuzz.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

constexpr unsigned kSeed = 20260728;
constexpr int kRounds = 1500;
constexpr std::size_t kMaxRandomBytes = 600;
constexpr int kMaxMutations = 12;

std::string conversation() {
  std::string text;
  const auto say = [&text](const Json& message) { text += message.dump() + "\n"; };
  const Json forms{{"elicitation", Json::object()}};
  say(Fixture::request(1, "initialize",
                       Json{{"protocolVersion", "2025-11-25"}, {"capabilities", forms}}));
  say(Fixture::notification("notifications/initialized"));
  say(Fixture::request(2, "tools/call",
                       Json{{"name", "echo"}, {"_meta", {{"progressToken", "t"}}}}));
  say(Fixture::modern("3", "tools/list", Json{{"cursor", "after:echo"}}));
  say(Fixture::modern(4, "tools/call", Json{{"name", "echo"}, {"arguments", {{"a", {1, 2}}}}}));
  say(Fixture::modern(5, "subscriptions/listen",
                      Json{{"notifications", {{"toolsListChanged", true}}}}));
  say(Fixture::notification("notifications/cancelled", Json{{"requestId", 4}}));
  Json asked = Fixture::modern(7, "tools/call", Json{{"name", "echo"}, {"requestState", "x"}});
  asked["params"]["_meta"][kMetaCapabilities] = forms;
  say(asked);
  asked["params"].erase("requestState");
  asked["id"] = 8;
  say(asked);
  const Json once{{"action", "accept"}, {"content", {{"answer", "once"}}}};
  say(Json{{"jsonrpc", "2.0"}, {"id", "ask-1"}, {"result", once}});
  say(Json{{"jsonrpc", "2.0"}, {"id", "ask-2"}, {"error", {{"code", 1}, {"message", "no"}}}});
  say(Fixture::request(6, "logging/setLevel", Json{{"level", "debug"}}));
  return text;
}

TEST_CASE("random bytes crash nothing") {
  std::mt19937 random(kSeed);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes(random() % kMaxRandomBytes, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    feed_bytes_from_a_client(bytes);
  }
}

TEST_CASE("mutated conversations break nothing") {
  constexpr std::string_view kTokens = "{}[]\",:\\\n\r 0-9.eEntf\xff";
  std::mt19937 random(kSeed);
  const std::string whole = conversation();
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = whole;
    const int mutations = 1 + static_cast<int>(random() % kMaxMutations);
    for (int mutation = 0; mutation < mutations; ++mutation) {
      const std::size_t at = random() % bytes.size();
      const std::size_t other = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = kTokens[random() % kTokens.size()];
          break;
        case 1:
          bytes.erase(at, 1 + random() % 8);
          break;
        case 2:
          bytes.insert(at, bytes.substr(other, random() % 64));
          break;
        case 3:
          bytes[at] = static_cast<char>(random());
          break;
      }
      if (bytes.empty()) bytes = "{";
    }
    feed_bytes_from_a_client(bytes);
  }
}

}  // namespace
}  // namespace gibbous::mcp
