// Waits for a line of a program that says the same after each edit, as tsc -w, webpack and vite do.
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

// A compiler that watches: it reports its first look, and then once for each edit.
class Watched {
 public:
  explicit Watched(const Json& more = Json::object()) : host_(options()) {
    Json start = {
        {"command", "n=1; echo 'Found 0 errors. (0)'; while :; do if [ -e " + directory_.path() +
                        "/$n ]; then echo \"Found 0 errors. ($n)\"; n=$((n + 1)); fi; "
                        "sleep 0.02; done"},
        {"label", "tsc"}};
    start.update(more);
    started_ = host_.call("bg_start", start);
    REQUIRE(started_.ok);
    id_ = Json::parse(started_.data)["id"];
  }

  void edit() { std::ofstream(directory_.path() + "/" + std::to_string(++edits_)) << "x"; }
  // Edits, and returns once the program has said so.
  void edit_seen() {
    edit();
    const std::string line = "(" + std::to_string(edits_) + ")";
    REQUIRE(host_.until([&] { return printed().find(line) != std::string::npos; }));
  }
  // Returns its output without reading it.
  std::string printed() {
    return Json::parse(host_.call("bg_output", {{"id", id_}, {"grep", "Found"}}).data)["stdout"];
  }
  CallResult wait(Json more = Json::object()) {
    Json args = {{"id", id_}, {"output_regex", "Found (\\d+) errors. \\((\\d+)\\)"}};
    args.update(more);
    return host_.call("wait_for", args);
  }
  CallResult job_wait(Json more = Json::object()) {
    Json args = {{"action", "wait"}, {"id", id_}, {"until", "Found"}};
    args.update(more);
    return host_.call("job", args);
  }
  // Returns which report a wait answered with.
  std::string report(const CallResult& result) {
    INFO(result.message);
    REQUIRE(result.ok);
    return Json::parse(result.data)["fired"][0]["captures"][1];
  }
  bool is_aged(const CallResult& result) {
    return Json::parse(result.data)["fired"][0].contains("age_ms");
  }

  Host host_;
  CallResult started_;

 private:
  static RuntimeOptions options() {
    RuntimeOptions options = auto_mode();
    options.mode = "dangerous";  // the edits are outside the workspace
    options.toolsets = {"bg", "wait", "lean", "background"};
    return options;
  }

  const TempDir directory_;
  std::string id_;
  int edits_ = 0;
};

TEST_CASE(
    "where nothing was read or told a wait looks from the start, and the newest line answers") {
  Watched tsc;
  tsc.edit_seen();
  tsc.edit_seen();
  const CallResult first = tsc.wait();
  CHECK(tsc.report(first) == "2");
  CHECK(tsc.is_aged(first));
  CHECK(contains(first.text, " ago"));
}

TEST_CASE("a wait after an edit does not answer with the line from before it") {
  Watched tsc(Json{{"until", {{"line", "Found"}}}});  // the start tells it
  CHECK(contains(tsc.started_.text, "Found 0 errors. (0)"));
  SECTION("again and again") {
    for (const char* expected : {"1", "2", "3"}) {
      tsc.edit();
      const CallResult result = tsc.wait();
      CHECK(tsc.report(result) == expected);
    }
  }
  SECTION("also by the tool of lean, and whichever tool told it") {
    tsc.edit();
    CHECK(contains(tsc.job_wait().text, "Found 0 errors. (1)"));
    tsc.edit();
    CHECK(tsc.report(tsc.wait()) == "2");
    tsc.edit();
    CHECK(contains(tsc.job_wait().text, "Found 0 errors. (3)"));
  }
  SECTION("an answer that came before the wait answers at once, with its age") {
    tsc.edit_seen();
    const CallResult result = tsc.wait();
    CHECK(tsc.report(result) == "1");
    CHECK(tsc.is_aged(result));
  }
}

TEST_CASE("what was read is no news to a wait, and a wait reads nothing") {
  Watched tsc;
  tsc.edit_seen();
  CHECK(contains(tsc.host_.call("bg_output", {{"id", "tsc"}}).text, "(1)"));
  const CallResult late = tsc.wait({{"timeout", 50}});
  CHECK(late.code == "timeout");
  CHECK(contains(late.message, "(last: \"Found 0 errors. (1)\", "));
  CHECK(contains(late.message, "since=\"start\" counts older lines, too"));
  tsc.edit();
  CHECK(tsc.report(tsc.wait()) == "2");
  CHECK(contains(tsc.host_.call("bg_output", {{"id", "tsc"}}).text, "Found 0 errors. (2)"));
  // What process and background show of the output is known, too.
  tsc.edit_seen();
  CHECK(contains(tsc.host_.call("read_process_output", {{"id", "tsc"}}).text, "(3)"));
  CHECK(tsc.wait({{"timeout", 20}}).code == "timeout");
}

TEST_CASE("an event tells its line") {
  Watched tsc(Json{{"watch", Json::array({"Found"})}});
  REQUIRE(tsc.host_.until([&] { return tsc.host_.saw_event("match"); }));
  tsc.edit();
  CHECK(tsc.report(tsc.wait()) == "1");
}

TEST_CASE("since looks back, from the start or from an offset") {
  Watched tsc(Json{{"until", {{"line", "Found"}}}});
  CHECK(tsc.report(tsc.wait({{"since", "start"}})) == "0");
  CHECK(contains(tsc.job_wait({{"since", "start"}}).text, "Found 0 errors. (0)"));
  CHECK(tsc.report(tsc.wait({{"since", 0}})) == "0");
  CHECK(tsc.wait({{"since", 5}, {"timeout", 20}}).code == "timeout");
  const CallResult wrong = tsc.wait({{"since", "yesterday"}});
  CHECK(wrong.code == "invalid_arguments");
  CHECK(contains(wrong.message, "args.since: expected 'start' or an offset, got \"yesterday\""));
  CHECK(tsc.job_wait({{"since", "yesterday"}}).code == "invalid_arguments");
}

TEST_CASE("a wait that is resumed counts from where it began") {
  Watched tsc(Json{{"until", {{"line", "Found"}}}});
  const CallResult late = tsc.wait({{"timeout", 20}});
  REQUIRE(late.code == "timeout");
  const std::string handle = Json::parse(late.data)["resume"];
  tsc.edit_seen();
  tsc.host_.call("bg_output", {{"id", "tsc"}});  // reads it
  const CallResult resumed = tsc.host_.call("wait_for", {{"resume", handle}});
  CHECK(tsc.report(resumed) == "1");
}

TEST_CASE("wait_for_service counts output from before, and tells its line") {
  Watched tsc(Json{{"until", {{"line", "Found"}}}});
  const Json service = {{"id", "tsc"}, {"output_regex", "Found"}};
  CHECK(contains(tsc.host_.call("wait_for_service", service).text, "(0)"));
  CHECK(tsc.wait({{"timeout", 20}}).code == "timeout");
}

}  // namespace
}  // namespace gibbous::testing
