#include "runtime/rules/rule_store.h"

#include <stdexcept>
#include <utility>

namespace gibbous::rules {

RuleStore::RuleStore(std::vector<Rule> rules)
    : whole_(std::move(rules)), size_(whole_.size()), rules_(whole_.data()) {}

RuleStore::RuleStore(PackedNames packed, Unpack unpack)
    : packed_(std::move(packed)),
      unpack_(unpack),
      size_(packed_.items()),
      rules_(std::allocator<Rule>().allocate(size_)),
      made_(std::make_unique<std::atomic<bool>[]>(size_)) {}

RuleStore::~RuleStore() {
  if (made_ == nullptr) return;
  for (std::size_t index = 0; index < size_; ++index) {
    if (made_[index].load(std::memory_order_acquire)) std::destroy_at(rules_ + index);
  }
  std::allocator<Rule>().deallocate(rules_, size_);
}

std::span<const Rule> RuleStore::all() const {
  for (std::size_t index = 0; index < size_; ++index) (void)at(index);
  return {rules_, size_};
}

const Rule& RuleStore::make(std::size_t index) const {
  constexpr const char* kBroken = "the packed rules of a policy are broken";
  if (index >= size_) throw std::runtime_error(kBroken);
  const std::lock_guard lock(mutex_);
  if (made_[index].load(std::memory_order_relaxed)) return rules_[index];
  Rule rule;
  if (!unpack_(packed_.bytes(index), &rule)) throw std::runtime_error(kBroken);
  std::construct_at(rules_ + index, std::move(rule));
  made_[index].store(true, std::memory_order_release);
  return rules_[index];
}

}  // namespace gibbous::rules
