// Layers over directories of this machine, such as caches: what a sandboxed run changes there is
// seen by the later runs of its group and by no other program. One overlay, over the home as a
// rule, has them all, because each costs a start a millisecond and more; only they are mounted. A
// directory that does not exist is made in the overlay, and a stand takes the place of the
// directory around it, so that nothing is made in the machine's. For prepare.cc.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/mounts.h"
#include "runtime/sandbox/entry.h"
#include "runtime/sandbox/lookups.h"
#include "runtime/sandbox/paths.h"
#include "runtime/sandbox/temporary.h"

namespace gibbous {

class Layers {
 public:
  // `works`: whether this machine can have a layer.
  Layers(SandboxEntry& entry, TemporaryHold& hold, std::function<bool(const MountedLayer&)> works)
      : entry_(entry), hold_(hold), works_(std::move(works)) {}

  // Finds out what is layered, outside of the trees under `write`, and makes room for it, which
  // the hold keeps. What is hidden as a whole is empty at first. Runs of a group at the same time
  // have layers of their own, because two overlays may not share one. `is_own`: whether a path is
  // in the temporary directories of the group.
  Status find(const SandboxSpec& spec, Lookups& lookups, std::span<const ResolvedPath> read,
              std::span<const ResolvedPath> write,
              const std::function<bool(const std::string&)>& is_own);
  std::size_t size() const { return targets_.size(); }
  // A name of the machine that layers do not show, whether it exists or not; programs may make
  // their own there.
  struct Hidden {
    std::string path;
    std::string first_missing;  // on the way to it; else the path
  };
  // Lays what works. `mounted`: where something is mounted; `left_out`: what of that is not looked
  // at.
  void lay(std::span<const Mount> mounted, std::span<const std::string> left_out,
           std::span<const Hidden> hidden);
  // After lay(): what it is to be for one of the hidden names, and whether a layer shows a path of
  // the machine, which programs may have removed there.
  bool hides(const std::string& path) const;
  bool shows(const std::string& path) const;
  // Lays a copy over each of the trees, for this run alone; `copies` says how to look at them.
  void copy(std::span<const ResolvedPath> trees, RunCopies copies, std::uint64_t limit);
  // Why some of those can only be read; "" when all can be changed.
  std::string copies_problem() const;
  // Why some of it can only be read; "" when all can be changed.
  std::string problem() const;

 private:
  struct Target {
    std::string path;   // without symbolic links
    std::string above;  // the nearest directory that exists, of what does not; else ""
    bool is_hidden = false;
  };
  bool have_room(std::uint64_t limit);
  std::string base_of(const Target& target, std::span<const Mount> mounted) const;
  void lay_over(const std::string& base, std::vector<Target> targets,
                std::span<const Hidden> hidden);
  std::string hide(const std::string& base, std::span<const Target> targets,
                   std::span<const Hidden> hidden);
  void drop(std::span<const Target> targets);

  SandboxEntry& entry_;
  TemporaryHold& hold_;
  const std::function<bool(const MountedLayer&)> works_;
  std::vector<Target> targets_;
  std::optional<TemporaryGroup::LayerPlace> place_;
  std::vector<std::string> laid_;    // targets that show what the machine has
  std::vector<std::string> hidden_;  // in them
  bool writable_ = true;
  std::string why_;                // none of it can be changed
  std::vector<std::string> none_;  // these have no layer
  std::vector<std::string> uncopied_;
};

}  // namespace gibbous
