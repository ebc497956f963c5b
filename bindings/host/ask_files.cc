// See ask_files.h.
#include "bindings/host/ask_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/base/listing.h"
#include "runtime/base/random_id.h"
#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"
#include "runtime/base/state_key.h"

namespace gibbous::host {
namespace {

constexpr const char* kDirectory = "asks";
constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kOthers = 077;
constexpr std::string_view kMagic = "gibbous-ask 1 ";
constexpr std::size_t kSealBytes = 64;  // HMAC-SHA256 in hex
constexpr std::size_t kMostFileBytes = std::size_t{256} << 10;
constexpr std::size_t kMostFiles = 4'000;  // that a listing looks at
constexpr std::size_t kMostOutcomes = 500;
constexpr std::int64_t kKeptSeconds = 24 * 3600;
constexpr const char* kKeptSuffix = ".kept";
constexpr std::int64_t kMostKeptSeconds = 7 * kKeptSeconds;  // of an answer: the largest keep_s

Status unusable(const std::string& name, const std::string& why) {
  return Status::error("state_file_unusable", "asks/" + name + ": " + why);
}

bool is_id(std::string_view text) {
  return text.size() == kIdChars && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

std::vector<std::string> names_in(const UniqueFd& directory) {
  std::vector<std::string> names;
  Listing listing(directory.get());
  while (const dirent* entry = names.size() < kMostFiles ? listing.next() : nullptr) {
    names.emplace_back(entry->d_name);
  }
  return names;
}

}  // namespace

Status AskFiles::open(bool make) {
  const Result<UniqueFd> state = open_state_directory(state_, make);
  if (!state) return state.status();
  if (make) (void)::mkdirat(state->get(), kDirectory, kDirectoryMode);
  UniqueFd directory(
      ::openat(state->get(), kDirectory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory && errno == ENOENT) {
    return Status::error("state_dir_missing", state_ + "/asks: there is none");
  }
  struct stat info {};
  if (!directory || ::fstat(directory.get(), &info) != 0) {
    return Status::error("state_dir_unusable", state_ + "/asks: " + std::strerror(errno));
  }
  if (info.st_uid != ::geteuid() || (info.st_mode & kOthers) != 0) {
    return Status::error("state_dir_unusable",
                         state_ + "/asks: must belong to this user alone (chmod 700 mends that)");
  }
  if (make) {
    Result<std::string> key = make_state_key(*state, state_);
    if (!key) return key.status();
    key_ = std::move(*key);
  } else {
    key_ = read_state_key(*state);
  }
  directory_ = std::move(directory);
  return {};
}

std::string AskFiles::sealed(const std::string& name, std::string_view body) const {
  return std::string(kMagic) + hmac_sha256_hex(key_, name + "\n" + std::string(body)) + "\n" +
         std::string(body);
}

std::optional<std::string> AskFiles::read(const std::string& name, UniqueFd* held) const {
  UniqueFd file(::openat(directory_.get(), name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return std::nullopt;
  // An answer has two names for a moment.
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & kOthers) != 0) {
    return std::nullopt;
  }
  const auto text = read_whole(file, kMostFileBytes);
  const std::size_t begin = kMagic.size() + kSealBytes + 1;
  if (!text || text->size() > kMostFileBytes || text->size() < begin || key_.empty()) {
    return std::nullopt;
  }
  const std::string_view body = std::string_view(*text).substr(begin);
  if (sealed(name, body) != *text) return std::nullopt;
  if (held != nullptr) *held = std::move(file);
  return std::string(body);
}

// Written under a name that no reader lists.
Result<UniqueFd> AskFiles::write(const std::string& name, std::string_view body) const {
  if (key_.empty()) return unusable(name, "the state directory has no key");
  const std::string text = sealed(name, body);
  if (text.size() > kMostFileBytes) return unusable(name, "it is too long");
  const std::string made = "." + name + "." + random_id();
  UniqueFd file(::openat(directory_.get(), made.c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kStateFileMode));
  if (!file) return unusable(name, std::strerror(errno));
  if (!write_whole(file, text)) {
    const int error = errno;
    ::unlinkat(directory_.get(), made.c_str(), 0);
    return unusable(name, std::string("cannot be written: ") + std::strerror(error));
  }
  // Locked before another process can see it.
  const bool answer = name.ends_with(kAnswerSuffix);
  if (!answer && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::unlinkat(directory_.get(), made.c_str(), 0);
    return unusable(name, std::string("cannot be locked: ") + std::strerror(error));
  }
  const int done = answer
                       ? ::linkat(directory_.get(), made.c_str(), directory_.get(), name.c_str(), 0)
                       : ::renameat(directory_.get(), made.c_str(), directory_.get(), name.c_str());
  const int error = errno;
  if (answer || done != 0) ::unlinkat(directory_.get(), made.c_str(), 0);
  if (done == 0) return file;
  if (answer && error == EEXIST) return Status::error("ask_answered", "it has an answer already");
  return unusable(name, std::strerror(error));
}

Status AskFiles::put(const std::string& id, std::string_view body, UniqueFd* held) const {
  Result<UniqueFd> file = write(id + ".ask", body);
  if (!file) return file.status();
  *held = std::move(*file);
  return {};
}

std::optional<std::string> AskFiles::take_answer(const std::string& id) const {
  const std::string name = id + ".answer";
  if (::faccessat(directory_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  auto body = read(name);
  if (!body) drop_answer(id);
  return body;
}

void AskFiles::drop_answer(const std::string& id) const {
  ::unlinkat(directory_.get(), (id + ".answer").c_str(), 0);
}

void AskFiles::finish(const std::string& id, std::string_view outcome) const {
  (void)write(id + ".done", outcome);
  for (const char* suffix : {".ask", ".answer"}) {
    ::unlinkat(directory_.get(), (id + suffix).c_str(), 0);
  }
}

Result<UniqueFd> AskFiles::keep(const std::string& key, std::string_view body) const {
  return write(key + kKeptSuffix, body);
}

std::optional<std::string> AskFiles::take_kept(const std::string& key) const {
  const std::string name = key + kKeptSuffix;
  UniqueFd file;
  auto body = read(name, &file);
  if (!body || ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 ||
      ::unlinkat(directory_.get(), name.c_str(), 0) != 0) {
    return std::nullopt;
  }
  return body;
}

std::vector<std::string> AskFiles::ids(std::string_view suffix) const {
  std::vector<std::string> found;
  for (const std::string& name : names_in(directory_)) {
    if (name.size() != kIdChars + suffix.size() || !name.ends_with(suffix)) continue;
    std::string id = name.substr(0, kIdChars);
    if (is_id(id)) found.push_back(std::move(id));
  }
  return found;
}

std::optional<AskFiles::Question> AskFiles::question(const std::string& id) const {
  UniqueFd file;
  auto body = read(id + ".ask", &file);
  if (!body) return std::nullopt;
  const bool alive = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return Question{std::move(*body), alive};
}

std::optional<std::string> AskFiles::outcome(const std::string& id) const {
  return read(id + ".done");
}

Status AskFiles::put_answer(const std::string& id, std::string_view body) const {
  return write(id + ".answer", body).status();
}

// Outcomes of a day, those of the newest questions, and what a process that died has left.
void AskFiles::prune() const {
  const std::int64_t now = ::time(nullptr);
  std::vector<std::pair<std::int64_t, std::string>> outcomes;
  for (const std::string& name : names_in(directory_)) {
    struct stat info {};
    if (::fstatat(directory_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool old =
        now - info.st_mtime > (name.ends_with(kKeptSuffix) ? kMostKeptSeconds : kKeptSeconds);
    if (name.ends_with(".ask") && old) {
      const auto asked = question(name.substr(0, name.size() - 4));
      if (!asked || !asked->alive) ::unlinkat(directory_.get(), name.c_str(), 0);
    } else if (old) {
      ::unlinkat(directory_.get(), name.c_str(), 0);
    } else if (name.ends_with(".done")) {
      outcomes.emplace_back(info.st_mtime, name);
    }
  }
  if (outcomes.size() <= kMostOutcomes) return;
  std::sort(outcomes.begin(), outcomes.end());
  outcomes.resize(outcomes.size() - kMostOutcomes);
  for (const auto& [time, name] : outcomes) ::unlinkat(directory_.get(), name.c_str(), 0);
}

}  // namespace gibbous::host
