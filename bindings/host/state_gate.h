// StateGate: lets work on the files of the state directory pass while its file system answers. What
// cannot be said at once is asked of a helper, so that the loop never waits for a disk. Loop thread
// only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/runs/runs.h"

namespace gibbous::host {

class StateGate {
 public:
  // `directory` "": everything passes at once.
  StateGate(std::string directory, Runs& runs);

  // Calls `work`, in order: at once where the directory is on a local file system, else when a
  // helper has seen it; with false when it does not answer within PathLookups' patience.
  void pass(std::function<void(bool answers)> work);

 private:
  bool answers_at_once() const;
  void open(bool answers);

  std::string directory_;
  Runs& runs_;
  std::vector<std::function<void(bool)>> waiting_;
  bool asking_ = false;
  // Expires with this object: a helper may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
