// RuleStore: the rules of a set, in one piece of memory, so that their addresses tell their order.
// A packed rule is made when somebody asks for it: a policy has hundreds, and a command meets a
// few. Private to runtime/rules. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/packed_names.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {

class RuleStore {
 public:
  explicit RuleStore(std::vector<Rule> rules);
  // Returns false for bytes that are not those of one rule.
  using Unpack = bool (*)(std::string_view bytes, Rule* rule);
  // The items of `packed` are the rules.
  RuleStore(PackedNames packed, Unpack unpack);
  ~RuleStore();
  RuleStore(const RuleStore&) = delete;
  RuleStore& operator=(const RuleStore&) = delete;

  std::size_t size() const { return size_; }
  // Throws std::runtime_error where there is no such rule, or its bytes are broken: nobody packs
  // those, and a rule must not get lost.
  const Rule& at(std::size_t index) const {
    if (index < size_ && (made_ == nullptr || made_[index].load(std::memory_order_acquire)))
      return rules_[index];
    return make(index);
  }
  // Makes those that have not been.
  std::span<const Rule> all() const;

 private:
  const Rule& make(std::size_t index) const;

  std::vector<Rule> whole_;  // or packed_
  PackedNames packed_;
  Unpack unpack_ = nullptr;
  std::size_t size_ = 0;
  Rule* rules_ = nullptr;                      // of whole_, or memory for all of packed_
  std::unique_ptr<std::atomic<bool>[]> made_;  // which of those are rules; null: of whole_
  mutable std::mutex mutex_;
};

}  // namespace gibbous::rules
