// Answers: the real paths that one judgement needs. What can be looked up at once is; the rest is
// noted, to be asked and answered before the judgement is made again. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/paths/entries.h"

namespace gibbous::paths {

class MountTypes;  // mount_types.h

class Answers {
 public:
  struct Missing {
    std::string path;
    std::uint64_t mount = 0;
  };

  explicit Answers(std::shared_ptr<MountTypes> mounts) : mounts_(std::move(mounts)) {}

  // Returns nullopt when it is not known yet, or cannot be.
  std::optional<std::string> real(const std::string& path);
  // As entries() in entries.h.
  std::vector<Entry> listed(const std::string& directory) const;
  bool has_missing() const { return !missing_.empty(); }
  std::vector<Missing> take_missing();
  // With nullopt, it cannot be known.
  void answer(const std::string& path, std::optional<std::string> real);
  // No more is asked: what is missing from now on counts as unanswered.
  void end_questions();
  // True when something was not answered.
  bool has_gaps() const { return has_gaps_; }

 private:
  std::shared_ptr<MountTypes> mounts_;
  std::unordered_map<std::string, std::optional<std::string>> known_;
  std::vector<Missing> missing_;
  bool asks_ = true;
  bool has_gaps_ = false;
};

}  // namespace gibbous::paths
