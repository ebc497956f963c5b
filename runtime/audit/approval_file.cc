// The file is only ever replaced by rename, so readers need no lock and never see half of one.
#include "runtime/audit/approval_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/audit/approval_text.h"
#include "runtime/base/random_id.h"
#include "runtime/base/state_text.h"

namespace gibbous {
namespace {

constexpr const char* kName = "approvals";
constexpr const char* kLockName = "approvals.lock";
constexpr int kLockTries = 200;  // a millisecond each
constexpr int kOneTry = 1;

Status file_problem(const std::string& path, const std::string& why) {
  return Status::error("state_file_unusable", path + ": " + why);
}

bool same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

bool ApprovalFile::Identity::operator==(const Identity& other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         same(modified, other.modified) && same(changed, other.changed);
}

ApprovalFile::Identity ApprovalFile::identity_of(const struct stat& file) {
  return {file.st_dev, file.st_ino, file.st_size, file.st_mtim, file.st_ctim};
}

ApprovalFile::ApprovalFile(std::string directory, std::function<void(const Status&)> on_problem)
    : directory_(std::move(directory)), on_problem_(std::move(on_problem)) {}

std::string ApprovalFile::path() const {
  return directory_ + "/" + kName;
}

Status ApprovalFile::refresh() {
  if (directory_.empty()) return {};
  struct stat file {};
  // Look by path, to notice a state directory that was replaced.
  if (::lstat(path().c_str(), &file) != 0) {
    const int error = errno;
    forget();
    if (error == ENOENT) return report({});
    return report(file_problem(path(), std::strerror(error)));
  }
  if (known_ && identity_ == identity_of(file)) return status_;
  forget();
  Result<UniqueFd> directory = open_state_directory(directory_, false);
  if (directory) return load(*directory, nullptr);
  // It was removed since the lstat, so there are no approvals.
  if (directory.status().code() == "state_dir_missing") return report({});
  return report(directory.status());
}

void ApprovalFile::forget() {
  entries_.clear();
  held_.reset();
  status_ = {};
  known_ = false;
}

// Report each problem when it appears, not at each look.
Status ApprovalFile::report(Status problem) {
  if (problem.message() != reported_ && !problem.ok() && on_problem_) on_problem_(problem);
  reported_ = problem.message();
  return problem;
}

Status ApprovalFile::load(const UniqueFd& directory, const StateLock* lock) {
  forget();
  struct stat file {};
  if (::fstatat(directory.get(), kName, &file, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return report({});
    return report(file_problem(path(), std::strerror(errno)));
  }
  // Check before opening, which may have an effect on a device, and again on the open descriptor.
  UniqueFd opened;
  const char* objection = objection_to(file);
  if (objection == nullptr) {
    opened.reset(::openat(directory.get(), kName,
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!opened && errno == ENOENT) return report({});
    if (!opened || ::fstat(opened.get(), &file) != 0) {
      return report(file_problem(path(), std::strerror(errno)));
    }
    // A file that was replaced since it was opened has no name; the next look finds the newer one.
    if (file.st_nlink > 0) objection = objection_to(file);
  }
  identity_ = identity_of(file);
  known_ = true;
  status_ = objection == nullptr
                ? read(opened, directory, lock)
                : report(file_problem(path(), std::string(objection) + "; it grants nothing"));
  return status_;
}

Status ApprovalFile::read(UniqueFd& file, const UniqueFd& directory, const StateLock* lock) {
  Result<std::string> text = read_state_file(file, kMaxApprovalFileBytes, path());
  if (!text) return report(text.status());
  // A newer version may have other limits, and its file is not this program's to move.
  if (const Status version = check_approvals_version(*text); version.code() == "approvals_newer") {
    return report(Status::error(version.code(), path() + " grants nothing: " + version.message()));
  }
  if (text->size() > kMaxApprovalFileBytes) {
    return set_aside(directory, "it is larger than an approvals file can be", lock);
  }
  Result<std::vector<Approval>> decoded = decode_approvals(*text, read_state_key(directory));
  if (!decoded) return set_aside(directory, decoded.status().message(), lock);
  entries_ = std::move(*decoded);
  held_ = std::move(file);
  return report({});
}

// Renames the file under the lock, and only if it is still the same one.
Status ApprovalFile::set_aside(const UniqueFd& directory, const std::string& why,
                               const StateLock* lock) {
  const std::string name = std::string(kName) + ".set-aside-" + random_id();
  const std::string problem = path() + " grants nothing: " + why;
  const auto damaged = [](const std::string& message) {
    return Status::error("approvals_damaged", message);
  };
  Result<StateLock> own = Status::error("state_busy", "");
  if (lock == nullptr) {
    own = StateLock::take(directory, kLockName, kOneTry);
    if (!own)
      return report(damaged(problem + ". It could not be set aside: " + own.status().message()));
  }
  struct stat now {};
  if (::fstatat(directory.get(), kName, &now, AT_SYMLINK_NOFOLLOW) != 0 ||
      !(identity_of(now) == identity_)) {
    known_ = false;  // another process was faster; the next look finds what is there now
    if (lock == nullptr) return {};
    return Status::error("state_busy", path() + " is being changed; try again");
  }
  if (::renameat(directory.get(), kName, directory.get(), name.c_str()) != 0) {
    return report(damaged(problem + ". It could not be set aside: " + std::strerror(errno)));
  }
  forget();
  (void)report(damaged(problem + ". It is kept as " + directory_ + "/" + name +
                       ", and its approvals must be given again"));
  reported_.clear();
  return {};
}

Status ApprovalFile::change(const std::function<Result<Edit>(std::vector<Approval>&)>& edit,
                            bool make, bool durable) {
  Result<UniqueFd> directory = open_state_directory(directory_, make);
  if (!directory) return directory.status();
  Result<StateLock> lock = StateLock::take(*directory, kLockName, kLockTries);
  if (!lock) return lock.status();
  if (Status status = load(*directory, &*lock); !status) return status;
  std::vector<Approval> edited = entries_;
  Result<Edit> wanted = edit(edited);
  if (!wanted) return wanted.status();
  switch (*wanted) {
    case Edit::kNothing:
      return {};
    case Edit::kWrite:
      break;
  }
  if (Status status = write(*directory, edited, durable); !status) return status;
  return load(*directory, &*lock);
}

Status ApprovalFile::write(const UniqueFd& directory, const std::vector<Approval>& approvals,
                           bool durable) {
  const Result<std::string> key = make_state_key(directory, path());
  if (!key) return key.status();
  const std::string text = encode_approvals(approvals, *key);
  if (approvals.size() > kMaxApprovals || text.size() > kMaxApprovalFileBytes) {
    return Status::error("approvals_full", "there are " + std::to_string(approvals.size()) +
                                               " approvals, " + std::to_string(text.size()) +
                                               " bytes; at most " + std::to_string(kMaxApprovals) +
                                               " and " + std::to_string(kMaxApprovalFileBytes) +
                                               " are kept. Revoke some (gibbous approvals)");
  }
  return replace_state_file(directory, kName, text, durable, path());
}

}  // namespace gibbous
