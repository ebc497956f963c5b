// ScriptStore: small JSON values that scripts keep beyond a call and beyond a reload, in a
// namespace for each script file. In memory, bounded; made by the host, reached through Context.
// Loop thread only.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

struct StoreLimits {
  std::size_t value_bytes = std::size_t{256} << 10;    // as JSON text
  std::size_t namespace_bytes = std::size_t{4} << 20;  // keys and values
  std::size_t key_bytes = 256;
};

class ScriptStore {
 public:
  explicit ScriptStore(StoreLimits limits = {}) : limits_(limits) {}

  // Returns null when there is none; valid until the next set or erase.
  const Json* get(const std::string& space, const std::string& key) const;
  // Fails with value_too_large or store_full, and leaves everything as it was.
  Status set(const std::string& space, const std::string& key, Json value);
  // Returns false when there was none.
  bool erase(const std::string& space, const std::string& key);
  // Returns the keys in alphabetical order.
  std::vector<std::string> keys(const std::string& space, const std::string& prefix) const;
  const StoreLimits& limits() const { return limits_; }

 private:
  struct Entry {
    Json value;
    std::size_t bytes = 0;
  };
  struct Space {
    std::map<std::string, Entry> entries;
    std::size_t bytes = 0;
  };
  StoreLimits limits_;
  std::map<std::string, Space> spaces_;
};

}  // namespace gibbous::lua
