// SpecTable: what the analyser knows of programs, by their names; names that mean the same share an
// entry. Immutable to those who share it, any thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>

namespace gibbous::command {

template <typename T>
class SpecTable {
 public:
  using Entry = std::shared_ptr<const T>;
  using Map = std::unordered_map<std::string, Entry>;

  SpecTable() = default;
  SpecTable(std::initializer_list<typename Map::value_type> entries) : all_(entries) {}

  // Returns null for an unknown name.
  const T* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : found->second.get();
  }
  std::size_t count(const std::string& name) const { return all_.count(name); }
  const Entry& at(const std::string& name) const { return all_.at(name); }
  // For those who make the table.
  Entry& operator[](const std::string& name) { return all_[name]; }

 private:
  Map all_;
};

}  // namespace gibbous::command
