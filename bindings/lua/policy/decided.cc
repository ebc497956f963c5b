#include "bindings/lua/policy/decided.h"

#include <utility>

namespace gibbous::lua {
namespace {

constexpr std::size_t kMostVerdicts = 64;  // some have a whole profile
constexpr std::size_t kMaxKeyBytes = 8192;

}  // namespace

const Verdict* DecidedVerdicts::find(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &found->second;
}

void DecidedVerdicts::keep(std::string key, const Verdict& verdict) {
  if (key.size() > kMaxKeyBytes) return;
  if (by_key_.size() >= kMostVerdicts) by_key_.clear();  // those in use come back
  by_key_.insert_or_assign(std::move(key), verdict);
}

}  // namespace gibbous::lua
