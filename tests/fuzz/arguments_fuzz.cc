// libFuzzer entry for the arguments of a call and the check against a tool's schema: the input is a
// schema, a zero byte, and the arguments. Both parts come from outside. Built with clang and
// GIBBOUS_FUZZ.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/vm/arguments.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxBytes = 4096;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = input.find('\0');
  if (zero == std::string_view::npos) return 0;
  const auto schema = gibbous::lua::parse_arguments(std::string(input.substr(0, zero)), kMaxBytes);
  auto value = gibbous::lua::parse_arguments(std::string(input.substr(zero + 1)), kMaxBytes);
  if (!schema.ok() || !value.ok()) return 0;
  const auto check = gibbous::lua::SchemaCheck::compile(*schema);
  if (!check.ok()) return 0;
  if (!(*check)->apply(*value).ok()) return 0;
  // What was filled in holds too: nothing changes the second time.
  const gibbous::Json once = *value;
  if (!(*check)->apply(*value).ok() || *value != once) std::abort();
  return 0;
}
