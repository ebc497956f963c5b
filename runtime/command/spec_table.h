// SpecTable: what the analyser knows of programs, by their names. Read back from packed bytes it is
// lazy: a policy knows thousands of programs, of which a command names a few, so an entry is
// unpacked when somebody finds it. Immutable to those who share it, any thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/base/packed_names.h"

namespace gibbous::command {

template <typename T>
class SpecTable {
 public:
  using Entry = std::shared_ptr<const T>;
  using Map = std::unordered_map<std::string, Entry>;
  // Returns null for bytes that are not those of one entry.
  using Unpack = Entry (*)(std::string_view);

  SpecTable() = default;
  SpecTable(std::initializer_list<typename Map::value_type> entries) : whole_(entries) {}
  // Knows the names of `packed`, and unpacks what they name by `unpack`.
  SpecTable(PackedNames packed, Unpack unpack)
      : lazy_(std::make_shared<Lazy>(std::move(packed), unpack)) {}

  // Returns null for an unknown name.
  const T* find(const std::string& name) const {
    if (lazy_ != nullptr) return lazy_->find(name);
    const auto found = whole_.find(name);
    return found == whole_.end() ? nullptr : found->second.get();
  }
  std::size_t count(const std::string& name) const { return find(name) == nullptr ? 0 : 1; }
  // Everything, which unpacks what has not been.
  const Map& whole() const { return lazy_ != nullptr ? lazy_->whole() : whole_; }
  const Entry& at(const std::string& name) const { return whole().at(name); }
  // For those who make the table.
  Entry& operator[](const std::string& name) { return whole_[name]; }

 private:
  struct Lazy {
    Lazy(PackedNames bytes, Unpack by) : packed(std::move(bytes)), unpack(by) {}

    const T* find(std::string_view name) {
      const auto item = packed.find(name);
      return item ? entry(*item).get() : nullptr;
    }
    // The entries of names that mean the same are one.
    Entry entry(std::size_t item) {
      const std::lock_guard lock(mutex);
      Entry& made = entries[item];
      if (made == nullptr) made = unpack(packed.bytes(item));
      // Nobody packs such an entry; without it, a program would seem unknown.
      if (made == nullptr) throw std::runtime_error("the packed knowledge of a program is broken");
      return made;
    }
    const Map& whole() {
      std::call_once(once, [this] {
        packed.each([this](std::string_view name, std::size_t item) {
          all.emplace(std::string(name), entry(item));
        });
      });
      return all;
    }

    const PackedNames packed;
    const Unpack unpack;
    std::mutex mutex;
    std::unordered_map<std::size_t, Entry> entries;  // those that have been unpacked
    std::once_flag once;
    Map all;
  };

  Map whole_;                   // without lazy_
  std::shared_ptr<Lazy> lazy_;  // may be null
};

}  // namespace gibbous::command
