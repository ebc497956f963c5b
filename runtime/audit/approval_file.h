// ApprovalFile: the approvals on disk, as every process of this user sees them. It is read again
// when the file has changed and replaced whole under a lock. A file with any fault grants nothing,
// nor does one that was written without the key beside it (approvals.key): the sandbox hides the
// state directory, so that a run that could write there could still not approve anything.
// Used by ApprovalStore. Owner's thread only; see approval_store.h for what blocks.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/audit/approval.h"
#include "runtime/base/state_file.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

inline constexpr std::size_t kMaxApprovals = 10'000;
inline constexpr std::size_t kMaxApprovalFileBytes = std::size_t{8} << 20;

class ApprovalFile {
 public:
  // `on_problem` is called once for each problem, until it changes or is gone. With `directory` "",
  // nothing can be remembered.
  ApprovalFile(std::string directory, std::function<void(const Status&)> on_problem);

  // Costs one stat when nothing has changed. On an error, the file does not count and entries() is
  // empty.
  Status refresh();
  const std::vector<Approval>& entries() const { return entries_; }

  // Changes the newest content on disk, with other writers locked out: `edit` receives it and
  // returns whether to write it. On failure nothing changes. `make` creates the directory.
  // `durable` waits until the disk has it.
  enum class Edit { kNothing, kWrite };
  Status change(const std::function<Result<Edit>(std::vector<Approval>&)>& edit, bool make,
                bool durable);

 private:
  // Identifies the file; a file that is held open keeps its inode number from being used again.
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec modified{};
    timespec changed{};  // also modes and owners
    bool operator==(const Identity& other) const;
  };
  static Identity identity_of(const struct stat& file);

  Status load(const UniqueFd& directory, const StateLock* lock);
  Status read(UniqueFd& file, const UniqueFd& directory, const StateLock* lock);
  Status set_aside(const UniqueFd& directory, const std::string& why, const StateLock* lock);
  Status write(const UniqueFd& directory, const std::vector<Approval>& approvals, bool durable);
  Status report(Status problem);
  void forget();
  std::string path() const;

  std::string directory_;
  std::function<void(const Status&)> on_problem_;
  std::vector<Approval> entries_;
  UniqueFd held_;  // the file that entries_ come from
  Identity identity_;
  bool known_ = false;  // identity_ and status_ describe the current file
  Status status_;
  std::string reported_;  // the last problem's message
};

}  // namespace gibbous
