#include "bindings/lua/api/script_store.h"

#include <utility>

#include "bindings/json/text.h"

namespace gibbous::lua {

const Json* ScriptStore::get(const std::string& space, const std::string& key) const {
  const auto found = spaces_.find(space);
  if (found == spaces_.end()) return nullptr;
  const auto entry = found->second.entries.find(key);
  return entry == found->second.entries.end() ? nullptr : &entry->second.value;
}

Status ScriptStore::set(const std::string& space, const std::string& key, Json value) {
  const std::size_t size = to_text(value).size();
  if (size > limits_.value_bytes) {
    return Status::error("value_too_large", "the value of '" + key + "' takes " +
                                                std::to_string(size) +
                                                " bytes as JSON, more than the limit of " +
                                                std::to_string(limits_.value_bytes));
  }
  Space& there = spaces_[space];
  const auto old = there.entries.find(key);
  const std::size_t freed = old == there.entries.end() ? 0 : old->second.bytes;
  const std::size_t bytes = key.size() + size;
  if (there.bytes - freed + bytes > limits_.namespace_bytes) {
    return Status::error("store_full", "the store of this script would take more than " +
                                           std::to_string(limits_.namespace_bytes) +
                                           " bytes; delete what is no longer needed");
  }
  there.bytes = there.bytes - freed + bytes;
  there.entries[key] = Entry{std::move(value), bytes};
  return {};
}

bool ScriptStore::erase(const std::string& space, const std::string& key) {
  const auto found = spaces_.find(space);
  if (found == spaces_.end()) return false;
  const auto entry = found->second.entries.find(key);
  if (entry == found->second.entries.end()) return false;
  found->second.bytes -= entry->second.bytes;
  found->second.entries.erase(entry);
  if (found->second.entries.empty()) spaces_.erase(found);
  return true;
}

std::vector<std::string> ScriptStore::keys(const std::string& space,
                                           const std::string& prefix) const {
  std::vector<std::string> keys;
  const auto found = spaces_.find(space);
  if (found == spaces_.end()) return keys;
  const auto& entries = found->second.entries;
  for (auto each = entries.lower_bound(prefix); each != entries.end(); ++each) {
    if (each->first.compare(0, prefix.size(), prefix) != 0) break;
    keys.push_back(each->first);
  }
  return keys;
}

}  // namespace gibbous::lua
