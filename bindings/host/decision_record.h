// One decision of the policy as one line of JSON, as the journal keeps it: the request, the
// verdict, and a person's answer. Secrets are redacted and long texts are cut. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bindings/lua/call/engine.h"
#include "runtime/audit/redact.h"
#include "runtime/journal/record.h"

namespace gibbous::host {

inline constexpr std::size_t kMaxDecisionBytes = std::size_t{256} << 10;

// Returns at most kMaxDecisionBytes. `at` is in Unix milliseconds.
std::string decision_json(const lua::Decided& decided, const Redactor& redactor, std::int64_t at);

DecisionRecord decision_record(const lua::Decided& decided, std::string json, std::int64_t at);

// Takes the place of `count` decisions that could not be recorded: {"version":1,"time":...,
// "lost":count}.
DecisionRecord gap_record(std::uint64_t count, std::int64_t at);

}  // namespace gibbous::host
