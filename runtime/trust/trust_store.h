// TrustStore: what a person has trusted, in the file `trusted` of the state directory, a signed
// table (runtime/base/state_table.h) that every process of this user shares. Each call reads the
// file anew; one with any fault trusts nothing. Any thread; waits for the disk.
//
//   gibbous-trusted 1 9f86d081…
//   trust<TAB>kind=project<TAB>when=1790000000<TAB>who=ann<TAB>hash=…<TAB>path=/home/ann/app/.gibbous
//   file<TAB>hash=…<TAB>name=config.lua
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/state_table.h"
#include "runtime/trust/tree.h"

namespace gibbous::trust {

inline constexpr std::size_t kMaxTrusted = 1000;
inline constexpr const char* kProject = "project";    // a `.gibbous` directory
inline constexpr const char* kServices = "services";  // a file of `gibbous up`

struct Trusted {
  std::string kind;
  std::string path;  // absolute, without symbolic links
  std::string hash;  // of the tree
  std::vector<NamedHash> files;
  std::string who;
  std::int64_t when = 0;  // Unix seconds
};

class TrustStore {
 public:
  // `directory`: the state directory, absolute; "": nothing is trusted, and nothing can be.
  explicit TrustStore(std::string directory) : directory_(std::move(directory)) {}

  // Fails with trust_damaged, trust_newer, state_dir_unusable or state_file_unusable.
  Result<std::vector<Trusted>> list() const;
  // Takes the place of what was trusted at the same path. Also fails with state_busy and
  // trust_full.
  Status add(const Trusted& trusted) const;
  // Returns whether something at that path was trusted.
  Result<bool> remove(const std::string& path) const;
  std::string path() const;

 private:
  std::string directory_;
};

inline constexpr StateTableForm kTrustTable{
    .name = "trusted",
    .version = 1,
    .errors = "trust",
    .effect = "trusts nothing",
    .remedy = "Remove it, and trust again what you need (gibbous trust DIR)",
    .when_full = "revoke some (gibbous trust --list, gibbous trust --revoke DIR)",
    .lock_tries = 2000,
};

}  // namespace gibbous::trust
