// The journal outlives the host: a session is killed in the middle, and the next one goes on.
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "runtime/journal/journal_reader.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Texts = std::vector<std::string>;

// Returns whether the journal has a decision in this mode about a request with this text.
bool was_decided(const std::string& state, const std::string& mode, const std::string& text) {
  auto reader = JournalReader::open(state);
  if (!reader) return false;
  const auto all = (*reader)->decisions({}, 1'000);
  if (!all) return false;
  return std::any_of(all->begin(), all->end(), [&](const DecisionRecord& each) {
    return Json::parse(each.record_json).value("mode", "") == mode &&
           each.record_json.find(text) != std::string::npos;
  });
}

// `gibbous session`s with one state directory, one after another.
class Lives {
 public:
  explicit Lives(const std::string& config) : config_(dir_.write("config.lua", config)) { begin(); }
  void begin(const std::string& mode = "auto") {
    session_.emplace(Texts{"--mode", mode, "--config", config_, "--state", dir_.path() + "/state",
                           "--workspace", dir_.path()});
  }
  void kill() {
    session_->program().send_signal(SIGKILL);
    (void)session_->program().wait();
  }
  void end() {
    session_->program().close_stdin();
    (void)session_->program().wait();
  }
  Json shell(const Json& args) { return call("shell", args); }
  Json call(const std::string& tool, const Json& args) {
    const Json answer = session_->call(tool, args, "a");
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  // Polls until `enough` has come; keeps all items and the cursor.
  Json poll(const std::string& run, const std::function<bool(const Json&)>& enough) {
    Loop loop;
    Json answer;
    REQUIRE(loop.until([&] {
      answer = shell({{"action", "poll"}, {"run_id", run}, {"since_seq", since_}});
      for (const Json& item : answer["items"]) items.push_back(item);
      since_ = answer["next_seq"].get<std::int64_t>();
      return enough(answer);
    }));
    return answer;
  }
  // Returns when the run's first line, its event and the message about that are on disk.
  void poll_until_told(const std::string& run) {
    poll(run, [this](const Json&) { return saw("ready"); });
    poll(run, [](const Json&) { return true; });
  }
  // Returns the event about the run's end.
  Json ended(const std::string& run) {
    session_->send({{"id", "drain"}, {"drain", "a"}});
    Json found;
    const Json answer = session_->answer("drain");
    for (const Json& event : answer["drain"]["events"]) {
      if (event["event"] == "run_ended" && event["run"] == run) found = event;
    }
    return found;
  }
  // Waits until the journal's files hold this text.
  bool saved(const std::string& text) const {
    Loop loop;
    return loop.until([&] {
      for (const char* name : {"sessions.db", "sessions.db-wal"}) {
        std::ifstream file(dir_.path() + "/state/" + name, std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(file), {});
        if (bytes.find(text) != std::string::npos) return true;
      }
      return false;
    });
  }
  Texts drained() {
    session_->send({{"id", "drain"}, {"drain", "a"}});
    Texts names;
    const Json answer = session_->answer("drain");
    for (const Json& event : answer["drain"]["events"]) {
      names.push_back(event["event"].get<std::string>());
    }
    return names;
  }
  std::string output() const {
    std::string text;
    for (const Json& item : items) {
      if (item["item_type"] == "stdout") text += item["payload"].get<std::string>();
    }
    return text;
  }
  bool saw(const std::string& event) const {
    return std::any_of(items.begin(), items.end(), [&](const Json& item) {
      return item["item_type"] == "event" && item["payload"] == event;
    });
  }
  bool numbered_without_a_gap() const {
    std::int64_t seq = 0;
    for (const Json& item : items) {
      if (item["seq"] != ++seq) return false;
    }
    return true;
  }
  std::string file(const std::string& name) const { return dir_.path() + "/" + name; }
  void write(const std::string& name) { dir_.write(name, ""); }

  std::vector<Json> items;

 private:
  TempDir dir_;
  std::string config_;
  std::optional<Conversation> session_;
  std::int64_t since_ = 0;
};

// Goes on once the file `go` exists.
const Json kSpawn = {{"action", "spawn"},
                     {"command",
                      "echo ready on 80; until [ -e go ]; do sleep 0.05; done; echo 'error: boom'; "
                      "echo last; exit 7"},
                     {"watch",
                      {{{"regex", "ready on (\\d+)"}, {"event", "ready"}, {"once", true}},
                       {{"regex", "^error:"}, {"event", "trouble"}}}}};

TEST_CASE("the next host polls a detached run from the same cursor, and its events come once") {
  Lives lives("return { toolsets = { 'shell', 'wait' }, kill_on_session_end = false }\n");
  const std::string run = lives.shell(kSpawn)["run_id"];
  lives.poll_until_told(run);
  lives.kill();
  lives.begin();
  lives.poll(run, [&](const Json&) { return lives.saw("run_adopted"); });
  lives.write("go");
  const Json end = lives.poll(run, [](const Json& answer) { return answer["done"].get<bool>(); });
  CHECK(end["status"] == "failed");
  CHECK(end["exit_code"] == 7);
  CHECK(lives.output() == "ready on 80\nerror: boom\nlast\n");
  CHECK(lives.numbered_without_a_gap());
  CHECK(lives.drained() == Texts{"run_started", "ready", "run_adopted", "trouble", "run_ended"});
  CHECK(lives.drained().empty());
  lives.poll(run, [](const Json&) { return true; });  // it is on disk by now
  lives.kill();
  lives.begin();
  CHECK(lives.drained().empty());
  lives.end();
}

TEST_CASE("a run that died with its host is lost, with everything that was recorded of it") {
  Lives lives("return { toolsets = { 'shell', 'wait' } }\n");
  const std::string run = lives.shell(kSpawn)["run_id"];
  lives.poll_until_told(run);
  lives.kill();
  lives.begin();
  const Json end = lives.poll(run, [](const Json& answer) { return answer["done"].get<bool>(); });
  CHECK(end["status"] == "lost");
  CHECK(lives.numbered_without_a_gap());
  CHECK(lives.items.back()["payload"] == "lost");
  CHECK(lives.drained() == Texts{"run_started", "ready", "run_ended"});
  CHECK(lives.drained().empty());
  lives.end();
}

// Writes more than its limit, then something that is not in its command, and waits.
const Json kLong = {{"action", "spawn"},
                    {"command",
                     "seq 1 5000; echo last$((40 + 2)); until [ -e go ]; do sleep 0.05; done;"
                     " seq 1 5000; echo end$((40 + 3))"},
                    {"max_output_bytes", 1000}};

TEST_CASE("of a run that exceeds its limit, a killed host leaves the end of the output, too") {
  Lives lives("return { toolsets = { 'shell' } }\n");
  const std::string run = lives.shell(kLong)["run_id"];
  REQUIRE(lives.saved("last42"));
  lives.kill();
  lives.begin();
  const Json end = lives.poll(run, [](const Json& answer) { return answer["done"].get<bool>(); });
  CHECK(end["status"] == "lost");
  const std::string output = lives.output();
  CHECK(output.size() == 1000);
  CHECK(output.rfind("1\n2\n3\n", 0) == 0);
  CHECK(output.substr(output.size() - 12) == "5000\nlast42\n");
  CHECK(lives.numbered_without_a_gap());
  CHECK(lives.items.back()["payload"] == "lost");
  lives.end();
}

TEST_CASE("a long run that outlives its host has the ends of its output under both") {
  Lives lives("return { toolsets = { 'shell' }, kill_on_session_end = false }\n");
  const std::string run = lives.shell(kLong)["run_id"];
  REQUIRE(lives.saved("last42"));
  lives.kill();
  lives.begin();
  lives.poll(run, [&](const Json&) { return lives.saw("run_adopted"); });
  lives.write("go");
  const Json end = lives.poll(run, [](const Json& answer) { return answer["done"].get<bool>(); });
  CHECK(end["status"] == "completed");
  const std::string output = lives.output();
  CHECK(output.find("5000\nlast42\n") != std::string::npos);
  CHECK(output.substr(output.size() - 11) == "5000\nend43\n");
  CHECK(lives.numbered_without_a_gap());
  lives.end();
}

TEST_CASE("a run that waited for another when its host was killed is lost, and names the other") {
  Lives lives("return { toolsets = { 'services', 'shell', 'wait' } }\n");
  const Json services = lives.call(
      "start_services",
      {{"wait", false},
       {"services",
        {{{"name", "db"}, {"command", "sleep 60"}, {"ready", {{"output_regex", "never"}}}},
         {{"name", "web"}, {"command", "true"}, {"after", {"db"}}}}}})["services"];
  const std::string web = services[1]["id"];
  lives.poll(web, [](const Json& answer) { return answer["status"] == "queued"; });
  lives.poll(web, [&](const Json&) { return !lives.items.empty(); });
  lives.kill();
  lives.begin();
  lives.poll(web, [](const Json& answer) { return answer["done"].get<bool>(); });
  CHECK(lives.items.back()["payload"] == "lost");
  CHECK_THAT(lives.ended(web)["reason"].get<std::string>(),
             Catch::Matchers::Contains("before it was started (it starts when "));
  lives.end();
}

TEST_CASE("with recovery = requeue, it is started again, as its next attempt") {
  Lives lives("return { toolsets = { 'shell', 'wait' }, journal = { recovery = 'requeue' } }\n");
  const std::string run = lives.shell(kSpawn)["run_id"];
  lives.poll_until_told(run);
  lives.kill();
  lives.begin();
  lives.write("go");
  const Json end = lives.poll(run, [](const Json& answer) { return answer["done"].get<bool>(); });
  CHECK(end["status"] == "failed");
  CHECK(lives.output() == "ready on 80\nready on 80\nerror: boom\nlast\n");
  CHECK(lives.numbered_without_a_gap());
  lives.end();
}

TEST_CASE("a host that may not start any run leaves the queue to others") {
  Lives lives("return { toolsets = { 'shell', 'wait' } }\n");
  const std::string first = lives.shell(kSpawn)["run_id"];
  const std::string second =
      lives.shell({{"action", "spawn"}, {"command", "echo once >> log"}})["run_id"];
  lives.poll_until_told(first);
  lives.kill();
  lives.begin("plan");
  const auto poll = [&](const std::string& run) {
    return lives.shell({{"action", "poll"}, {"run_id", run}});
  };
  Loop loop;
  // The first is settled, and the policy has judged the second.
  REQUIRE(loop.until([&] {
    (void)poll(first);
    return was_decided(lives.file("state"), "plan", "echo once");
  }));
  CHECK(poll(first)["status"] == "lost");
  REQUIRE(loop.until([&] { return poll(second)["status"] == "queued"; }));
  lives.kill();
  lives.begin();
  REQUIRE(loop.until([&] { return poll(second)["done"].get<bool>(); }));
  CHECK(poll(second)["status"] == "completed");
  CHECK(lives.shell({{"command", "cat log"}})["stdout"] == "once\n");
  lives.end();
}

TEST_CASE("a run queued when the host was killed is executed by the next one, once") {
  Lives lives("return { toolsets = { 'shell', 'wait' } }\n");
  const std::string first = lives.shell(kSpawn)["run_id"];
  const std::string second =
      lives.shell({{"action", "spawn"}, {"command", "echo once >> log"}})["run_id"];
  lives.poll_until_told(first);
  lives.kill();
  lives.begin();
  Loop loop;
  Json end;
  REQUIRE(loop.until([&] {
    end = lives.shell({{"action", "poll"}, {"run_id", second}});
    return end["done"].get<bool>();
  }));
  CHECK(end["status"] == "completed");
  CHECK(lives.shell({{"command", "cat log"}})["stdout"] == "once\n");
  lives.end();
}

}  // namespace
}  // namespace gibbous::testing
