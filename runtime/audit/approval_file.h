// ApprovalFile: the approvals on disk, as every process of this user sees them: read again when the
// file is another one than before, replaced whole under a lock. Whatever is wrong with the file, it
// grants nothing. Used by ApprovalStore. Owner's thread only; see approval_store.h for what blocks.
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
  // `on_problem` hears of each problem once, until it has changed or gone. `directory` "" means
  // that nothing can be remembered.
  ApprovalFile(std::string directory, std::function<void(const Status&)> on_problem);

  // One stat when nothing has changed. The error is why what is there is not looked at; entries()
  // is empty then.
  Status refresh();
  const std::vector<Approval>& entries() const { return entries_; }

  // Changes what is newest on disk, alone: `edit` gets it and says whether it is to be written. On
  // failure all is as it was. `make` makes the directory. `durable`: only done when the disk
  // has it.
  enum class Edit { kNothing, kWrite };
  Status change(const std::function<Result<Edit>(std::vector<Approval>&)>& edit, bool make,
                bool durable);

 private:
  // Which file it was; a file that is held open keeps its inode's number from being used again.
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec modified{};
    timespec changed{};  // modes and owners, too
    bool operator==(const Identity& other) const;
  };
  static Identity identity_of(const struct stat& file);

  Status load(const UniqueFd& directory, const StateLock* lock);
  Status read(UniqueFd& file, const UniqueFd& directory, const StateLock* lock);
  Status set_aside(const UniqueFd& directory, const std::string& why, const StateLock* lock);
  Status write(const UniqueFd& directory, const std::vector<Approval>& approvals, bool durable);
  Status tell(Status problem);
  void forget();
  std::string path() const;

  std::string directory_;
  std::function<void(const Status&)> on_problem_;
  std::vector<Approval> entries_;
  UniqueFd held_;  // the file that entries_ are from
  Identity identity_;
  bool known_ = false;  // identity_ and status_ are those of what is there
  Status status_;
  std::string told_;  // the last problem's message
};

}  // namespace gibbous
