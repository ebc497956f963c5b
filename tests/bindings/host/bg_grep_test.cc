// bg_output with grep, and the budget of its answers.
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

std::string run_to_end(Host& host, const std::string& command) {
  const CallResult result =
      host.call("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
  INFO(result.message);
  REQUIRE(result.ok);
  return Json::parse(result.data)["id"];
}

RuntimeOptions with_journal(const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  return options;
}

TEST_CASE("bg_output finds lines of both streams, with the lines around them") {
  Host host(auto_mode());
  const std::string id = run_to_end(host, "seq 20; echo 'bad 7' >&2");
  const CallResult found = host.call("bg_output", {{"id", id}, {"grep", "7"}, {"context", 1}});
  CHECK(found.text == "[stdout]\n6-6\n7:7\n8-8\n--\n16-16\n17:17\n18-18\n[stderr]\n1:bad 7\n");
  CHECK(Json::parse(found.data)["matches"] == 3);
}

TEST_CASE("bg_output finds output in the journal that memory has dropped") {
  const TempDir dir;
  Host host(with_journal(dir));
  const std::string id = run_to_end(host, "seq 400000 | sed 's/^200000$/FATAL: gone/'");
  const CallResult found = host.call("bg_output", {{"id", id}, {"grep", "FATAL"}});
  CHECK(contains(found.text, "200000:FATAL: gone\n"));
}

TEST_CASE("bg_output finds what memory has and the journal lacks") {
  const TempDir dir;
  RuntimeOptions options = with_journal(dir);
  // The journal keeps the beginning and the end of so much output, memory more of its end.
  options.config_file =
      dir.write("gibbous.lua", "return { journal = { max_output_bytes = 100000 } }");
  Host host(std::move(options));
  const std::string id = run_to_end(host, "seq 400000");
  for (const char* stream : {"both", "merged"}) {
    const Json args = {{"id", id}, {"grep", "^(300000|400000)$"}, {"stream", stream}};
    const CallResult found = host.call("bg_output", args);
    CHECK(contains(found.text, "300000:300000\n"));
    CHECK(contains(found.text, "400000:400000\n"));
  }
}

TEST_CASE("bg_output finds lines of a run that only the journal knows") {
  const TempDir dir;
  std::string id;
  {
    Host host(with_journal(dir));
    id = run_to_end(host, "echo first; echo second");
  }
  Host host(with_journal(dir));
  CHECK(contains(host.call("bg_output", {{"id", id}, {"grep", "sec"}}).text, "2:second\n"));
}

TEST_CASE("the last lines of a long run that only the journal knows are its last ones") {
  const TempDir dir;
  std::string id;
  {
    Host host(with_journal(dir));
    id = run_to_end(host, "seq 400000");
  }
  Host host(with_journal(dir));
  const CallResult last = host.call("bg_output", {{"id", id}});
  CHECK(contains(last.text, "\n399999\n400000\n"));
  CHECK(contains(last.text, "[earlier lines: bg_output id=" + id + ", grep=.]"));
  CHECK_FALSE(contains(host.call("bg_output", {{"id", id}, {"lines", 2}}).text, "earlier"));
}

TEST_CASE("bg_output says when no line matches, and what it could not search") {
  RuntimeOptions options = auto_mode();
  const TempDir dir;
  options.config_file = dir.write("gibbous.lua", "return { journal = { enabled = false } }");
  Host host(std::move(options));
  const std::string id = run_to_end(host, "seq 400000");
  const CallResult gone = host.call("bg_output", {{"id", id}, {"grep", "^200000$"}});
  CHECK(contains(gone.text, "[no line matches]"));
  CHECK(contains(gone.text, " bytes of stdout could not be searched: they are not kept]"));
  const CallResult kept = host.call("bg_output", {{"id", id}, {"grep", "^400000$"}});
  CHECK(contains(kept.text, "400000:400000\n"));
}

TEST_CASE("bg_output counts the matches that do not fit, and names wrong arguments") {
  Host host(auto_mode());
  const std::string id = run_to_end(host, "seq 3000");
  const CallResult many = host.call("bg_output", {{"id", id}, {"grep", "1"}, {"max_chars", 300}});
  CHECK(many.text.size() < 400);
  CHECK(contains(many.text, "more of "));
  const CallResult wrong = host.call("bg_output", {{"id", id}, {"grep", "("}});
  CHECK(wrong.code == "invalid_arguments");
  CHECK(contains(wrong.message, "args.grep: missing )"));
  const CallResult both = host.call("bg_output", {{"id", id}, {"grep", "1"}, {"lines", 3}});
  CHECK(contains(both.message, "args.grep: "));
}

TEST_CASE("bg_output keeps to its budget, with the end and the errors before it") {
  Host host(auto_mode());
  const std::string id =
      run_to_end(host, "seq 5000 | sed 's/^1501$/FATAL: no database/'; seq 5000 >&2");
  const CallResult all = host.call("bg_output", {{"id", id}});
  CHECK(all.text.size() < 9'000);
  CHECK(contains(all.text, "\n5000\n"));
  CHECK(contains(all.text, "skipped"));
  CHECK(contains(all.text, "1501:FATAL: no database\n"));
}

}  // namespace
}  // namespace gibbous::testing
