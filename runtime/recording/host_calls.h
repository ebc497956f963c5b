// HostCalls records the calls of tools that the host carries out itself: such a call has no run,
// and other processes could not see it otherwise (`gibbous ps`). A call is recorded when it begins
// and again when it ends. What the journal does not take yet waits here, within bounds; without a
// journal nothing is kept. Owned by Recording. Loop thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/journal/record.h"

namespace gibbous {

class Recording;

class HostCalls {
 public:
  // All three must outlive this.
  HostCalls(Recording& recording, const Clock& clock, const std::string& workspace);
  ~HostCalls();
  HostCalls(const HostCalls&) = delete;
  HostCalls& operator=(const HostCalls&) = delete;

  // Returns the id that end() takes.
  std::string begin(const std::string& tool, const std::string& session);
  // `outcome`: see HostCallRecord.
  void end(const std::string& id, const std::string& outcome);

 private:
  void add(HostCallRecord call);
  void drop_one();
  void open();
  void write();

  Recording& recording_;
  const Clock& clock_;
  const std::string& workspace_;
  HostCallRecord process_;  // what each record says of this process
  std::map<std::string, HostCallRecord> going_;
  std::deque<HostCallRecord> waiting_;
  bool opening_ = false;
  bool blocked_ = false;  // until the journal has room again
  // Expires with this object: the recording may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous
