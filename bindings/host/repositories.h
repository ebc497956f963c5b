// Repositories: where git keeps things in the workspaces of this process, and what it obeys there.
// A walk beside the loop looks after each sandboxed run, and before the first one; starts use the
// list of the last walk. What git obeys and what runs have changed or made since the walk before is
// named, and policies are told of it (Engine::learn), also those of later processes:
// trust::ChangedList keeps it until it is gone, or as it was. What a person changes while a
// sandboxed run goes on counts as the run's. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/host/state_gate.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "runtime/paths/git_places.h"
#include "runtime/paths/question.h"
#include "runtime/runs/runs.h"
#include "runtime/trust/changed_list.h"

namespace gibbous::host {

class Repositories final : public lua::Learner {
 public:
  // Names relative to the workspace, "." for itself.
  struct Changes {
    std::vector<std::string> changed;
    std::vector<std::string> made;  // directories of repositories
  };

  // `state_directory` "": changes are known to this process alone. Sets context.git_places.
  Repositories(std::string state_directory, StateGate& gate, lua::Context& context,
               std::function<void(const std::string& message)> on_problem);
  // What is not known yet is looked for at once, where the file system answers.
  ~Repositories() override;
  Repositories(const Repositories&) = delete;
  Repositories& operator=(const Repositories&) = delete;

  // Looks after the end of a run. Calls back once unless it returns false, because nothing is to be
  // looked for: with what has changed since its start, or nothing while the file system does not
  // answer. Then the whole workspace counts until it does.
  bool look_after(const Run& run, std::function<void(Changes)> on_found);

  void begin() override;
  bool is_behind() const override;
  void catch_up(std::function<void()> then) override;

 private:
  using Places = std::shared_ptr<const paths::GitPlaces>;
  using Walked = std::function<void(const Places&)>;  // null: no answer
  struct Workspace {
    Places last;
    bool is_walking = false;
    std::vector<Walked> served;         // by the walk that goes on
    std::vector<Walked> waiting;        // for one that begins later
    std::optional<std::int64_t> since;  // the first start of runs that have ended since `last`
    bool is_unanswered = false;         // what these have changed was looked for in vain
    Changes unnamed;
  };
  static bool is_watched(const Run& run);
  std::optional<std::int64_t> since(const std::string& workspace) const;
  void find(const std::string& workspace, Walked then);
  Places own_places(const std::string& workspace);
  void walk(const std::string& workspace, Walked then);
  void begin_walk(const std::string& workspace);
  void finish_walk(const std::string& workspace, const paths::Answer& answer);
  void take(const std::string& workspace, paths::GitPlaces places);
  void note(const std::string& workspace, const paths::GitPlaces& now,
            const std::vector<trust::Changed>& changed);
  // Reads the file when it has changed: another process has written it, or a person.
  void refresh();
  void tell();
  void look_at_once();
  void problem(const Status& status);

  std::string state_directory_;
  StateGate& gate_;
  lua::Context& context_;
  Runs& runs_;
  std::function<void(const std::string&)> on_problem_;
  std::map<std::string, Workspace> workspaces_;
  std::vector<trust::Changed> all_;
  StateMark mark_;           // of the file that all_ comes from
  bool is_unknown_ = false;  // the file cannot be read: all of the workspace counts
  std::vector<std::string> told_;
  std::string reported_;
  // Expires with this object: a helper may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
