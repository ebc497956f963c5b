// `gibbous sessions`, over a journal that the test writes.
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

Outcome sessions(const WrittenJournal& journal, std::vector<std::string> arguments = {},
                 const std::string& cwd = "") {
  arguments.insert(arguments.begin(), {command_path(), "sessions"});
  arguments.insert(arguments.end(), {"--state", journal.directory()});
  return run_program({.argv = std::move(arguments), .env = {{"TZ", "UTC"}}, .cwd = cwd});
}

void run_in(WrittenJournal& journal, const std::string& id, const std::string& session,
            const std::string& workspace, const std::string& label) {
  const Json meta = label.empty() ? Json::object() : Json{{"label", label}};
  journal.in(workspace);
  journal.start(id, session, "make", meta);
}

}  // namespace

TEST_CASE("sessions lists those of this workspace first, then the last active ones") {
  WrittenJournal journal;
  const TempDir workspace;
  run_in(journal, "AAAAaaa1", "claude@" + workspace.path(), workspace.path(), "web");
  run_in(journal, "BBBBbbb2", "claude@" + workspace.path(), workspace.path(), "db");
  journal.end("AAAAaaa1", "completed");
  journal.end("BBBBbbb2", "failed", 1);
  run_in(journal, "CCCCccc3", "nightly", "/old", "");
  journal.end("CCCCccc3", "completed");
  journal.advance(std::chrono::hours(1));
  run_in(journal, "DDDDddd4", "codex@/work", "/work", "");
  journal.end("DDDDddd4", "completed");
  run_in(journal, "EEEEeee5", "codex@/work", "/work", "");
  journal.flush();
  const std::string text = sessions(journal, {}, workspace.path()).out;
  CHECK_THAT(text, Contains("SESSION") && Contains("db, web\n"));
  CHECK(text.find("claude@") < text.find("codex@/work"));
  CHECK(text.find("codex@/work") < text.find("nightly"));
  const Json list = Json::parse(sessions(journal, {"--json"}, "/").out)["sessions"];
  REQUIRE(list.size() == 3);
  CHECK(list[0]["session"] == "codex@/work");
  CHECK(list[0]["program"] == "codex");
  CHECK(list[0]["running"] == 1);
  CHECK(list[0]["runs"] == 2);
  CHECK(list[1]["labels"] == Json{"db", "web"});
  CHECK(list[1]["last_activity"] == WrittenJournal::kStart);
}

TEST_CASE("sessions reports an empty list") {
  WrittenJournal journal;
  journal.flush();
  CHECK_THAT(sessions(journal).out, Contains("no runs"));
  CHECK(Json::parse(sessions(journal, {"--json"}).out)["sessions"] == Json::array());
}
