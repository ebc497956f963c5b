#include "runtime/paths/answers.h"

#include <utility>

#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"

namespace gibbous::paths {

std::optional<std::string> Answers::real(const std::string& path) {
  const auto known = known_.find(path);
  if (known != known_.end()) return known->second;
  Walked walked = walk(path, mounts_->now().get());
  if (walked.reached != Reached::kDoubtful) return std::move(walked.real);
  if (asks_) {
    missing_.push_back({path, walked.mount});
  } else {
    has_gaps_ = true;
  }
  // Noted once, whatever becomes of it.
  known_.emplace(path, std::nullopt);
  return std::nullopt;
}

std::vector<Entry> Answers::listed(const std::string& directory) const {
  return entries(directory, mounts_->now().get());
}

std::vector<Answers::Missing> Answers::take_missing() {
  return std::exchange(missing_, {});
}

void Answers::answer(const std::string& path, std::optional<std::string> real) {
  has_gaps_ = has_gaps_ || !real;
  known_[path] = std::move(real);
}

void Answers::end_questions() {
  asks_ = false;
}

}  // namespace gibbous::paths
