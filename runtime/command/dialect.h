// The languages of shells, and which of them a program reads. The parser and the analyser take one
// of them at a time; where the shell that runs is not certain, a line is read in each. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gibbous::command {

enum class Dialect : std::uint8_t {
  kBash,
  kPosixBash,  // bash that is called sh, or under POSIXLY_CORRECT
  kDash,
  kBusybox,
};
inline constexpr Dialect kAllDialects[] = {Dialect::kBash, Dialect::kPosixBash, Dialect::kDash,
                                           Dialect::kBusybox};

// A set of dialects.
using Dialects = std::uint8_t;
constexpr Dialects bit_of(Dialect dialect) {
  return static_cast<Dialects>(1U << static_cast<unsigned>(dialect));
}
inline constexpr Dialects kAnyDialect = 0x0F;
// A shell whose language is none of them: read in all of them, so that what they find is denied,
// and doubted: always, or for one that is close to them, where its line has what they differ in.
inline constexpr Dialects kForeignShell = 0x10;
inline constexpr Dialects kKornShell = 0x20;

constexpr bool is_bash(Dialect dialect) {
  return dialect == Dialect::kBash || dialect == Dialect::kPosixBash;
}

// Returns what the shell `program`, a name or a path, may read. A name that shells share is looked
// up by `resolve`, which follows links; without it, or where that says no more, any dialect.
// Returns 0 for a program that is no shell.
using ResolvePath = std::function<std::optional<std::string>(const std::string&)>;
Dialects dialects_of(std::string_view program, const ResolvePath& resolve);

// Returns false if the text means the same in all dialects, whatever stands around it.
bool may_differ(std::string_view text);

}  // namespace gibbous::command
