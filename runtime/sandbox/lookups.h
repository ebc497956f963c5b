// What the paths of profiles are on this machine, kept from start to start: profiles name two
// hundred, and a path is looked up again only when a directory on the way to it has changed. For
// prepare.cc. One thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/sandbox/paths.h"

namespace gibbous {

namespace paths {
class MountTable;
}

class Lookups {
 public:
  struct Found : KnownPath {                // the path is empty where there is nothing
    std::string way;                        // as far as it exists without links, the rest unchanged
    std::string nearest;                    // the last directory on it that exists
    std::vector<std::string> links_are_in;  // those on the way

    bool exists() const { return !path.empty(); }  // for this user
    // What is at it, or would be.
    const std::string& place() const { return exists() ? path : way; }
    bool link_is_within(std::span<const ResolvedPath> trees) const;
  };

  // Times advance in steps, on old disks of a second: what has changed more recently than `settled`
  // may not show its next change.
  explicit Lookups(std::chrono::nanoseconds settled = std::chrono::seconds(2))
      : settled_(settled) {}

  // Begins a preparation: what changes while it goes on may be missed until the next one begins.
  // Null: nothing that was found before counts.
  void begin(const paths::MountTable* mounts);
  // Begins another part of it, after a change of its own.
  void look_again() { ++round_; }
  // As resolve_path. The result lives until the next call of begin. One that cannot be looked up
  // is as if there were nothing, and the preparation fails with status().
  const Found& find(const std::string& asked, const char* field);
  // The first failure since begin.
  const Status& status() const { return status_; }
  // The names in a directory that match one of `patterns`, which '/' separates: '*' stands for any
  // characters, and case does not count. Of certificates (.pem), those with a private key in them.
  struct Names {
    bool exists = false;    // and can be listed
    bool complete = false;  // there are not too many, and its file system answers
    std::vector<std::string> paths;
  };
  // The result lives until the next call of begin.
  const Names& names_in(const std::string& directory, const std::string& patterns);
  // Returns how often one was looked up on the disk.
  std::uint64_t made() const { return made_; }

 private:
  struct Directory {
    std::uint64_t round = 0;  // when it was looked at
    std::uint64_t version = 0;
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::uint64_t inode = 0;  // 0: there is none
    std::int64_t changed_ns = 0;
    std::uint64_t mount = 0;
    bool tells_changes = false;
  };
  struct Listed {
    Names names;
    std::uint64_t round = 0;    // when it was listed
    std::uint64_t version = 0;  // of the directory; 0: does not last
  };
  struct Kept {
    Found found;
    std::uint64_t round = 0;                                        // when it was looked up
    bool lasts = false;                                             // longer than that
    std::vector<std::pair<const std::string*, std::uint64_t>> way;  // directories, by version
  };
  Directory& look(const std::string& path);
  bool is_current(const Kept& kept);

  std::chrono::nanoseconds settled_;
  std::uint64_t round_ = 0;
  std::uint64_t made_ = 0;
  Status status_;
  std::uint64_t mounts_ = 0;                   // what they were, as a fingerprint
  std::unordered_set<std::uint64_t> telling_;  // mounts whose directories tell of each change
  std::unordered_set<std::uint64_t> remote_;   // mounts that may not answer
  std::unordered_map<std::string, Directory> directories_;
  std::unordered_map<std::string, Kept> kept_;
  std::unordered_map<std::string, Listed> listed_;
};

}  // namespace gibbous
