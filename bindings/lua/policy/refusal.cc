// See refusal.h.
#include "bindings/lua/policy/refusal.h"

#include <string_view>

namespace gibbous::lua {
namespace {

const char* shown(RequestKind kind) {
  switch (kind) {
    case RequestKind::kCall:
      return "this";
    case RequestKind::kStart:
      return "the start";
    case RequestKind::kStdin:
      return "the input";
    case RequestKind::kKill:
      return "the signal";
  }
  return "this";
}

}  // namespace

std::string refusal_text(const std::string& what, const Verdict& verdict) {
  constexpr std::string_view kBreak = ": ";
  std::string text = what;
  if (!verdict.rule.empty()) text += " (rule " + verdict.rule + ")";
  if (verdict.reason.empty()) return text;
  const std::size_t at = verdict.reason.find(kBreak);
  // A person's words and faults of the policy have colons of their own.
  const bool names_way = at < verdict.reason.find('\n') && verdict.rule != kErrorRule &&
                         !verdict.reason.starts_with(kNotApproved);
  if (!names_way) return text + ": " + verdict.reason;
  text += ": " + verdict.reason.substr(0, at);
  return text + ".\nInstead: " + verdict.reason.substr(at + kBreak.size());
}

Status refused_effect(RequestKind kind, const Verdict& verdict) {
  const bool asks = verdict.decision == Verdict::Decision::kAsk;
  const std::string what = std::string(shown(kind)) + (asks ? " needs approval" : " was denied");
  return Status::error(asks ? "needs_approval" : "denied", refusal_text(what, verdict));
}

}  // namespace gibbous::lua
