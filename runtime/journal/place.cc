#include "runtime/journal/place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/file_system.h"
#include "runtime/base/state_file.h"
#include "runtime/journal/schema.h"
#include "runtime/journal/set_aside.h"

namespace gibbous {
namespace {

constexpr mode_t kForOthers = 077;
constexpr const char* kNextSession =
    "; the next session of this program (gibbous session, mcp or call) sets it aside";

Status unusable(const std::string& path, const std::string& why) {
  return Status::error("journal_unusable", path + ": " + why);
}

// A file that cannot be changed need not be made private: reading it does no harm.
Status check_file(const std::string& path, bool make) {
  struct stat file {};
  if (::lstat(path.c_str(), &file) != 0) {
    return errno == ENOENT ? Status() : unusable(path, std::strerror(errno));
  }
  if (const char* why = objection_to(file)) {
    return unusable(path, std::string(why) + "; move it away");
  }
  if ((file.st_mode & kForOthers) != 0 && ::chmod(path.c_str(), kStateFileMode) != 0 &&
      (make || errno != EROFS)) {
    return unusable(path, std::strerror(errno));
  }
  return {};
}

}  // namespace

std::string journal_path(const std::string& directory) {
  return directory + "/" + kJournalName;
}

bool journal_exists(const std::string& directory) {
  return ::access(journal_path(directory).c_str(), F_OK) == 0;
}

Status check_place(const std::string& directory, bool make) {
  const Result<UniqueFd> held = open_state_directory(directory, make);
  if (!held) return held.status();
  const std::string path = journal_path(directory);
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    if (Status status = check_file(path + suffix, make); !status) return status;
  }
  struct stat file {};
  if (::lstat(path.c_str(), &file) == 0) return {};
  if (!make) return Status::error("journal_missing", path + ": nothing was recorded here yet");
  const UniqueFd made(::openat(held->get(), kJournalName,
                               O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kStateFileMode));
  if (made || errno == EEXIST) return {};
  const bool read_only = errno == EROFS || errno == EACCES;
  const bool full = errno == ENOSPC || errno == EDQUOT;
  return Status::error(read_only ? "journal_readonly"
                       : full    ? "journal_full"
                                 : "journal_unusable",
                       path + ": " + std::strerror(errno) +
                           "; the directory must be writable for this user, with room on its disk");
}

namespace {

bool has_bytes(const std::string& path) {
  struct stat file {};
  return ::lstat(path.c_str(), &file) == 0 && file.st_size > 0;
}

// Without the directory, no process can make the log that every change begins with.
bool is_fixed(const std::string& directory) {
  return file_system_of(directory).is_read_only ||
         ::faccessat(AT_FDCWD, directory.c_str(), W_OK, AT_EACCESS) != 0;
}

}  // namespace

Result<std::unique_ptr<Database>> open_for_reading(const std::string& directory,
                                                   Millis busy_timeout) {
  if (Status status = check_place(directory, false); !status) return status;
  const std::string path = journal_path(directory);
  const bool fixed = is_fixed(directory);
  const bool has_log = has_bytes(path + "-wal") || has_bytes(path + "-journal");
  const auto mode = fixed && !has_log ? Database::Mode::kSnapshot : Database::Mode::kRead;
  Result<std::unique_ptr<Database>> database = Database::open(path, mode, busy_timeout);
  const Result<std::int64_t> version =
      database ? journal_version(**database) : Result<std::int64_t>(database.status());
  // A new file, which another process is about to fill.
  if (version && *version == 0) {
    return Status::error("journal_missing", path + ": nothing was recorded here yet");
  }
  if (version) {
    return *version == kJournalVersion ? std::move(database)
                                       : journal_older(path, *version, kNextSession);
  }
  const std::string code = version.status().code();
  const bool cannot_write = code == "journal_readonly" || code == "journal_unusable";
  if (!fixed || !has_log || !cannot_write) return version.status();
  return Status::error("journal_readonly",
                       path +
                           ": its latest entries are in a log that must be merged first, and "
                           "the directory cannot be written; copy it to where it can be");
}

Result<std::unique_ptr<Database>> open_for_writing(const std::string& directory,
                                                   const WritingOptions& options) {
  if (Status status = check_place(directory, true); !status) return status;
  // This may be the host's thread: a file that grows too large must not kill it.
  const WithoutSizeSignal guard;
  const std::string path = journal_path(directory);
  auto database = Database::open(path, Database::Mode::kWrite, options.busy_timeout);
  if (!database) return database;
  const Result<std::int64_t> version = journal_version(**database);
  if (!version) return version.status();
  if (*version != 0 && *version < kJournalVersion) {
    database->reset();
    const Result<std::string> aside = set_older_aside(directory, options.busy_timeout);
    if (!aside) return aside.status();
    if (!aside->empty() && options.on_lost) {
      options.on_lost(Status::error("journal_set_aside",
                                    path + ": an older program wrote it; it is now " + *aside +
                                        ", whole, and recording begins in a new file"));
    }
    if (Status status = check_place(directory, true); !status) return status;
    database = Database::open(path, Database::Mode::kWrite, options.busy_timeout);
    if (!database) return database;
  }
  const bool wal = options.wal && file_system_of(directory).shares_memory;
  Status status = prepare_file(**database, wal);
  if (status) status = make_tables(**database);
  if (!status) return status;
  return database;
}

}  // namespace gibbous
