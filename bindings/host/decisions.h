// Decisions keeps what a runtime remembers of the policy's verdicts: approvals that count again
// (runtime/audit), and a record of each decision in the journal, if there is one. It is between the
// engine, which asks, and the host's on_ask. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bindings/host/decision_journal.h"
#include "bindings/host/open_asks.h"
#include "bindings/host/state_gate.h"
#include "bindings/lua/call/engine.h"
#include "gibbous/runtime.h"
#include "runtime/audit/approval_store.h"
#include "runtime/audit/redact.h"
#include "runtime/base/clock.h"
#include "runtime/recording/recording.h"

namespace gibbous::host {

class Decisions {
 public:
  // `directory` is the state directory; "": nothing is kept. `gate` stands in front of its files.
  // `on_problem` reports files that cannot be used. `engine` must live as long as it has calls that
  // ask or decide.
  Decisions(std::string directory, uv_loop_s* loop, const Clock& clock, StateGate& gate,
            lua::Engine& engine, Recording& recording, Runs& runs, lua::AskSettings times,
            std::string approver, std::function<const Redactor&()> redactor,
            std::function<void(const OpenAsk&)> notify,
            std::function<void(const std::string& message)> on_problem);

  // `withdrawn` gets the id of a question that the handler was given and whose call no longer waits
  // for any more.
  void on_ask(std::function<void(AskRequest)> handler,
              std::function<void(const std::string& id)> withdrawn) {
    asks_.on_ask(std::move(handler), std::move(withdrawn));
  }
  // What was approved for the session counts no longer.
  void end_session(const std::string& session) { approvals_.end_session(session); }
  // The runtime ends, and no question is open any more.
  void end() { asks_.end(); }

 private:
  void call_handler(const std::string& name, const std::string& session, const Json& fields);
  void ask(AskRequest request);
  void answer_or_show(AskRequest request, bool may_hold);
  std::string remembered_as(const std::string& subject) const;
  std::optional<Approval> find_approval(const AskRequest& request);
  void remember(const AskRequest& request, const AskAnswer& answer,
                const std::function<void()>& failed);
  void remember_as(ApprovalKind kind, const std::string& subject, const AskRequest& request,
                   const AskAnswer& answer, const std::function<void()>& failed);
  // An answer to a question whose call has ended.
  void record_answer(const AskRequest& request, const AskAnswer& answer);
  void record(const lua::Decided& decided);

  const Clock& clock_;
  std::string approver_;  // a client for which alone its answers count; "": none
  std::function<const Redactor&()> redactor_;
  lua::Engine& engine_;
  std::function<void(const std::string&)> on_problem_;
  StateGate& gate_;              // in front of approvals_
  std::set<std::string> gated_;  // the ids of questions that wait there
  ApprovalStore approvals_;
  std::optional<DecisionJournal> journal_;  // absent: there is no journal
  OpenAsks asks_;
  // Expires with this object: a host may answer after the runtime has gone.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
