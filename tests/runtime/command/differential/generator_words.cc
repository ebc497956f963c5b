// Generator: random numbers, words under all forms of quoting, substitutions in all places.
#include "tests/runtime/command/differential/generator.h"

#include <algorithm>
#include <cstdio>

namespace gibbous::command::testing {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+";

bool ends_line(std::string_view code) {
  return !code.empty() && code.back() == '\n';
}

}  // namespace

Generator::Generator(std::uint64_t seed, Lines lines)
    : state_(seed * 0x9E3779B97F4A7C15U + 0x1234567U), lines_(lines) {}

std::uint32_t Generator::below(std::uint32_t bound) {  // splitmix64
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return static_cast<std::uint32_t>(z >> 32U) % bound;
}

std::string Generator::pick(const std::vector<const char*>& from) {
  return from[below(static_cast<std::uint32_t>(from.size()))];
}

std::string Generator::id() {
  return pick({"m1", "m2", "m3"});
}

std::string Generator::blank() {
  if (chance(85)) return " ";
  return pick({"\t", "  ", " \\\n ", "\\\n ", " \t "});
}

std::string Generator::single(std::string_view text) const {
  std::string made = "'";
  for (const char each : text) made += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return made + "'";
}

std::string Generator::doubled(std::string_view text) const {
  std::string made = "\"";
  for (const char each : text) {
    if (std::string_view("\\\"$`").find(each) != std::string_view::npos) made += '\\';
    made += each;
  }
  return made + "\"";
}

std::string Generator::ansi(std::string_view text) {
  std::string made = "$'";
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    char buffer[16];
    switch (byte >= 0x80 ? 0 : below(8)) {
      case 0:
        (void)snprintf(buffer, sizeof buffer, "\\x%02x", byte);
        made += buffer;
        break;
      case 1:
        (void)snprintf(buffer, sizeof buffer, "\\%03o", byte);
        made += buffer;
        break;
      case 2:
        (void)snprintf(buffer, sizeof buffer, "\\u%04x", byte);
        made += buffer;
        break;
      default:
        if (each == '\n') {
          made += "\\n";
        } else {
          if (each == '\'' || each == '\\') made += '\\';
          made += each;
        }
    }
  }
  return made + "'";
}

std::string Generator::quote(std::string_view text) {
  switch (below(posix() ? 4 : 6)) {
    case 0:
    case 1:
      return single(text);
    case 2:
    case 3:
      return doubled(text);
    case 4:
      return ansi(text);
    default:
      return spell(text);
  }
}

std::string Generator::spell(std::string_view text) {
  std::string made;
  std::size_t at = 0;
  const bool simple = chance(40);
  while (at < text.size()) {
    const std::size_t size =
        simple ? text.size() : std::min<std::size_t>(1 + below(4), text.size() - at);
    const std::string_view piece = text.substr(at, size);
    at += size;
    const bool plain = piece.find_first_not_of(kPlain) == std::string_view::npos;
    switch (below(posix() ? 7 : 10)) {
      case 0:
        made += single(piece);
        break;
      case 1:
        made += doubled(piece);
        break;
      case 2:
        for (const char each : piece) {
          made += each == '\n' ? std::string("'\n'") : std::string("\\") + each;
        }
        break;
      case 3:
        made += plain ? std::string(piece) + "\\\n" : single(piece);
        break;
      case 4:
        made += plain ? std::string(piece) + pick({"''", "\"\""}) : single(piece);
        break;
      case 7:
        made += ansi(piece);
        break;
      case 8:
        made += "$" + doubled(piece);
        break;
      default:
        made += plain ? std::string(piece) : quote(piece);
    }
  }
  return made;
}

std::string Generator::backticks(std::string_view code) const {
  std::string made = "`";
  for (const char each : code) {
    if (std::string_view("\\$`").find(each) != std::string_view::npos) made += '\\';
    made += each;
  }
  return made + "`";
}

std::string Generator::ended(const std::string& code) {
  if (ends_line(code)) return code;
  if (!code.empty() && code.back() == '&') return code + "\n";
  if (code.find('#') != std::string::npos) return code + "\n";
  return code + pick({";", "; ", "\n", " ;"});
}

