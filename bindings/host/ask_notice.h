// AskNotice: reports that a question waits, as the configuration says: a command that gets
// the question as JSON on its stdin, with the environment of Gibbous, not that of runs; a webhook
// that gets the same in an HTTP POST. Both are bounded, and a failure is reported and changes
// nothing for the question. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "bindings/lua/load/config.h"
#include "gibbous/asks.h"
#include "runtime/runs/runs.h"
#include "runtime/wait/waits.h"

namespace gibbous::host {

class AskNotice final : private RunsObserver {
 public:
  // `emit` reports a failure, as the event ask_notice_failed about this question.
  AskNotice(lua::AskSettings settings, Runs& runs, Waits& waits,
            std::function<void(const OpenAsk&, const std::string& message)> emit);
  ~AskNotice() override;
  AskNotice(const AskNotice&) = delete;
  AskNotice& operator=(const AskNotice&) = delete;

  void tell(const OpenAsk& ask);

 private:
  void on_state(Run& run) override;
  bool hears_internal() const override { return true; }
  void start_command(const OpenAsk& ask, const std::string& text);
  void post(const OpenAsk& ask, const std::string& text);

  lua::AskSettings settings_;
  Runs& runs_;
  Waits& waits_;
  std::function<void(const OpenAsk&, const std::string&)> emit_;
  std::map<std::string, OpenAsk> running_;  // by the command's run
  // Expires with this object: an answer of the webhook may come later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
