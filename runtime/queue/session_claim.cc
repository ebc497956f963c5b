#include "runtime/queue/session_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"

namespace gibbous {
namespace {

constexpr int kMaxNumber = 1000;
// A client that restarts its server does not wait for the old one, which needs a moment to notice.
constexpr Nanos kNoticeTime{300'000'000};
constexpr Nanos kEndingTime{20'000'000'000};
constexpr std::size_t kNameDigits = 32;
constexpr char kEnding = 'e';  // the first byte of the file of an owner that is ending
constexpr char kLiving = 'o';

Status unusable(const std::string& name, const std::string& why) {
  return Status::error("state_file_unusable", "sessions/" + name + ": " + why);
}

}  // namespace

SessionClaim::SessionClaim(std::string state_directory, std::string wanted)
    : directory_(std::move(state_directory)), wanted_(std::move(wanted)) {}

Result<SessionClaim::Seen> SessionClaim::look(const std::string& name) {
  const Result<UniqueFd> directory = open_state_directory(directory_ + "/sessions", true);
  if (!directory) return directory.status();
  const std::string file_name = sha256_hex(name).substr(0, kNameDigits);
  UniqueFd file(::openat(directory->get(), file_name.c_str(),
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                         kStateFileMode));
  if (!file) return unusable(file_name, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return unusable(file_name, std::strerror(errno));
  if (const char* why = objection_to(status)) return unusable(file_name, why);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
    const std::string text = kLiving + (" " + name) + "\n";
    (void)::ftruncate(file.get(), 0);
    if (::pwrite(file.get(), text.data(), text.size(), 0) < 0)
      return unusable(file_name, std::strerror(errno));
    file_ = std::move(file);
    return Seen::kOwned;
  }
  if (errno != EWOULDBLOCK) return unusable(file_name, std::strerror(errno));
  char first = 0;
  const bool ending = ::pread(file.get(), &first, 1, 0) == 1 && first == kEnding;
  return ending ? Seen::kEnding : Seen::kTaken;
}

Result<bool> SessionClaim::attempt(Nanos now) {
  for (; number_ <= kMaxNumber; ++number_, since_ = now) {
    if (since_ < Nanos{0}) since_ = now;
    const std::string name = number_ == 1 ? wanted_ : wanted_ + "#" + std::to_string(number_);
    const Result<Seen> seen = look(name);
    if (!seen) return seen.status();
    if (*seen == Seen::kOwned) {
      name_ = name;
      return true;
    }
    const Nanos patience = *seen == Seen::kEnding ? kEndingTime : kNoticeTime;
    // Only the owner of the first name is worth waiting for before it is known to be ending.
    if ((*seen == Seen::kEnding || number_ == 1) && now - since_ < patience) return false;
  }
  return Status::error("session_taken", "session " + wanted_ + ": " + std::to_string(kMaxNumber) +
                                            " processes have it; choose another name");
}

void SessionClaim::announce_end() {
  if (file_) (void)::pwrite(file_.get(), &kEnding, 1, 0);
}

}  // namespace gibbous
