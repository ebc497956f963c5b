// Rules and knowledge as bytes, for those who keep what they have read of a policy. Read back, they
// judge as the ones that were written, but are not checked again: read only bytes that this very
// program wrote (bindings/lua/load/kept_policy.h sees to that). Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/rules/rules.h"

namespace gibbous::rules {

void pack(const RuleSet& rules, std::string* out);
// Returns null for bytes that are not right. A rule, and what is known of a program, is unpacked
// when it is asked for; the rules have no examples, which only tests need. `owner` keeps the bytes
// alive; null: they are copied.
std::shared_ptr<const RuleSet> unpack(std::string_view bytes,
                                      std::shared_ptr<const void> owner = nullptr);

}  // namespace gibbous::rules