std::string Generator::substitution(const std::string& code) {
  const bool line = ends_line(code) || code.find("<<") != std::string::npos ||
                    code.find('#') != std::string::npos;
  if (chance(35) && !line) return backticks(code);
  return "$(" + std::string(chance(30) ? " " : "") + code + (line ? "\n" : "") + ")";
}

std::string Generator::join(const std::vector<std::string>& statements) {
  std::string made;
  for (const std::string& each : statements) {
    if (!made.empty() && !ends_line(made)) {
      const bool background = made.back() == '&';
      const bool comment = made.find('#') != std::string::npos;
      if (background) {
        made += " ";
      } else {
        made += comment || made.find("<<") != std::string::npos
                    ? "\n"
                    : pick({"; ", ";", "\n", " ;\n", "; ", ";\t", "\n\n", "; #c;\n", "\n\t"});
      }
    }
    made += each;
  }
  return made;
}

// Every place in which a substitution runs.
std::string Generator::embedded(const std::string& code) {
  const std::string command = substitution(code);
  const std::string name = variable();
  switch (below(posix() ? 20 : 44)) {
    case 0:
      return "echo " + command;
    case 1:
      return "echo \"a " + command + " b\"";
    case 2:
      return name + "=" + command;
    case 3:
      return name + "=\"" + command + "\"";
    case 4:
      return ": \"${nope:-" + command + "}\"";
    case 5:
      return ": ${nope-" + command + "}";
    case 6:
      return ": ${" + name + "+" + command + "} ${HOME:+\"" + command + "\"}";
    case 7:
      return ": \"${HOME#" + command + "}\"";
    case 8:
      return "case " + command + " in *) : ;; esac";
    case 9:
      return "case a in " + command + ") : ;; *) : ;; esac";
    case 10:
      return "for " + name + " in a " + command + "; do :; done";
    case 11:
      return "cat <<E\nline $ \\$x " + command + "\nE\n";
    case 12:
      return "cat <<-E\n\ta\n\t" + command + "\n\tE\n";
    case 13:
      return ": > \"" + pick({"a", "b"}) + command + "\"";
    case 14:
      return ": $((1 + " + command + "))";
    case 15:
      return "echo \"$((" + command + " * 2))\"";
    case 16:
      return "A=" + command + " B=2 true";
    case 17:
      return command;
    case 18:
      return "set -- " + command;
    case 19:
      return "if test -n \"" + command + "\"; then :; fi";
    case 20:
      return "cat <<< " + command;
    case 21:
      return "a=(1 " + command + " 3)";
    case 22:
      return "a[0" + command + "]=1";
    case 23:
      return ": ${a[0" + command + "]}";
    case 24:
      return ": \"${HOME/" + command + "/x}\" \"${HOME//x/" + command + "}\"";
    case 25:
      return "[[ -n " + command + " || x == " + command + " ]]";
    case 26:
      return "(( 1 + 0" + command + " ))";
    case 27:
      return ": $[1 + 0" + command + "]";
    case 28:
      return "cat <(" + code + "\n)";
    case 29:
      return ": > >(" + code + "\n)";
    case 30:
      return ": ${HOME:0" + command + "} ${HOME^^" + command + "}";
    case 31:
      return "for (( i=0" + command + "; i<1; i++ )); do :; done";
    case 32:
      return "a=([0]=" + command + " [1" + command + "]=x)";
    case 33:
      return "echo {a,b}" + command;
    case 34:
      return "declare " + name + "=" + command;
    case 35:
      return "[[ a =~ " + command + " ]]";
    case 36:
      return "echo \"${nope:-\"" + command + "\"}\" 'a'";
    case 37:
      return "cat <<E | cat\n${nope:-" + command + "}\nE\n";
    case 38:
      return "cat < <(" + code + "\n)";
    case 39:
      return name + "+=" + command;
    case 40:
      return ": \"${nope:=" + command + "}\" \"${HOME%%" + command + "}\"";
    case 41:
      return "echo " + pick({"@(a|", "*(", "!("}) + command + ") 2>/dev/null";
    case 42:
      return "cat <<E\n$((0" + command + "))\nE\n";
    default:
      return "echo \"$(echo \"" + command + "\")\"";
  }
}

}  // namespace gibbous::command::testing
