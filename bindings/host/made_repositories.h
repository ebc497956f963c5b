// MadeRepositories: the git repositories that sandboxed runs have made below their workspace.
// Unlike those that were there, nothing protected them from these runs, and git obeys their
// configuration and hooks. Policies are told of them (Engine::learn), also those of later
// processes: trust::MadeStore keeps them in the state directory until they are gone. They are also
// told of temporary directories of sessions, in which all is made by runs. Loop thread only.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bindings/host/state_gate.h"
#include "bindings/lua/call/engine.h"
#include "runtime/base/clock.h"
#include "runtime/paths/git_places.h"
#include "runtime/runs/runs.h"
#include "runtime/trust/made_store.h"

namespace gibbous::host {

class MadeRepositories {
 public:
  // `state_directory` "": they are known to this process alone.
  MadeRepositories(std::string state_directory, std::string workspace, const Clock& clock,
                   StateGate& gate, Runs& runs, lua::Engine& engine,
                   std::function<void(const std::string& message)> on_problem);
  // What is not known yet is looked for at once, where the file system answers.
  ~MadeRepositories();
  MadeRepositories(const MadeRepositories&) = delete;
  MadeRepositories& operator=(const MadeRepositories&) = delete;

  // Looks beside the loop, after the end of a run. Calls back once unless it returns false, because
  // nothing is to be looked for: with the directories of the repositories that it has made,
  // relative to the workspace, "." for itself. None: it has made none, or the file system does not
  // answer.
  bool look_after(const Run& run, std::function<void(std::vector<std::string> made)> on_found);
  // Before a command of the session is judged: returns false when all is known. Else calls `then`
  // once it is: what has ended was looked after, again where nobody had answered, and what still
  // runs has been looked at, too. Where still nobody answers, all may be made: the workspace
  // counts.
  bool learn(const std::string& session, std::function<void()> then);

 private:
  // What a sandboxed run could make repositories in, and those that were there before.
  struct Watched {
    std::string run;
    std::string below;
    std::vector<std::string> before;
    // Unless `before` has all of them: of others, those that have changed since count as made.
    std::optional<std::int64_t> since;
  };
  static std::optional<Watched> watched(const Run& run);
  using Found = std::function<void(const std::vector<std::string>& made)>;
  void look(Watched at, Found on_found);
  void note(const Watched& at, const std::vector<std::string>& made,
            const std::vector<std::string>& there, bool complete);
  bool apply(std::vector<trust::Made>& all, const Watched& at, const std::vector<std::string>& made,
             const std::vector<std::string>& there, bool complete) const;
  // Reads the file when it has changed: another process has found some.
  void refresh();
  void tell();
  void learn_temporary(const std::string& session);
  void finish(std::uint64_t look);
  void look_again_later(const Watched& at);
  void answered(const std::string& run);
  void look_at_once();
  void take(const Watched& at, const paths::GitPlaces& places, std::vector<std::string>& made);
  void problem(const Status& status);

  std::string state_directory_;
  std::string workspace_;
  const Clock& clock_;
  StateGate& gate_;
  Runs& runs_;
  lua::Engine& engine_;
  std::function<void(const std::string&)> on_problem_;
  std::vector<trust::Made> all_;
  std::optional<struct stat> seen_;  // the file that all_ comes from
  bool is_unknown_ = false;          // the file cannot be read: everything counts as made
  std::set<std::string> temporary_;  // directories that a session has its own of
  std::string reported_;
  std::map<std::uint64_t, Watched> looking_;
  std::map<std::string, Watched> unanswered_;  // by run; to be looked for again
  std::uint64_t last_look_ = 0;
  std::vector<std::function<void()>> waiting_;
  // Expires with this object: a helper may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
