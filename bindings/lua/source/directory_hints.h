// DirectoryHints tells that names in directories appeared, went, or were written to the end. Unlike
// libuv's watches, it is not woken by each write in a directory, which a journal there or a build
// in /tmp makes by the thousand. Only hints: what matters is looked at by the receiver. Its handle
// keeps no loop alive. Loop thread only.
#pragma once

#include <uv.h>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace gibbous::lua {

class DirectoryHints {
 public:
  // on_hint comes from the loop.
  DirectoryHints(uv_loop_t* loop, std::function<void()> on_hint);
  ~DirectoryHints();  // after close()
  DirectoryHints(const DirectoryHints&) = delete;
  DirectoryHints& operator=(const DirectoryHints&) = delete;

  // Watches for changes of these names in a directory, and for its own removal or renaming, after
  // which it is not watched any more. Returns false when it cannot: there is no such directory, or
  // the user has no watches left. Directories that are added twice have the names of both.
  bool add(const std::string& directory, const std::set<std::string>& names);
  // Returns true while `directory` is watched for these names.
  bool has(const std::string& directory, const std::set<std::string>& names) const;
  void clear();
  // Then the object may be deleted. `on_closed` comes from the loop; without a handle at once.
  void close(std::function<void()> on_closed);

 private:
  struct Place {
    std::set<std::string> names;
    std::set<std::string> directories;  // paths that lead there
  };

  bool open();
  void take();
  bool is_hint(int watch, unsigned mask, const char* name);
  static void on_readable(uv_poll_t* poll, int status, int events) noexcept;

  uv_loop_t* loop_;
  std::function<void()> on_hint_;
  std::function<void()> on_closed_;
  uv_poll_t poll_{};
  int fd_ = -1;
  std::map<int, Place> places_;
  std::map<std::string, int> watches_;
};

}  // namespace gibbous::lua
