// Rules and knowledge as bytes, for those who keep what they have read of a policy. Read back, they
// judge as the ones that were written, but are not checked again: read only bytes that this very
// program wrote (bindings/lua/load/kept_policy.h sees to that). Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/rules/rules.h"

namespace gibbous::rules {

struct Unpacked {
  std::vector<Rule> rules;  // without examples, which only tests need
  std::shared_ptr<command::Knowledge> knowledge;
};

void pack(const std::vector<Rule>& rules, const command::Knowledge& knowledge, std::string* out);
// What is known of a program is unpacked when it is asked for. `owner` keeps the bytes alive; null:
// they are copied.
std::optional<Unpacked> unpack(std::string_view bytes, std::shared_ptr<const void> owner = nullptr);

}  // namespace gibbous::rules
