// DecidedVerdicts: what `decide` has said, by all that it looks at. Most lines differ only in what
// it does not look at, such as their words: the rules have judged those. Only for a policy that
// names what it looks at, because the rest is kept from `decide` then. Loop thread only.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "bindings/lua/policy/verdict.h"

namespace gibbous::lua {

class DecidedVerdicts {
 public:
  // `key`: request_key(). Returns null for what is not known.
  const Verdict* find(const std::string& key) const;
  // Keeps what `decide` returned, as it was read; long keys are not kept.
  void keep(std::string key, const Verdict& verdict);

 private:
  std::unordered_map<std::string, Verdict> by_key_;
};

}  // namespace gibbous::lua
