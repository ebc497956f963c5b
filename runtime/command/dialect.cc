#include "runtime/command/dialect.h"

#include <algorithm>
#include <iterator>

#include "runtime/command/characters.h"

namespace gibbous::command {
namespace {

// What stands only in lines that dialects read differently, or may. A word may be part of another.
constexpr std::string_view kMarks[] = {
    "$'",    "$\"",    "$[",    "$((",      "${",       "{",       "&>",     "|&",      ";;",
    ";&",    "<<",     "<(",    ">(",       "((",       "[[",      "=(",     "+=",      "]=",
    "`",     "( ",     "(\t",   "export",   "readonly", "~+",      "~-",     "!(",      "@(",
    "?(",    "*(",     "+(",    "()",       "\\\n",     "alias",   "coproc", "declare", "echo -",
    "exec ", "local",  "let",   "function", "getopts",  "mapfile", "popd",   "printf",  "pushd",
    "read",  "select", "shopt", "time",     "typeset"};

constexpr std::string_view kOthers =
    " ksh ksh93 ksh2020 pdksh oksh loksh posh osh yash brush zsh rzsh csh tcsh fish nu xonsh "
    "elvish "
    "oil ysh ion murex ngs closh dune-shell rash rc es scsh pwsh hush lash ";

Dialects named(std::string_view name) {
  const std::string_view plain = name.substr(0, name.find_first_of("0123456789.-"));  // bash5.2
  if (plain == "bash" || name == "rbash") return bit_of(Dialect::kBash);
  if (name == "dash") return bit_of(Dialect::kDash);
  // A busybox may be built without what it has of bash.
  if (name == "ash" || plain == "busybox")
    return bit_of(Dialect::kBusybox) | bit_of(Dialect::kDash);
  if (plain == "mksh" || name == "lksh") return kAnyDialect | kKornShell;
  const bool other = plain == "zsh" || kOthers.find(" " + std::string(name) + " ") != kOthers.npos;
  return other ? kAnyDialect | kForeignShell : Dialects{0};
}

}  // namespace

Dialects dialects_of(std::string_view program, const ResolvePath& resolve) {
  std::string_view name = program.substr(program.rfind('/') + 1);
  if (name.starts_with('-')) name.remove_prefix(1);  // a login shell
  const bool shared = name == "sh";
  const bool is_path = program.find('/') != std::string_view::npos;
  const bool is_system = program.starts_with("/usr/") || program.starts_with("/bin/");
  if (!shared && (!is_path || is_system)) return named(name);
  const auto real = resolve ? resolve(is_path ? std::string(program) : "/bin/sh") : std::nullopt;
  const Dialects found =
      real ? named(std::string_view(*real).substr(real->rfind('/') + 1)) : Dialects{0};
  if (!shared) return found != 0 ? found : named(name);
  if (found == bit_of(Dialect::kBash)) return bit_of(Dialect::kPosixBash);
  return found != 0 ? found : kAnyDialect;
}

bool may_differ(std::string_view text) {
  const auto holds = [text](std::string_view mark) { return text.find(mark) != text.npos; };
  if (std::any_of(std::begin(kMarks), std::end(kMarks), holds)) return true;
  for (std::size_t at = text.find_first_of("<>"); at != text.npos;
       at = text.find_first_of("<>", at + 1)) {
    const auto digit = [&](std::size_t back) {  // 10>x
      return at >= back && is_digit(static_cast<unsigned char>(text[at - back]));
    };
    if (digit(1) && digit(2)) return true;
  }
  return false;
}

}  // namespace gibbous::command
