// The request as `decide` sees it: the table that scripts/meta/policy.lua calls Effect. Inside a
// protected call.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/policy_request.h"

struct lua_State;

namespace gibbous::lua {

struct DecideFields {
  const PolicyRequest* request = nullptr;
  const Judgement* judgement = nullptr;  // of its commands; null: there are none
  std::string unmatched;                 // a program that no rule matches, as it is shown
  bool approved = false;
  bool seen = false;
  const PathVariables* places = nullptr;  // what the variables of profiles stand for
};

inline constexpr std::size_t kEffectFields = 40;
// The fields of an effect that `decide` looks at.
using EffectReads = std::bitset<kEffectFields>;
inline const EffectReads kAllEffectFields = EffectReads().set();

// Adds the field with this name. Returns false where no effect has one.
bool add_effect_field(std::string_view name, EffectReads* reads);

// Pushes one table. Its fields are those of to_json(PolicyRequest), with `judged`, `approved` and
// `seen`, as far as `reads` has them.
void push_request(lua_State* state, const DecideFields& fields, const EffectReads& reads);

// Returns bytes that are the same for two requests only if push_request pushes the same for both.
std::string request_key(const DecideFields& fields, const EffectReads& reads);

}  // namespace gibbous::lua
