// OpenAsks: the questions of this runtime that no answer has reached yet. A question goes to the
// host's on_ask, where the client shows it, and at the same time to the state directory, where any
// terminal of this user can answer it (ask_files.h); the first answer counts, and the others
// are told. When no client can ask, the call ends after a while with the id of the question, which
// stays open: the answer then waits for the same call to come again. Loop thread only.
//
// Holding such a call would hang agents that have no person, and a token for the agent would be one
// more thing to forge or to forget. So the key is what an approval covers: tool, arguments, command
// with directory, variables and the text of its scripts, all rules that ask, session, mode and
// workspace. A question of a hook (a restart, a queued run) ends with the hook, because no caller
// would call again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/host/ask_files.h"
#include "bindings/host/ask_record.h"
#include "bindings/host/ask_watch.h"
#include "bindings/host/state_gate.h"
#include "bindings/json/json.h"
#include "bindings/lua/load/config.h"
#include "gibbous/runtime.h"
#include "runtime/base/clock.h"
#include "runtime/runs/runs.h"

struct uv_loop_s;

namespace gibbous::host {

class OpenAsks {
 public:
  struct Hooks {
    // Remembers an answer that counts longer than once; `failed` is called when it cannot be.
    std::function<void(const AskRequest&, const AskAnswer&, std::function<void()> failed)> remember;
    // Records an answer that no call waits for.
    std::function<void(const AskRequest&, const AskAnswer&)> record;
    std::function<const Redactor&()> redactor;
    // `hears`: handlers in scripts hear of it, too.
    std::function<void(const std::string& event, const std::string& session, Json fields,
                       bool hears)>
        emit;
    std::function<void(const std::string& message)> on_problem;
    // Reports to a person that a question waits.
    std::function<void(const OpenAsk&)> notify;
  };
  OpenAsks(std::string directory, uv_loop_s* loop, const Clock& clock, StateGate& gate, Runs& runs,
           lua::AskSettings times, Hooks hooks);
  ~OpenAsks();
  OpenAsks(const OpenAsks&) = delete;
  OpenAsks& operator=(const OpenAsks&) = delete;

  void on_ask(std::function<void(AskRequest)> handler,
              std::function<void(const std::string& id)> withdrawn) {
    handler_ = std::move(handler);
    withdrawn_ = std::move(withdrawn);
  }
  // Takes a question that no remembered approval answers. `may_look`: the state directory answers.
  void ask(AskRequest request, bool may_look);
  // The call of this decision has ended.
  void withdraw(const std::string& decision);
  // No question is open any more.
  void end();

 private:
  struct Open;
  bool answer_from_kept(const std::string& key, const AskRequest& request, bool may_look);
  std::shared_ptr<Open> attach(const std::string& key, AskRequest& request);
  void show(const std::shared_ptr<Open>& open);
  bool take(const std::shared_ptr<Open>& open, std::uint64_t turn, const AskAnswer& answer);
  bool settle(const std::shared_ptr<Open>& open, AskAnswer answer, const std::string& nonce);
  void keep_answer(const std::shared_ptr<Open>& open, const AskAnswer& answer);
  bool comes_again(const Open& open) const;
  bool may_wait(const Open& open) const;
  bool is_heard(const Open& open) const;
  void cannot_ask(const std::shared_ptr<Open>& open);
  void wait_for_elsewhere(const std::shared_ptr<Open>& open);
  static AskAnswer no_approver(const Open& open);
  void detach(const std::shared_ptr<Open>& open);
  void withdraw_from_client(Open& open);
  void close(const std::shared_ptr<Open>& open, const AskEnd& end);
  void close_as(const std::shared_ptr<Open>& open, const char* decision);
  void write(const std::shared_ptr<Open>& open, bool then_show);
  void put(Open& open);
  void notify(const std::shared_ptr<Open>& open);
  void notify_after(const std::shared_ptr<Open>& open, Nanos delay);
  void watch();
  void look();
  void look_soon();
  OpenAsk shown(const Open& open) const;
  std::int64_t now() const;
  std::size_t detached_of(const std::string& session) const;
  bool files_ready();
  void report(const std::string& what, const Status& status);

  const Clock& clock_;
  StateGate& gate_;
  Runs& runs_;
  lua::AskSettings times_;
  Hooks hooks_;
  std::function<void(AskRequest)> handler_;
  std::function<void(const std::string& id)> withdrawn_;

  std::string directory_;
  AskFiles files_;
  bool files_open_ = false;
  Nanos pruned_{-1};
  std::string reported_;                               // the last problem with the files
  std::map<std::string, std::shared_ptr<Open>> open_;  // by id
  // The answers that wait for their call, by its key: while this host lives, they are its own.
  std::map<std::string, UniqueFd> kept_;
  AskWatch watch_;
  bool is_watched_ = false;
  bool is_ending_ = false;
  Deadlines::Token look_timer_ = 0;
  bool looking_ = false;
  Nanos active_{0};  // when the last question came
  // Expires with this object: a host may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
