// Placeholder: holds a name that does not exist, while a run may write around it, so that the run
// cannot make it. Several runs, of several keepers, may hold the same one; the last removes it. It
// follows no link. Any thread.
#pragma once

#include <string>
#include <utility>

#include "runtime/base/unique_fd.h"

namespace gibbous {

class Placeholder {
 public:
  // `path`: absolute; with a "/" at its end an empty directory is made, else a file with the line
  // ".". Returns an unset one when there is something at the path that is no placeholder, or the
  // directory around it does not exist or cannot be written.
  // `is_private`: a directory that its user, and no other, may use as if it had been made by
  // them; what is in it keeps it from being removed.
  static Placeholder hold(const std::string& path, bool is_private = false);
  // Removes it, unless others hold it.
  ~Placeholder();
  // Lets go of it, and leaves it where it is.
  void leave() { held_.reset(); }
  Placeholder() = default;
  Placeholder(Placeholder&& other) noexcept { *this = std::move(other); }
  Placeholder& operator=(Placeholder&& other) noexcept;

  // Whether both hold the same one.
  bool is_same(const Placeholder& other) const;

  explicit operator bool() const { return static_cast<bool>(held_); }

 private:
  void release();

  UniqueFd around_;  // the directory
  std::string name_;
  bool is_directory_ = false;
  bool is_private_ = false;
  UniqueFd held_;  // with a shared lock
};

}  // namespace gibbous
