#include "bindings/lua/load/kept_policy.h"

#include <string_view>
#include <utility>

#include "runtime/base/packing.h"
#include "runtime/rules/packed.h"

namespace gibbous::lua {

template <typename A>
void fields(A& all, TestOrigin& each) {
  auto& [module, item] = each;
  all(module, item);
}

std::optional<KeptPolicy> find_kept_policy(const KeptPlace& place) {
  std::optional<KeptFile> file = find_kept_file(place);
  if (!file) return std::nullopt;
  KeptPolicy kept;
  std::string_view rules;
  Unpacker all(file->rest);
  all(kept.read.tests, rules);
  if (!all.at_end()) return std::nullopt;
  auto unpacked = rules::unpack(rules, file->owner);
  if (!unpacked) return std::nullopt;
  kept.files = std::move(file->files);
  kept.read.chunks = std::move(file->chunks);
  kept.read.knowledge = unpacked->shared_knowledge();
  kept.read.rules = std::move(unpacked);
  return kept;
}

void keep_policy(const KeptPlace& place, const KeptPolicy& policy) {
  if (place.state_dir.empty() || policy.read.rules == nullptr || policy.read.chunks == nullptr) {
    return;
  }
  std::string rules;
  rules::pack(*policy.read.rules, &rules);
  std::string rest;
  Packer all(&rest);
  all(policy.read.tests, rules);
  keep_file(place, policy.files, *policy.read.chunks, rest);
}

}  // namespace gibbous::lua
