// Faults: every error in the tables of a policy, so that an author can mend them all at once. The
// readers of policy tables fill it; the code that loads or checks a policy makes it and supplies
// the sources. Loop thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bindings/lua/source/source_index.h"
#include "bindings/lua/vm/state.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr std::size_t kMaxFaults = 50;

class Faults {
 public:
  // Returns the file of the module that returned the value at an index, or "".
  using FileOfValue = std::function<std::string(lua_State*, int)>;

  // `sources` may be null and must outlive this; without them no fault has a line.
  explicit Faults(const SourceIndex* sources = nullptr, FileOfValue file_of_value = nullptr)
      : sources_(sources), file_of_value_(std::move(file_of_value)) {}

  void add(const SourcePlace& place, std::string message);
  bool none() const { return list_.empty(); }
  // Takes no more faults: further reading is pointless.
  bool full() const { return list_.size() >= kMaxFaults; }
  std::size_t count() const { return list_.size(); }
  const std::vector<ScriptError>& list() const { return list_; }
  // Lists the faults, one per line, as "file:line: message", and whether there may be more.
  std::string text() const;
  // Sorts the faults from `first` on, because tables have no order.
  void sort_from(std::size_t first);

  const SourceIndex& sources() const;
  std::string file_of_value(lua_State* state, int index) const {
    return file_of_value_ ? file_of_value_(state, index) : std::string();
  }

 private:
  const SourceIndex* sources_;
  FileOfValue file_of_value_;
  std::vector<ScriptError> list_;
};

}  // namespace gibbous::lua
