// Reads untrusted JSON into values of C++: what is of another type leaves the value as it is, and a
// list or map takes those of its elements that have the type. Pure, any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/json/member.h"

namespace gibbous {

// Returns whether `from` has the type.
template <typename T>
bool read_value(const Json& from, T& value) {
  const Json wanted = value;
  const bool fits = wanted.is_number() ? from.is_number_integer() : wanted.type() == from.type();
  if (fits) value = from.get<T>();
  return fits;
}
inline bool read_value(const Json& from, Json& value) {
  value = from;
  return true;
}
template <typename T>
bool read_value(const Json& from, std::optional<T>& value) {
  T read{};
  const bool fits = read_value(from, read);
  if (fits) value = std::move(read);
  return fits;
}
template <typename T>
bool read_value(const Json& from, std::vector<T>& list) {
  if (!from.is_array()) return false;
  for (const Json& each : from) {
    if (T read{}; read_value(each, read)) list.push_back(std::move(read));
  }
  return true;
}
template <typename T>
bool read_value(const Json& from, std::map<std::string, T>& map) {
  if (!from.is_object()) return false;
  for (const auto& [name, each] : from.items()) {
    if (T read{}; read_value(each, read)) map[name] = std::move(read);
  }
  return true;
}

// The same of a member that is there.
template <typename T>
void read_member(const Json& from, const char* name, T& value) {
  if (const Json* found = find_member(from, name)) read_value(*found, value);
}

}  // namespace gibbous
