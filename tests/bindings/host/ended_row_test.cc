// How the row of a run looks once the run has ended, and that nothing else of it holds its secrets.
#include "bindings/host/ended_row.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/support/file_bytes.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

RunRecord redacted(const std::string& command, const Json& meta) {
  RunRecord run;
  run.command = command;
  run.error_message = "password=hunter22 was wrong";
  run.watch_json = R"([{"regex":"token=abcdef123456","event":"seen"}])";
  run.meta_json = meta.dump();
  host::row_redactor()(run);
  return run;
}

TEST_CASE("the row of an ended run has no secrets and no packed start") {
  const RunRecord run = redacted("deploy corp-1234 --password hunter22",
                                 {{"redact", {{"patterns", {"corp-[0-9]+"}}}},
                                  {"label", "to corp-77"},
                                  {"cwd", "/srv/corp-42/x"},
                                  {"argv", {"deploy", "--password", "hunter22", "corp-1"}},
                                  {"pid", 17},
                                  {"start", {{"env", {"A=B"}}}},
                                  {"queued", {{"mode", "auto"}}}});
  CHECK(run.command == "deploy *** --password ***");
  CHECK(run.error_message == "password=*** was wrong");
  CHECK(run.watch_json.find("abcdef123456") == std::string::npos);
  const Json meta = Json::parse(run.meta_json);
  CHECK(meta["label"] == "to ***");
  CHECK(meta["cwd"] == "/srv/***/x");
  CHECK(meta["argv"] == Json({"deploy", "--password", "***", "***"}));
  CHECK(meta["pid"] == 17);
  CHECK_FALSE(meta.contains("start"));
  CHECK_FALSE(meta.contains("queued"));
  CHECK(meta["redact"]["patterns"][0] == "corp-[0-9]+");  // for views of the output
}

TEST_CASE("a run whose patterns cannot be read keeps no text") {
  const Json record = GENERATE(Json{{"unknown", true}}, Json{{"patterns", {"a(b"}}}, Json("x"),
                               Json(), Json{{"patterns", 3}});
  const RunRecord run = redacted("make all", {{"redact", record}, {"label", "x"}, {"pid", 17}});
  CHECK(run.command == "***");
  CHECK(run.error_message == "***");
  CHECK(Json::parse(run.meta_json)["label"] == "***");
  RunRecord damaged;
  damaged.command = "make all";
  damaged.meta_json = "{broken";
  host::row_redactor()(damaged);
  CHECK(damaged.command == "***");
  CHECK(damaged.meta_json == "***");
}

TEST_CASE("redacting a row again changes nothing") {
  const RunRecord once = redacted("login --password hunter22", {{"label", "token=abcdef123456"}});
  RunRecord twice = once;
  host::row_redactor()(twice);
  CHECK(twice.command == once.command);
  CHECK(twice.error_message == once.error_message);
  CHECK(twice.meta_json == once.meta_json);
  CHECK(twice.watch_json == once.watch_json);
}

class QueueHost {
 public:
  QueueHost() {
    RuntimeOptions options = with_shell();
    options.state_dir = state();
    host_ = std::make_unique<Host>(std::move(options));
  }
  std::string state() const { return dir_.path() + "/state"; }
  std::string spawn(const std::string& command) {
    return host().data("shell", {{"action", "spawn"}, {"command", command}})["run_id"];
  }
  std::string status(const std::string& run) {
    return host().data("shell", {{"action", "poll"}, {"run_id", run}})["status"];
  }
  bool holds(const std::string& text) const { return journal_holds(state(), text); }
  Host& host() { return *host_; }
  void end() { host_.reset(); }

 private:
  TempDir dir_;
  std::unique_ptr<Host> host_;
};

TEST_CASE("nothing in the journal holds the secrets of a command that has ended") {
  QueueHost desk;
  const std::string first = desk.spawn("sleep 600; true --password s3cretAAA");
  REQUIRE(desk.host().until([&] { return desk.status(first) == "running"; }));
  const std::string second = desk.spawn("true --password s3cretBBB");
  CHECK(desk.holds("s3cretAAA"));  // it may be started again
  CHECK(desk.holds("s3cretBBB"));
  CHECK(desk.host().call("shell", {{"action", "kill"}, {"run_id", second}}).ok);
  CHECK(desk.host().call("shell", {{"action", "kill"}, {"run_id", first}}).ok);
  CHECK(desk.host().until([&] { return !desk.holds("s3cretBBB"); }));
  CHECK(desk.host().until([&] { return !desk.holds("s3cretAAA"); }));
  const std::string third = desk.spawn("exit 3; echo --password s3cretCCC");
  REQUIRE(desk.host().until([&] { return desk.status(third) == "failed"; }));
  CHECK(desk.host().until([&] { return !desk.holds("s3cretCCC"); }));
  const std::string fourth = desk.spawn("sleep 600; echo --password s3cretDDD");
  REQUIRE(desk.host().until([&] { return desk.status(fourth) == "running"; }));
  desk.end();
  CHECK_FALSE(desk.holds("s3cretDDD"));
}

}  // namespace
}  // namespace gibbous::testing
