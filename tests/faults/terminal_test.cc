// Runs with terminals when their host ends: attached ones end completely, and detached ones go on
// and take keys from the next host.
#include <csignal>

#include "tests/faults/state_host.h"

namespace gibbous::testing {
namespace {

class Host : public StateHost {
 public:
  using StateHost::StateHost;
  std::string start(const std::string& command, bool keep, const Json& watch = Json::array()) {
    return result("start",
                  {{"command", command}, {"keep", keep}, {"pty", true}, {"watch", watch}})["id"];
  }
  // Types, and waits until the screen shows `shows`.
  void keys(const std::string& id, const std::string& keys, const std::string& shows) {
    const Json shown = result("keys", {{"id", id}, {"keys", keys}, {"shows", shows}});
    INFO(shown.dump());
    REQUIRE(shown["ok"] == true);
  }
  int told(const std::string& id, const std::string& event) {
    return result("told", {{"id", id}, {"event", event}})["count"];
  }
  // Waits until the event was recorded `count` times.
  bool tells(const std::string& id, const std::string& event, int count) {
    Loop loop;
    return loop.until([&] { return told(id, event) >= count; });
  }
  bool knows(const std::string& id) {
    Loop loop;
    return loop.until([&] { return call("bg_status", {{"id", id}}).contains("result"); });
  }
};

TEST_CASE("a host that is killed leaves no process of a terminal behind") {
  const TempDir state;
  const std::string word = unique_word();
  Host host(state);
  const std::string id = host.start("PS1='> ' exec bash --norc -i", false);
  host.keys(id, "", "^>");
  host.keys(id, "bash -c 'trap \"\" HUP TERM INT; sleep 600; : " + word + "' &<Enter>clear<Enter>",
            "^>$");
  host.keys(id, "setsid bash -c 'sleep 600; : " + word + "' &<Enter>clear<Enter>", "^>$");
  host.keys(id, "bash -c 'echo in$((1))side; sleep 600; : " + word + "'<Enter>", "in1side");
  host.keys(id, "<C-z>", "Stopped");
  REQUIRE(processes_with(word).size() >= 3);
  host.end(SIGKILL);
  CHECK(gone(word));
}

TEST_CASE("a detached terminal works on without its host, and the next one types into it") {
  const TempDir state;
  std::string id;
  {
    Host host(state);
    id = host.start("PS1='> ' exec bash --norc -i", true);
    host.keys(id, "", "^>");
    host.keys(id, "word=k$((1))pt; echo $word<Enter>", "^k1pt");
    host.end(SIGKILL);
  }
  Host next(state);
  REQUIRE(next.knows(id));
  next.keys(id, "echo still $word<Enter>", "^still k1pt");
  next.keys(id, "stty size<Enter>", "^24 80");
  const Json killed = next.result("bg_kill", {{"id", id}, {"signal", "SIGKILL"}});
  CHECK(killed["survivors"].empty());
}

TEST_CASE("the next host watches a detached screen, and repeats no report") {
  const TempDir state;
  const Json watch = {
      {{"regex", "^k\\dpt"}, {"event", "kept"}, {"scope", "screen"}},
      {{"regex", "^k\\dpt"}, {"event", "first"}, {"scope", "screen"}, {"once", true}}};
  std::string id;
  {
    Host host(state);
    id = host.start("PS1='> ' exec bash --norc -i", true, watch);
    host.keys(id, "echo k$((1))pt<Enter>", "^k1pt");
    REQUIRE(host.tells(id, "kept", 1));
    REQUIRE(host.tells(id, "first", 1));
    host.end(SIGKILL);
  }
  Host next(state);
  REQUIRE(next.knows(id));
  next.keys(id, "echo k$((2))pt<Enter>", "^k2pt");
  CHECK(next.tells(id, "kept", 2));
  CHECK(next.told(id, "first") == 1);
  next.result("bg_kill", {{"id", id}, {"signal", "SIGKILL"}});
}

}  // namespace
}  // namespace gibbous::testing
