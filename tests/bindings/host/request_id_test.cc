// A start that must be on disk first answers soon and is never carried out behind its caller's
// back; a request_id makes a repeated call the same run.
#include <fstream>

#include "tests/runtime/journal/desk.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

class RequestHost {
 public:
  RequestHost() : host_(options()) {}
  RuntimeOptions options() {
    RuntimeOptions made = with_shell();
    made.state_dir = dir_.path() + "/state";
    return made;
  }
  CallResult spawn(const std::string& command, const Json& more = Json::object(),
                   const std::string& session = "") {
    Json args = more;
    args["action"] = "spawn";
    args["command"] = command;
    return host_.call("shell", args, session);
  }
  Json spawned(const std::string& command, const Json& more, const std::string& session = "") {
    const CallResult result = spawn(command, more, session);
    INFO(result.message);
    REQUIRE(result.ok);
    return Json::parse(result.data);
  }
  bool until_done(const std::string& id) {
    return host_.until([&] {
      return host_.data("shell", {{"action", "poll"}, {"run_id", id}})["done"].get<bool>();
    });
  }
  std::size_t lines(const std::string& file) const {
    std::ifstream read(path(file));
    std::size_t count = 0;
    for (std::string line; std::getline(read, line);) ++count;
    return count;
  }
  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }
  std::string journal() const { return path("state/sessions.db"); }

 private:
  TempDir dir_;
  Host host_;
};

TEST_CASE("a spawn answers while the journal is locked, and its command never runs") {
  RequestHost desk;
  const std::string count = "echo x >> " + desk.path("count");
  REQUIRE(desk.until_done(desk.spawned("true", {})["run_id"]));
  {
    Plain plain(desk.journal());
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    const CallResult busy = desk.spawn(count, {{"request_id", "r1"}});
    CHECK_FALSE(busy.ok);
    CHECK(busy.code == "journal_busy");
    CHECK_THAT(busy.message, Contains("will not run"));
    CHECK_THAT(busy.message, Contains(desk.journal()));
  }
  const Json again = desk.spawned(count, {{"request_id", "r1"}});
  REQUIRE(desk.until_done(again["run_id"]));
  // A later run of the same queue shows that none of it waits before.
  REQUIRE(desk.until_done(desk.spawned("true", {})["run_id"]));
  CHECK(desk.lines("count") == 1);
}

TEST_CASE("a spawn with a request_id that was used answers with the first run") {
  RequestHost desk;
  const std::string count = "echo x >> " + desk.path("count");
  const Json first = desk.spawned(count, {{"request_id", "build-1"}});
  const Json second = desk.spawned(count, {{"request_id", "build-1"}});
  CHECK(second["run_id"] == first["run_id"]);
  REQUIRE(desk.until_done(first["run_id"]));
  const Json third = desk.spawned(count, {{"request_id", "build-1"}});
  CHECK(third["run_id"] == first["run_id"]);
  CHECK(third["status"] == "completed");
  CHECK(desk.spawned(count, {{"request_id", "build-2"}})["run_id"] != first["run_id"]);
  const Json other = desk.spawned("true", {{"request_id", "build-1"}}, "another");
  CHECK(other["run_id"] != first["run_id"]);
}

TEST_CASE("a request_id with another command, or where nothing is queued, is wrong use") {
  RequestHost desk;
  const Json first = desk.spawned("true", {{"request_id", "one"}});
  const CallResult other = desk.spawn("false", {{"request_id", "one"}});
  CHECK(other.code == "invalid_arguments");
  CHECK_THAT(other.message, Contains(first["run_id"].get<std::string>()));
  CHECK_THAT(desk.spawn("true", {{"request_id", ""}}).message, Contains("request_id"));
  const CallResult waits = desk.spawn("true", {{"request_id", "two"}, {"background", false}});
  CHECK(waits.code == "invalid_arguments");
}

}  // namespace
}  // namespace gibbous::testing
