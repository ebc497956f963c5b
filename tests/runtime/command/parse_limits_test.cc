// What the parser does with text that it does not understand, that is too large, or that was made
// to take long; and the places that it names.
#include <string>
#include <string_view>
#include <vector>

#include "tests/runtime/command/render.h"
#include "tests/runtime/command/tree_check.h"
#include "tests/support/catch.h"

using gibbous::command::Node;
using gibbous::command::parse;
using gibbous::command::Parsed;
using gibbous::command::ParseLimits;
using gibbous::command::Part;
using gibbous::command::Word;
using gibbous::command::testing::command_names;
using gibbous::command::testing::tree;
using gibbous::command::testing::tree_fault;
using gibbous::command::testing::Visitor;

namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

bool finds(std::string_view text, std::string_view name) {
  for (const std::string& found : command_names(parse(text).root)) {
    if (found == name) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("an error has a message") {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const std::vector<Case> cases = {
      {"a )", "unexpected ')'"},
      {"a; ; b", "unexpected ';' where a command is expected"},
      {"a && ", "the text ends where a command is expected"},
      {"a |\n| b", "unexpected '|' where a command is expected"},
      {"a 'b c", "no closing \"'\""},
      {"a \"b c", "no closing '\"'"},
      {"a `b c", "no closing '`'"},
      {"a $(b", "no closing ')'"},
      {"a ${b", "no closing '}'"},
      {"a $((b)", "no closing ')'"},
      {"( a", "no closing ')'"},
      {"if a; then b", "the text ends where 'fi' is expected"},
      {"for x in a; b", "unexpected 'b' where 'do' is expected"},
      {"case x in a", "the text ends where ')' after a pattern is expected"},
      {"a >", "the text ends where the target of a redirection is expected"},
      {"a > ;", "unexpected ';' where the target of a redirection is expected"},
      {"[[ a", "no closing ']]'"},
      {"x=(a", "no closing ')' of an array"},
      {"f() a", "unexpected 'a' where the body of a function is expected"},
      {"a <<$(b)", "an expansion in the delimiter of a here-document"},
      {"a <<\"`b`\"", "an expansion in the delimiter of a here-document"},
      {"then a", "unexpected 't'"},
      {"(a) b", "unexpected 'b' where ';' or the end of the line is expected"},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    const Parsed parsed = parse(one.text);
    CHECK(parsed.error.message == one.message);
    CHECK(!parsed.error.over_limit);
    CHECK(tree_fault(parsed).empty());
  }
}

TEST_CASE("commands before and after an error are seen") {
  for (const std::string_view text : {
           "b <<x$(d) | c\n",
           "x=(a <<A; b <<'B'\n$(c)\nB\n)",
           "a ( ; b\nc",
           "a; ) b; c",
           "b && | d; c",
           "b\na 'x; c",
           "b; a $(x; c",
           "b; ${x; c",
           "b | c ; fi; d",
           "b; { a; c",
           "b; if a; then c",
           "b; case x in y) c",
           "b; f( x; c",
           "b; $(a; c",
           "b; \"$(a `c`",
           "b; x=(a; c)",
           "b; [[ a ; c ]]",
           "b\n<<$(x)\nc\n",
           "b $((; c",
           "b <<E\n${x $(c)\nE\n",
           "b <<E\n$(c\nE\n",
           "b `c; (`",
           "b <<-E\n\t$(c;(\n\tE",
           "b ) c",
           "b; } | { c; }",
           "b | | c",
           "b; ;; c; } c",
       }) {
    INFO(text);
    CHECK(!parse(text).error.message.empty());
    CHECK(finds(text, "b"));
    CHECK(finds(text, "c"));
  }
}

TEST_CASE("an error in backticks or in a here-document does not end the surrounding command") {
  CHECK(finds("a `b (` c; d", "d"));
  CHECK(finds("a <<E; b\n$(c (\nE\nd", "d"));
  CHECK(finds("a $((b (); c) ); d", "d"));
}

TEST_CASE("a NUL is an error, and the commands are still seen") {
  const std::string_view text("a\0b; c", 6);
  const Parsed parsed = parse(text);
  CHECK(parsed.error.message == "there is a NUL in the text");
  CHECK(!parsed.error.over_limit);
  CHECK(finds(text, "c"));
}

TEST_CASE("text over the byte limit is read up to the last whole line") {
  ParseLimits limits;
  limits.bytes = 10;
  const Parsed parsed = parse("aa\nbb\ncc /dd/ee", limits);
  CHECK(parsed.error.over_limit);
  CHECK(command_names(parsed.root) == std::vector<std::string>{"aa", "bb"});
  CHECK(parse("0123456789", limits).error.message.empty());
  CHECK(parse("0123456789a", limits).root.children.empty());
}

TEST_CASE("commands before the limit of nodes are kept") {
  ParseLimits limits;
  limits.nodes = 10;
  const Parsed parsed = parse("a; b; c; d; e; f", limits);
  CHECK(parsed.error.over_limit);
  CHECK(parsed.error.message == "too many commands and words");
  const auto names = command_names(parsed.root);
  REQUIRE(names.size() >= 2);
  CHECK(names[0] == "a");
  CHECK(names[1] == "b");
  CHECK(parse(repeat("a;", 30'000)).error.message.empty());
  CHECK(parse(repeat("a;", 60'000)).error.over_limit);
}

TEST_CASE("nesting ends at the depth limit for every construct") {
  constexpr std::size_t kTooDeep = 70;
  constexpr std::size_t kDeepEnough = 15;
  for (const std::string_view open :
       {"( ", "{ ", "$(", "\"$(", "${x:-", "\"${x:-", "$((", "if ", "while ", "case x in x) ",
        "f() { ", "<(", "x=( $(", "[[ $(", "$[ $(", "! ( ", "a | ( ", "for x in a; do "}) {
    INFO(open);
    const std::string deep = "b; " + repeat(open, kTooDeep) + "a";
    const Parsed parsed = parse(deep);
    CHECK(parsed.error.over_limit);
    CHECK(parsed.error.message == "nested too deep");
    CHECK(finds(deep, "b"));
    CHECK(!parse(repeat(open, kDeepEnough) + "a").error.over_limit);
  }
  CHECK(parse(repeat("( ", 30) + "a" + repeat(")", 30)).error.message.empty());
  CHECK(parse(repeat("$(", 30) + "a" + repeat(")", 30)).error.message.empty());
}

// A parser that looks back, or ahead to the end, once for each of these would take hours.
TEST_CASE("adversarial text takes no longer than its size allows") {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  for (const std::string_view text :
       {" ",         "(",         "((",         "$((",         "$(",          "${",
        "`",         "\\`",       "\"",         "'",           "$'",          "[",
        "a[",        " a[1 ",     "{",          " {a",         "{,",          " {a[",
        "\\\n",      "#\n",       "a;",         "a|",          "a&&",         "<",
        "<<E ",      "<<E;",      "$(<<E) ",    "a \"b;",      "a 'b;",       "$((a;",
        "((a;",      "((a) ;",    "$((a #b) )", "${a;",        "~",           ":~",
        " a=:~",     "@(",        "[[ a =~ (",  "x=(",         " x=([a",      "$",
        "! ",        "time ",     "coproc ",    "f()",         "function f ", "case x in ",
        "if ",       "a )\n",     "a ;;",       "1",           " 1",          "\n",
        "\t",        "${x:$'a'}", "\"${x:-'",   "$(( $(case ", ">&'$(a)' ",   "<<E\n",
        "$(a <<E\n", "`a <<E\n",  "$\\\n",      "&",           "|",           ")",
        "}",         "]",         "=",          "a=",          "{$,",         "?(",
        "+",         "\xff",      "<(",         "0<"}) {
    INFO(text);
    const std::string all = repeat(text, kBytes / text.size());
    const Parsed parsed = parse(all);
    CHECK(tree_fault(parsed).empty());
    const std::string behind = "a " + all.substr(0, kBytes - 2);
    CHECK(tree_fault(parse(behind)).empty());
  }
}

TEST_CASE("a hundred thousand here-documents on a line are bounded") {
  constexpr std::size_t kMany = 100'000;
  const Parsed parsed = parse("a" + repeat(" <<E", kMany) + "\n" + repeat("E\n", kMany));
  CHECK(tree_fault(parsed).empty());
  constexpr std::size_t kFew = 20'000;
  const Parsed all = parse("a" + repeat(" <<E", kFew) + "\n" + repeat("E\n", kFew) + "b");
  CHECK(all.error.message.empty());
  CHECK(command_names(all.root) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("an empty text is an empty list") {
  for (const std::string_view text : {"", " ", "\n\n", "# a", "\\\n", " \t\n# b\n"}) {
    INFO(text);
    CHECK(tree(text) == "()");
  }
}
