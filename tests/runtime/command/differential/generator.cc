// Generator: statements. A line is a few of them, about few variables and functions, so that they
// meet.
#include "tests/runtime/command/differential/generator.h"

namespace gibbous::command::testing {
namespace {

constexpr int kMostDepth = 4;
constexpr int kMostStatements = 9;

}  // namespace

// What one shell takes for a quotation, a pattern or an operator, another reads as commands.
std::string Generator::soup() {
  std::string made;
  const std::uint32_t count = 2 + below(11);
  for (std::uint32_t at = 0; at < count; ++at) {
    if (chance(35)) {
      made +=
          pick({"; mark ", "\nmark ", " && mark ", " || mark ", "mark ", " & mark ", " | mark "});
      made += id();
    } else {
      made += pick({"$'\\'",
                    "'",
                    "\"",
                    "$'",
                    "$\"",
                    "`",
                    "$[",
                    "]",
                    "[[ ",
                    " ]]",
                    "((",
                    "))",
                    "$((",
                    "${v:-",
                    "${HOME#",
                    "${HOME/",
                    "${v:0:",
                    "}",
                    "{",
                    " }",
                    "#",
                    " # ",
                    "\n",
                    "; ",
                    " <<E\n",
                    "\nE\n",
                    " <<$'E'\n",
                    " <<'E'\n",
                    " <<-E\n",
                    "\\\n",
                    "\\",
                    " case x in x) ",
                    " ;; esac",
                    ";&",
                    "|&",
                    " &> o ",
                    " &>> o ",
                    " >& o ",
                    " 10>o ",
                    " <<<",
                    "f() ",
                    "f",
                    "function f {",
                    "if true; then ",
                    "; fi",
                    "<(",
                    ">(",
                    ")",
                    "$(",
                    "(",
                    "! ",
                    "time ",
                    "v+=",
                    "a=(",
                    "~+",
                    "echo ",
                    ": ",
                    "eval ",
                    "sh -c ",
                    "bash -c ",
                    "alias e=",
                    "\ne ",
                    "local v=",
                    "export v=",
                    "$v ",
                    "${v",
                    "v=mark ",
                    "v=",
                    "\"$v\" ",
                    "for v in ",
                    "; do ",
                    "; done",
                    "coproc ",
                    "select ",
                    "declare v=",
                    "false && ",
                    "true || ",
                    " \t",
                    "\"${v:-",
                    "'\"",
                    "\"'",
                    "''",
                    "@(",
                    "!(",
                    "{mark,m1}",
                    "\\'",
                    "\\\"",
                    "\\`",
                    "$",
                    "*",
                    "=",
                    " cat",
                    " | sh",
                    "mark m1"});
    }
  }
  return made;
}

std::string Generator::line_for(const std::string& shell, std::uint64_t seed) {
  constexpr Lines kOfBash[] = {Lines::kBash, Lines::kBash, Lines::kBash, Lines::kSoup};
  constexpr Lines kOfOthers[] = {Lines::kPosix, Lines::kMixed, Lines::kSoup, Lines::kMixed};
  const bool bash = shell == "bash" || shell == "posix";
  return Generator(seed, (bash ? kOfBash : kOfOthers)[seed % 4]).line();
}

std::string Generator::line() {
  if (lines_ == Lines::kSoup) return soup();
  left_ = kMostStatements;
  std::string made = statements(0, 1 + static_cast<int>(below(5)));
  switch (below(30)) {
    case 0:
      return made + "  # mark c";
    case 1:
      return "\n" + made + "\n";
    case 2:
      return made + "\r";
    case 3:
      return "\t" + made + " ";
    case 4:
      return made + (made.back() == '\n' ? "" : " &");
    default:
      return made;
  }
}

std::string Generator::statements(int depth, int most) {
  std::vector<std::string> all;
  const int count = 1 + static_cast<int>(below(static_cast<std::uint32_t>(most)));
  for (int at = 0; at < count; ++at) {
    if (left_-- <= 0 && at > 0) break;
    all.push_back(statement(depth));
  }
  return join(all);
}

std::string Generator::statement(int depth) {
  if (depth >= kMostDepth) return chance(50) ? mark(depth) : use();
  switch (below(20)) {
    case 0:
    case 1:
    case 2:
      return mark(depth);
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
      return change();
    case 8:
    case 9:
    case 10:
    case 11:
      return use();
    case 12:
    case 13:
      return embedded(statements(depth + 1, 2));
    case 14:
      return indirect(depth);
    case 15:
      return piped(depth);
    case 16:
      return evaluated(depth);
    default:
      return compound(depth);
  }
}

std::string Generator::redirection() {
  if (posix()) return pick({">o", "2>&1", "</dev/null", "2>/dev/null", ">>o", "1>&2", "3>o"});
  return pick({">o", "2>&1", "</dev/null", "&>o", "2>/dev/null", ">>o", "<<<x", ">|o", "1>&2",
               "3>o", "{fd}>o", "&>>o", "<>o", "< nofile"});
}

std::string Generator::mark(int /*depth*/) {
  const std::string name = chance(90) ? spell("mark") : std::string("/tmp/bin/mark");
  std::string made = name + blank() + spell(id());
  if (chance(12)) made = redirection() + " " + made;
  if (chance(12)) made += " " + redirection();
  if (chance(10)) made = pick({"A=1 ", "A= B=\"x y\" ", "v=: ", "IFS=x "}) + made;
  if (chance(10))
    made += std::string(
        pick({" a*", " \"$v\"", " $w", " ~", " {", " }", " !", " if", " \xc3\xa9", " =", " -x"}));
  if (chance(8)) made = "! " + made;
  if (chance(5) && !posix()) made = pick({"time ", "time -p ", "coproc "}) + made;
  return made;
}

std::string Generator::value() {
  if (!posix() && chance(4)) return "~";  // in m1=~ as a word dash keeps it
  return pick({":",         "mark",        "ma",     "rk",   "m1",     "m2",      "''",
               "'mark m1'", "\"mark m2\"", "echo",   "true", "a=mark", "markxm3", "x",
               "MARK",      "'  mark  '",  "\"$v\"", "$w",   "$x",     "'$v'",    "~",
               "eval",      "'m*'",        "env",    "1",    "0"});
}

// What changes the state in which the rest of the line runs.
std::string Generator::change() {
  const std::string name = variable();
  const std::string text = value();
  const std::string called = function();
  switch (below(posix() ? 36 : 70)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return name + "=" + text;
    case 6:
      return "unset " + name;
    case 7:
      return pick({"false", "true", "test"}) + pick({" && ", " || "}) + name + "=" + text;
    case 8:
      return name + "=" + text + " true";
    case 9:
      return "(" + name + "=" + text + ")";
    case 10:
      return "{ " + name + "=" + text + "; }";
    case 11:
      return called + "() { " + name + "=" + text + "; }";
    case 12:
      return called + "() { \"$@\"; }";
    case 13:
      return called + "() { $1 $2; }";
    case 14:
      return called + "() { mark $1; }";
    case 15:
      return called + "() { " + name + "=$1; }";
    case 16:
      return called;
    case 17:
      return called + " " + text;
    case 18:
      return "set -- " + text + " " + value() + " " + value();
    case 19:
      return pick({"shift", "shift 2", "shift 0"});
    case 20:
      return "IFS=" + pick({"x", "=", ":", "''", "' '", "' x'"});
    case 21:
      return "unset IFS";
    case 22:
      return "export " + name + "=" + text;
    case 23:
      return "readonly " + name + "=" + text;
    case 24:
      return ": ${" + name + pick({":=", "="}) + text + "}";
    case 25:
      return name + "=" + text + " " + variable() + "=" + value();
    case 26:
      return "read " + name + " " + variable() + " <<E\n" + pick({"mark m1", "mark", "m1 mark"}) +
             "\nE\n";
    case 27:
      return "if " + pick({"true", "false"}) + "; then " + name + "=" + text + "; else " +
             variable() + "=" + value() + "; fi";
    case 28:
      return "for " + name + " in " + text + " " + value() + "; do :; done";
    case 29:
      return "eval " + name + "=" + text;
    case 30:
      return "eval '" + name + "=mark'";
    case 31:
      return name + "=" + text + " " + called;
    case 32:
      return "unset -f " + called;
    case 33:
      return name + "=" + text + "& wait";
    case 34:
      return name + "=" + text + " < nofile";
    case 35:
      return called + "() { local " + name + "=" + text + "; " + variable() + "=" + value() + "; }";
    case 36:
      return name + "+=" + text;
    case 37:
      return "a=(" + text + " " + value() + ")";
    case 38:
      return "a+=(" + text + ")";
    case 39:
      return "a[1]=" + text;
    case 40:
      return "a=([1]=" + text + " [0]=" + value() + ")";
    case 41:
      return "printf -v " + name + " %s " + text;
    case 42:
      return "printf -v" + name + " " + text;
    case 43:
      return "read -r " + name + " " + variable() + " <<< " + text;
    case 44:
      return "read <<< " + text + "; " + name + "=$REPLY";
    case 45:
      return "mapfile -t a <<< " + text;
    case 46:
      return "declare " + name + "=" + text;
    case 47:
      return "declare -l " + name + "=" + text;
    case 48:
      return "declare -n " + name + "=" + variable();
    case 49:
      return "declare -r " + name + "=" + text;
    case 50:
      return called + "() { declare " + name + "=" + text + "; }";
    case 51:
      return called + "() { declare -g " + name + "=" + text + "; }";
    case 52:
      return "let " + name + "=" + pick({"1", "2"});
    case 53:
      return "(( " + name + "=" + pick({"1", "2"}) + " ))";
    case 54:
      return ": $((" + name + "=" + pick({"1", "2"}) + "))";
    case 55:
      return "unset 'a[0]'";
    case 56:
      return "read -a a <<< " + text;
    case 57:
      return "function " + called + " { $" + name + " $1; }";
    case 58:
      return "while read " + name + "; do :; done <<< " + text;
    case 59:
      return "read " + name + " < <(echo " + text + ")";
    case 60:
      return "shopt -s expand_aliases\nalias " + called + "=" + text + "\n";
    case 61:
      return "alias " + called + "='" + pick({"mark", "mark m1", "env ", "echo ", ":", "eval "}) +
             "'\n";
    case 62:
      return "unalias -a";
    case 63:
      return "echo " + text + " | { read " + name + "; }";
    case 64:
      return "shopt -s lastpipe; echo " + text + " | read " + name;
    case 65:
      return "getopts m " + name + " -m";
    case 66:
      return "set -o " + pick({"pipefail", "noglob"}) + " " + text;
    case 67:
      return "a=($" + name + " " + text + ")";
    case 68:
      return "export -f " + called;
    default:
      return "typeset -u " + name + "=" + text;
  }
}

// A command that is made of what changes before.
std::string Generator::use() {
  const std::string name = "$" + variable();
  const std::string bare = name.substr(1);
  const std::string other = "$" + variable();
  const std::string word = id();
  switch (below(posix() ? 24 : 44)) {
    case 0:
    case 1:
      return name + " " + word;
    case 2:
      return "\"" + name + "\" " + word;
    case 3:
      return name + other + " " + word;
    case 4:
      return name;
    case 5:
      return name + " " + other;
    case 6:
      return "mark " + name;
    case 7:
      return "mark \"" + name + "\"";
    case 8:
      return "\"$@\"";
    case 9:
      return "$* " + word;
    case 10:
      return "$1 " + word;
    case 11:
      return "$2 $3";
    case 12:
      return function() + " " + value() + " " + word;
    case 13:
      return function() + " mark " + word;
    case 14:
      return "${" + bare + pick({":-mark", "-mark", ":+mark", "+mark"}) + "} " + word;
    case 15:
      return "\"${" + bare + pick({"#x", "%x", "##*=", "%%x*"}) + "}\" " + word;
    case 16:
      return "eval " + name + " " + word;
    case 17:
      return "eval \"" + name + " " + word + "\"";
    case 18:
      return "env " + name + " " + word;
    case 19:
      return "sh -c '\"$0\" \"$@\"' " + name + " " + word;
    case 20:
      return "set -- " + name + " " + word + "; \"$@\"";
    case 21:
      return "for i in 1 2; do " + name + " " + word + "; " + change() + "\ndone";
    case 22:
      return "while test \"$i\" != xx; do i=x$i; mark " + name + "; " + change() + "\ndone";
    case 23:
      return "$(echo " + name + ") " + word;
    case 24:
      return "${a[0]} " + word;
    case 25:
      return "\"${a[@]}\"";
    case 26:
      return "${a[1]} " + word;
    case 27:
      return "${a[*]} " + word;
    case 28:
      return "$a " + word;
    case 29:
      return "${" + bare + pick({",,", "^^", "@L", "@U", "//x/ ", ":0:4", "/MARK/mark"}) + "} " +
             word;
    case 30:
      return "${!" + bare + "} " + word;
    case 31:
      return "\"${@:1:2}\"";
    case 32:
      return "mark ${a[" + name + "]}";
    case 33:
      return "{" + name + ",m1}";
    case 34:
      return name + "{,}" + " " + word;
    case 35:
      return "bash -c \"" + name + " " + word + "\"";
    case 36:
      return "bash -c 'f " + word + "; " + name + " " + word + "'";
    case 37:
      return "xargs " + name + " <<< " + word;
    case 38:
      return "coproc { " + name + " " + word + "; }";
    case 39:
      return function() + "\n" + name + " " + word;
    case 40:
      return "mark ${#" + bare + "}";
    case 41:
      return name + " " + word + " < nofile || mark " + other;
    case 42:
      return "f() { " + name + " $1; }; f " + word;
    default:
      return function() + " m1 | cat";
  }
}

// Code that `sh` reads, which is dash.
std::string Generator::for_sh(int depth, int most) {
  const Lines before = lines_;
  if (lines_ == Lines::kBash) lines_ = Lines::kMixed;
  std::string made = most > 0 ? statements(depth + 1, most) : mark(depth);
  lines_ = before;
  return made;
}

std::string Generator::indirect(int depth) {
  const std::string code = statements(depth + 1, 2);
  const std::string simple = mark(depth);
  const std::string word = id();
  switch (below(posix() ? 24 : 32)) {
    case 0:
    case 1:
      return "eval " + quote(code);
    case 2:
      return "eval " + spell("mark") + " " + quote(word);
    case 3:
      return "sh -c " + single("mark " + word);
    case 4:
      return "sh -c " + single("$0 $1") + " mark " + word;
    case 5:
      return "sh -c " + single("\"$@\"") + " sh mark " + word;
    case 6:
      return "env " + pick({"", "A=1 ", "-i PATH=$PATH ", "-u A ", "-- ", "- "}) + spell("mark") +
             " " + word;
    case 7:
      return "command " + pick({"", "-p ", "-- "}) + "mark " + word;
    case 8:
      return "(exec " + std::string(posix() ? "" : pick({"", "-a x ", "-c "})) + "/tmp/bin/mark " +
             word + ")";
    case 9:
      return "nohup mark " + word + " >/dev/null 2>&1";
    case 10:
      return "timeout " + pick({"5", "-k 1 5", "-s KILL 5"}) + " mark " + word;
    case 11:
      return "nice " + pick({"", "-n 1 ", "-1 "}) + "mark " + word;
    case 12:
      return "echo " + word + " | xargs mark";
    case 13:
      return "echo mark " + word + " | xargs " + pick({"env", "-n2 env", "env -i", "timeout 5"});
    case 14:
      return "echo " + word + " | xargs -I" + pick({"{}", "% ", "Q"}) + " sh -c 'mark " +
             pick({"{}", "%", "Q"}) + "'";
    case 15:
      return "echo mark | xargs -I" + std::string(pick({"% %", "{} {}", " Q Q"})) + " " + word;
    case 16:
      return "echo 'mark " + word + "' | xargs -I{} sh -c '{}'";
    case 17:
      return "find . -maxdepth 0 -exec mark " + word + " {} " + pick({"\\;", "+", "';'"});
    case 18:
      return "find . -maxdepth 0 -exec sh -c 'mark " + word + "' \\;";
    case 19:
      return "trap " + quote(code) + " EXIT";
    case 20:
      return "trap " + single("mark " + word) + " 0";
    case 21:
      return "eval \"eval " + word + "=1; mark " + word + "\"";
    case 22:
      return "eval eval " + single(single("mark " + word));
    case 23:
      return "env sh -c " + single(for_sh(depth, 0));
    case 24:
      return "bash -c " + quote(code);
    case 25:
      return "bash " + pick({"-ec", "-x -c", "+x -c", "-o errexit -c", "--norc -c"}) + " " +
             quote(simple);
    case 26:
      return "builtin " + pick({"eval", "command"}) + " mark " + word;
    case 27:
      return "source <(echo mark " + word + ")";
    case 28:
      return "xargs -a <(echo " + word + ") mark";
    case 29:
      return "env -S 'mark " + word + "'";
    case 30:
      return "trap " + quote(simple) + " DEBUG";
    default:
      return "command eval " + quote(simple);
  }
}

std::string Generator::piped(int depth) {
  const std::string code = statements(depth + 1, 2);
  const std::string simple = mark(depth);
  const std::string word = id();
  switch (below(posix() ? 11 : 27)) {
    case 0:
      return "sh <<E\nmark " + word + "\nE\n";
    case 1:
      return "sh <<'E'\n" + for_sh(depth, 2) + "\nE\n";
    case 2:
      return "sh <<-\\E\n\tmark " + word + "\n\tE\n";
    case 3:
      return "echo " + quote("mark " + word) + " | sh";
    case 4:
      return "printf " + quote(pick({"mark %s\\n", "m%s", "%s ", "\\155ark %s"}) + word) + " ark " +
             word + " | sh";
    case 5:
      return "{ echo " + quote("mark " + word) + "; echo :; } | sh";
    case 6:
      return "echo " + quote(for_sh(depth, 2)) + " | cat | sh";
    case 7:
      return "cat <<E | sh\nmark " + word + "\nE\n";
    case 8:
      return "echo mark " + word + " | while read v w; do $v $w; done";
    case 9:
      return "if true; then echo " + quote("mark " + word) + "; fi | sh -s a b";
    case 10:
      return "$(echo mark) " + word;
    case 11:
      return "bash <<< " + quote(simple);
    case 12:
      return "bash <<\"E F\"\n" + code + "\nE F\n";
    case 13:
      return "bash <(echo " + quote(simple) + ")";
    case 14:
      return "echo -e " + quote("mar\\x6b " + word) + " | bash";
    case 15:
      return "echo mark " + word + " > >(sh)";
    case 16:
      return "echo mark " + word + " | tee >(sh) >/dev/null";
    case 17:
      return "coproc sh; echo mark " + word + " >&${COPROC[1]}; eval \"exec ${COPROC[1]}>&-\"";
    case 18:
      return "exec 3<<< 'mark " + word + "'; sh <&3";
    case 19:
      return "sh /dev/fd/3 3<<< 'mark " + word + "'";
    case 20:
      return ". /dev/stdin <<< " + quote(simple);
    case 21:
      return "printf '%.4s%b\\n' markx '\\x20" + word + "' | sh";
    case 22:
      return "exec < <(echo mark " + word + "); sh";
    case 23:
      return "mapfile -t a <<< 'mark'; ${a[0]} " + word;
    case 24:
      return "while read -r l; do eval \"$l\"; done <<< " + quote(simple);
    case 25:
      return "f() { echo mark; }; $(f) " + word;
    default:
      return "bash -s <<< " + quote(simple) + " a b";
  }
}

std::string Generator::evaluated(int depth) {
  const std::string word = id();
  const std::string hidden = "a[$(mark " + word + ")]";
  if (posix()) return embedded(mark(depth));
  switch (below(22)) {
    case 0:
      return "x='" + hidden + "'; ((x))";
    case 1:
      return "[[ '" + hidden + "' -eq 0 ]]";
    case 2:
      return "let '" + hidden + "'";
    case 3:
      return "printf -v '" + hidden + "' x";
    case 4:
      return "read -r x <<< '" + hidden + "'; echo $((x))";
    case 5:
      return "unset '" + hidden + "'";
    case 6:
      return "declare -i x='" + hidden + "'";
    case 7:
      return "x='$(mark " + word + ")'; echo \"${x@P}\"";
    case 8:
      return "PS4='$(mark " + word + ")'; set -x; :";
    case 9:
      return ": $((a[\\$(mark " + word + ")]))";
    case 10:
      return "f() { (($1)); }; f '" + hidden + "'";
    case 11:
      return "for i in '" + hidden + "'; do ((i)); done";
    case 12:
      return "test -v '" + hidden + "'";
    case 13:
      return "set -- '" + hidden + "'; : $(($1))";
    case 14:
      return "x='" + hidden + "'; : ${!x}";
    case 15:
      return "printf -v x %s '" + hidden + "'; ((x++))";
    case 16:
      return "b=('" + hidden + "'); ((b[0]))";
    case 17:
      return "printf %d 1 > f; x='" + hidden + "' bash -c '((x))'";
    case 18:
      return "[[ -v '" + hidden + "' ]]";
    case 19:
      return "BASH_ENV=<(echo mark " + word + ") bash -c :";
    case 20:
      return "x=a; : ${x:'" + hidden + "'}";
    default:
      return "ENV=x PROMPT_COMMAND='mark " + word + "' bash -c :";
  }
}

std::string Generator::compound(int depth) {
  const std::string one = statements(depth + 1, 2);
  const std::string two = statements(depth + 1, 2);
  const std::string name = variable();
  const std::string called = function();
  switch (below(posix() ? 22 : 32)) {
    case 0:
      return "( " + one + "\n)";
    case 1:
      return "{ " + ended(one) + " }";
    case 2:
      return "if " + ended(one) + " then " + ended(two) + " fi";
    case 3:
      return "if false; then :; elif " + ended(one) + " then :; else " + ended(two) + " fi";
    case 4:
      return "for " + name + " in m1 " + value() + "; do " + ended(one) + " done";
    case 5:
      return "for i in 1 2\ndo " + ended(one) + ended(two) + " done";
    case 6:
      return "while test \"$n\" != xx; do n=x$n; " + ended(one) + " done";
    case 7:
      return "until test \"$k\" = xx; do k=x$k; " + ended(one) + ended(two) + " done";
    case 8:
      return "case m1 in " + pick({"m1)", "(m1)", "m*)", "a|m?)", "\"m1\")"}) + " " + one +
             "\n;; *) " + two + "\n;; esac";
    case 9:
      return "case $" + name + " in mark) " + one + "\n;; esac";
    case 10:
      return called + "() { " + ended(one) + " }\n" + called + " " + value() + " " + id();
    case 11:
      return called + "() ( " + one + "\n)\n" + called + " mark m2";
    case 12:
      return called + "() { " + ended(one) + " }";
    case 13:
      return "{ " + ended(one) + " } && { " + ended(two) + " }";
    case 14:
      return "{ " + ended(one) + " } || { " + ended(two) + " }";
    case 15:
      return "{ " + ended(one) + " } | { " + ended(two) + " }";
    case 16:
      return "{ " + ended(one) + " } " + redirection();
    case 17:
      return "! { " + ended(one) + " }";
    case 18:
      return "( " + one + "\n) & wait";
    case 19:
      return "for " + name + "\ndo " + ended(one) + " done";
    case 20:
      return pick({"false", "true"}) + " && { " + ended(one) + " } || { " + ended(two) + " }";
    case 21:
      return "if " + pick({"true", "false"}) + "; then " + called + "() { " + ended(one) +
             " }; fi\n" + called + " " + id();
    case 22:
      return "for ((i=0;i<2;i++)); do " + ended(one) + " done";
    case 23:
      return "for ((i=0;i<2;i++)) { " + ended(one) + " }";
    case 24:
      return "function " + called + " { " + ended(one) + " }; " + called + " mark m3";
    case 25:
      return "coproc N { " + ended(one) + " }";
    case 26:
      return "time { " + ended(one) + " }";
    case 27:
      return "case x in x) " + one + "\n;& y) " + two + "\n;;& *) :;; esac";
    case 28:
      return "[[ a == a && -n $" + name + " ]] && { " + ended(one) + " }";
    case 29:
      return "{ " + ended(one) + " } |& { " + ended(two) + " }";
    case 30:
      return "((1)) && { " + ended(one) + " }";
    default:
      return "for " + name + " in {mark,m1} \"$@\"; do $" + name + " m1; " + ended(one) + " done";
  }
}

}  // namespace gibbous::command::testing
