// The request as `decide` sees it: the table that scripts/meta/policy.lua calls Effect. Inside a
// protected call.
#pragma once

#include <string>

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

// Pushes one table. Its fields are those of to_json(PolicyRequest), with `judged`, `approved` and
// `seen`.
void push_request(lua_State* state, const DecideFields& fields);

}  // namespace gibbous::lua
