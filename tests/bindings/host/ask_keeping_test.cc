// Answers to questions whose call has ended, beyond the life of their host; and how a host learns
// of an answer at once.
#include <uv.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "bindings/host/ask_watch.h"
#include "gibbous/asks.h"
#include "tests/bindings/host/ask_desk.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using testing::Desk;
using testing::kPush;
using testing::question_of;

void begin_again(Desk& desk) {
  desk.host.reset();
  desk.begin();
}

bool has_logged(const Desk& desk, const std::string& text) {
  const auto& events = desk.host->events;
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    return event.name == "log" && event.json.find(text) != std::string::npos;
  });
}

// The one that is there; "": none.
fs::path kept_file(const Desk& desk) {
  for (const auto& entry : fs::directory_iterator(desk.state() + "/asks")) {
    if (entry.path().extension() == ".kept") return entry.path();
  }
  return {};
}

}  // namespace

TEST_CASE("asks: an answer outlives its host, and counts once for the same call") {
  Desk desk;
  const std::string id = question_of(desk.call());
  REQUIRE(desk.allow(id));
  CHECK_FALSE(kept_file(desk).empty());
  begin_again(desk);
  CHECK(desk.call("git push origin other").code == "needs_approval");
  CHECK(desk.call(kPush, {}, "another session").code == "needs_approval");
  CHECK(desk.call().ok);
  CHECK(kept_file(desk).empty());
  CHECK(desk.call().code == "needs_approval");
}

TEST_CASE("asks: a refusal outlives its host, with its reason") {
  Desk desk;
  REQUIRE(desk.deny(question_of(desk.call()), "Not on Fridays."));
  begin_again(desk);
  const CallResult refused = desk.call();
  CHECK(refused.code == "denied");
  CHECK_THAT(refused.message, Contains("Not on Fridays."));
  CHECK(desk.call().code == "needs_approval");
}

TEST_CASE("asks: an answer that was used is not found by a later host") {
  Desk desk;
  REQUIRE(desk.allow(question_of(desk.call())));
  CHECK(desk.call().ok);
  begin_again(desk);
  CHECK(desk.call().code == "needs_approval");
}

TEST_CASE("asks: of two hosts that find an answer, one uses it") {
  Desk desk;
  const std::string id = question_of(desk.call());
  REQUIRE(desk.allow(id));
  // Another host was faster.
  fs::remove(kept_file(desk));
  CHECK(desk.call().code == "needs_approval");
}

TEST_CASE("asks: a changed or copied answer does not count for a later host") {
  Desk desk;
  const std::string id = question_of(desk.call());
  REQUIRE(desk.allow(id));
  const fs::path kept = kept_file(desk);
  desk.host.reset();
  fs::copy_file(kept, desk.state() + "/asks/" + std::string(64, 'a') + ".kept");
  std::ofstream(kept, std::ios::app) << " ";
  desk.begin();
  CHECK(desk.call().code == "needs_approval");
}

TEST_CASE("asks: a message names the state directory where it is not the default one") {
  Desk desk;
  const CallResult first = desk.call();
  CHECK_THAT(first.message, Contains("gibbous asks --state " + desk.state() + " (question " +
                                     question_of(first) + ")"));
}

TEST_CASE("asks: handlers of scripts hear of questions and answers, and not of their own") {
  Desk desk;
  desk.host.reset();
  const testing::TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
    return {
      toolsets = { require 'toolsets.bg' },
      watchers = { {
        on_ask_opened = function(event)
          log.info('opened ' .. event.id .. ' ' .. event.command .. ' ' .. event.rule)
          run.start { argv = { 'git', 'push', 'origin', 'of-the-handler' } }
        end,
        on_ask_answered = function(event)
          log.info('answered ' .. event.id .. ' ' .. event.decision .. ' ' .. event.who)
        end,
      } },
    })";
  desk.begin([&](RuntimeOptions& options) { options.scripts_dir = scripts.path(); });
  const std::string id = question_of(desk.call());
  CHECK(desk.host->until([&] { return has_logged(desk, "opened " + id + " " + kPush); }));
  REQUIRE(desk.allow(id));
  CHECK(desk.host->until([&] { return has_logged(desk, "answered " + id + " allow ann"); }));
  CHECK_FALSE(has_logged(desk, "of-the-handler git.push"));
}

TEST_CASE("asks: a watched directory says that an answer came, and says nothing of other files") {
  const testing::TempDir dir;
  uv_loop_t loop;
  REQUIRE(uv_loop_init(&loop) == 0);
  int told = 0;
  {
    host::AskWatch watch(&loop, [&] {
      ++told;
      uv_stop(&loop);
    });
    REQUIRE(watch.start(dir.path()));
    uv_timer_t patience;
    REQUIRE(uv_timer_init(&loop, &patience) == 0);
    constexpr std::uint64_t kPatienceMs = 30'000;
    uv_timer_start(
        &patience, [](uv_timer_t* timer) { uv_stop(timer->loop); }, kPatienceMs, 0);
    std::ofstream(dir.path() + "/AAAAAAA1.ask") << "x";
    std::ofstream(dir.path() + "/AAAAAAA1.done") << "x";
    uv_run(&loop, UV_RUN_NOWAIT);
    CHECK(told == 0);
    std::ofstream(dir.path() + "/AAAAAAA1.answer") << "x";
    uv_run(&loop, UV_RUN_DEFAULT);
    CHECK(told > 0);
    told = 0;
    watch.stop();
    std::ofstream(dir.path() + "/AAAAAAA2.answer") << "x";
    uv_run(&loop, UV_RUN_NOWAIT);
    CHECK(told == 0);
    uv_close(reinterpret_cast<uv_handle_t*>(&patience), nullptr);
    uv_run(&loop, UV_RUN_DEFAULT);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  CHECK(uv_loop_close(&loop) == 0);
}

TEST_CASE("asks: a directory that does not exist is not watched") {
  const testing::TempDir dir;
  uv_loop_t loop;
  REQUIRE(uv_loop_init(&loop) == 0);
  {
    host::AskWatch watch(&loop, [] {});
    CHECK_FALSE(watch.start(dir.path() + "/none"));
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  CHECK(uv_loop_close(&loop) == 0);
}

}  // namespace gibbous
