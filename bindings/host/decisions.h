// Decisions: what a runtime remembers of the policy's verdicts: the answers of people that count
// again (runtime/approvals), and the log (runtime/decisions). Stands between the engine, which
// asks, and the host's on_ask. Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "bindings/lua/call/engine.h"
#include "gibbous/runtime.h"
#include "runtime/audit/approval_store.h"
#include "runtime/audit/decision_log.h"
#include "runtime/audit/redact.h"
#include "runtime/base/clock.h"
#include "runtime/recording/recording.h"

namespace gibbous::host {

class Decisions {
 public:
  // `directory` is the state directory; "": nothing is kept. `on_problem` hears of files that
  // cannot be used. `engine` must live as long as it has calls that ask or decide.
  Decisions(std::string directory, const Clock& clock, lua::Engine& engine, Recording& recording,
            std::function<void(const std::string& message)> on_problem);

  void on_ask(std::function<void(AskRequest)> handler) { handler_ = std::move(handler); }

 private:
  void ask(AskRequest request);
  void remember(const AskRequest& request, const AskAnswer& answer);
  void log(const lua::Decided& decided);
  void record_in_journal(const lua::Decided& decided, const std::string& line);
  void record_in_journal(const Approval& approval);
  void record_waiting();

  const Clock& clock_;
  lua::Engine& engine_;
  Recording& recording_;
  std::function<void(const std::string&)> on_problem_;
  std::function<void(AskRequest)> handler_;
  ApprovalStore approvals_;
  std::unique_ptr<DecisionLog> log_;
  std::deque<DecisionRecord> unrecorded_;  // until the journal is open
  std::deque<ApprovalRecord> unrecorded_approvals_;
  // Made again when a generation brings other patterns.
  Redactor redactor_;
  std::uint64_t redactor_generation_ = 0;
  // Expires with this: a host may answer when the runtime has gone.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
