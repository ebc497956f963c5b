// A host whose client may show questions, and terminals that answer them.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gibbous/asks.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

inline constexpr const char* kPush = "git push origin z";

class Desk {
 public:
  Desk() { begin(); }
  void begin(const std::function<void(RuntimeOptions&)>& change = nullptr) {
    RuntimeOptions options = auto_mode();
    options.workspace = dir.path();
    options.state_dir = state();
    if (change) change(options);
    host.emplace(std::move(options));
  }
  // The client takes questions, and answers none by itself.
  void show() {
    (void)host->runtime->on_ask([this](AskRequest request) { shown.push_back(std::move(request)); },
                                [this](const std::string& id) { withdrawn.push_back(id); });
  }
  std::string state() const { return top.path() + "/state"; }

  // Begins a call; ended[n] gets its result.
  std::size_t begin_call(const std::string& command = kPush, Json more = Json::object(),
                         const std::string& session = "") {
    more["command"] = command;
    const std::size_t number = ended.size();
    ended.emplace_back();
    CallRequest call{"bg_start", more.dump(), session};
    calls.push_back(host->runtime->call(
        std::move(call), [this, number](CallResult result) { ended[number] = std::move(result); }));
    return number;
  }
  CallResult call(const std::string& command = kPush, Json more = Json::object(),
                  const std::string& session = "") {
    const std::size_t number = begin_call(command, std::move(more), session);
    return result(number);
  }
  CallResult result(std::size_t number) {
    REQUIRE(host->until([&] { return ended[number].has_value(); }));
    return *ended[number];
  }
  std::vector<OpenAsk> asks() {
    auto listed = list_asks(state());
    REQUIRE(listed);
    return *listed;
  }
  // Waits until one question is open.
  OpenAsk open() {
    REQUIRE(host->until([&] { return asks().size() == 1; }));
    return asks().front();
  }
  // Answers as another process does, while the host goes on.
  Result<AskOutcome> answer(const std::string& id, AskAnswer given) {
    std::optional<Result<AskOutcome>> outcome;
    std::atomic<bool> done = false;
    std::thread terminal([&] {
      outcome.emplace(answer_ask(state(), id, given, kPatience));
      done = true;
    });
    const bool in_time = host->until([&] { return done.load(); });
    terminal.join();
    REQUIRE(in_time);
    return *outcome;
  }
  Result<AskOutcome> allow(const std::string& id,
                           AskAnswer::Remember remember = AskAnswer::Remember::kOnce,
                           AskAnswer::About about = AskAnswer::About::kCommand) {
    AskAnswer given;
    given.allow = true;
    given.remember = remember;
    given.about = about;
    given.who = "ann";
    return answer(id, given);
  }
  Result<AskOutcome> deny(const std::string& id, const std::string& reason) {
    AskAnswer given;
    given.reason = reason;
    given.who = "ann";
    return answer(id, given);
  }

  TempDir dir;
  TempDir top;
  std::optional<Host> host;
  std::vector<AskRequest> shown;
  std::vector<std::string> withdrawn;
  std::vector<CallId> calls;
  std::vector<std::optional<CallResult>> ended;
};

inline std::string question_of(const CallResult& result) {
  REQUIRE(result.code == "needs_approval");
  return Json::parse(result.data).value("question", "");
}

}  // namespace gibbous::testing
