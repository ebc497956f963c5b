// No text takes long to analyse: the worst that was thought of, each near the 128 KiB that a
// program can be given. The bounds are ten times what is meant (25 ms), for slow and
// sanitized builds. GIBBOUS_SHOW_BOUNDS=1 prints what each of them takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/command/differential/by_hand.h"
#include "tests/runtime/command/differential/verdict.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

#ifdef GIBBOUS_SANITIZED  // a tenth of the speed, so a quarter of the text
constexpr std::size_t kSize = 32'000;
constexpr std::chrono::milliseconds kMost{5000};
#else
constexpr std::size_t kSize = 131'000;
constexpr std::chrono::milliseconds kMost{250};
#endif

std::string repeated(const std::string& text, std::size_t size = kSize) {
  std::string made;
  while (made.size() + text.size() <= size) made += text;
  return made;
}

std::string nested(const std::string& open, const std::string& core, const std::string& close,
                   std::size_t depth) {
  std::string made;
  for (std::size_t at = 0; at < depth; ++at) made += open;
  made += core;
  for (std::size_t at = 0; at < depth; ++at) made += close;
  return made;
}

std::string numbered(const std::string& text, std::size_t size = kSize) {
  std::string made;
  for (int at = 0;; ++at) {
    std::string each;
    for (std::size_t letter = 0; letter < text.size(); ++letter) {
      if (text[letter] == '@') {
        each += std::to_string(at);
      } else if (text[letter] == '^') {
        each += std::to_string(at + 1);
      } else {
        each += text[letter];
      }
    }
    if (made.size() + each.size() > size) return made;
    made += each;
  }
}

using Case = std::pair<std::string, std::string>;

std::vector<Case> nestings() {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"(", ")"},
      {"{ ", ";}"},
      {"$(", ")"},
      {"\"$(", ")\""},
      {"`", "`"},
      {"${x:-", "}"},
      {"\"${x:-", "}\""},
      {"$((", "))"},
      {"((", "))"},
      {"<(", ")"},
      {"{a,", "}"},
      {"if ", ";then :;fi"},
      {"while ", ";do :;done"},
      {"for i in 1 2;do ", ";done"},
      {"for i in $(", ");do :;done"},
      {"case x in x) ", ";; esac"},
      {"f(){ ", ";}"},
      {"a=(", ")"},
      {"${a[", "]}"},
      {"a[$(", ")]=1 "},
      {"[[ ", " ]]"},
      {"! ", ""},
      {"time ", ""},
      {"coproc ", ""},
      {"eval ", ""},
      {"eval 'x=1' ", ""},
      {"env ", ""},
      {"xargs ", ""},
      {"sh -c ", ""},
      {"@(", ")"},
      {"echo x | ", ""},
      {"x || ", ""},
      {"find . -exec ", " \\;"},
      {"\\", ""},
      {"cat <<E $(", ")"},
  };
  std::vector<Case> all = {
      {"a function in the text that it evaluates", "w=$(f() { eval \"$w m2\"; })"}};
  for (const auto& [open, close] : pairs) {
    const std::size_t most = kSize / (open.size() + close.size()) - 2;
    for (const std::size_t depth : {std::size_t{8}, std::size_t{20}, std::size_t{60}, most})
      all.emplace_back("nested " + std::to_string(depth) + " " + open,
                       nested(open, "x", close, depth));
    all.emplace_back("opened " + open, repeated(open));
    all.emplace_back("closed " + close, repeated(close.empty() ? "x" : close));
    all.emplace_back("side by side " + open, repeated(open + "x" + close + ";"));
  }
  return all;
}

std::vector<Case> manies() {
  std::vector<Case> all = {
      {"commands", repeated("a;")},
      {"known commands", repeated("rm a b;")},
      {"pipeline", repeated("a|") + "b"},
      {"pipeline of echo", repeated("echo a|") + "sh"},
      {"pipeline of cat", "echo a b c|" + repeated("cat|") + "xargs rm"},
      {"background", repeated("a&")},
      {"and", repeated("a&&") + "b"},
      {"or", repeated("a||") + "b"},
      {"or with assignments", numbered("x@=@||") + "b"},
      {"and with assignments", numbered("x@=@&&") + "b"},
      {"or of one variable", numbered("x=@||") + "$x"},
      {"alternatives", numbered("a||x=@;") + "echo $x$x$x$x$x$x$x$x"},
      {"alternatives, many times", "a||x=1;a||y=2;" + repeated("echo $x$y$x$y;")},
      {"alternatives of wrappers", "a||x=1;a||y=2;" + repeated("timeout $x $y $x $y;")},
      {"variables", numbered("x@=$y;")},
      {"chain of variables", "x0=a;" + numbered("x^=$x@;")},
      {"doubling", "x=aaaaaaaaaaaaaaaa;" + repeated("x=$x$x;")},
      {"doubling by names", "x0=aaaaaaaaaaaaaaaa;" + numbered("x^=$x@$x@;")},
      {"doubling words",
       "x0='a b';" + numbered("x^=\"$x@ $x@\";", 2000) + repeated("$x20;", 100'000)},
      {"appending", "x=a;" + repeated("x+=aaaaaaaaaaaaaaaa;")},
      {"long value", "x=" + repeated("a", 60'000) + ";" + repeated("echo $x;", 60'000)},
      {"long value, split", "x='" + repeated("a ", 60'000) + "';" + repeated("echo $x;", 60'000)},
      {"arrays", "a=(1);" + repeated("a+=(1 2 3);")},
      {"array, all", "a=(" + repeated("1 ", 60'000) + ");" + repeated("echo ${a[@]};", 60'000)},
      {"positional", "set -- " + repeated("1 ", 60'000) + ";" + repeated("echo $*;", 60'000)},
      {"functions", numbered("f@(){ x;};")},
      {"functions that call", "f0(){ x;};" + numbered("f^(){ f@;f@;};")},
      {"functions that call, called", "f0(){ x;};" + numbered("f^(){ f@;f@;};", 3000) + "f30"},
      {"function that calls itself", "f(){ " + repeated("f x;") + "};f"},
      {"functions that call each other", "f(){ g;g;f;f;};g(){ f;f;g;g;};f;g"},
      {"function, called often", "f(){ rm $1 $2;};" + repeated("f a b;")},
      {"functions of one name", repeated("f(){ x;};f;")},
      {"perhaps functions of one name", repeated("a&&f(){ x;};f;")},
      {"local variables",
       "f(){ " + numbered("local x@=1;", 60'000) + "};" + repeated("f;", 60'000)},
      {"loops", repeated("for i in 1 2;do a;done;")},
      {"loops with assignments", repeated("for i in 1 2;do x=$x$i;done;")},
      {"loops in functions in loops", "f0(){ x=$x;};" +
                                          numbered("f^(){ for i in 1 2;do f@;f@;done;};", 3000) +
                                          "for i in 1 2;do f20;done"},
      {"brace product", repeated("{a,b}", 100)},
      {"brace products", repeated("echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b};")},
      {"brace list", "echo {" + repeated("a,") + "b}"},
      {"brace sequences", repeated("echo {1..999999};")},
      {"open braces", repeated("{")},
      {"open braces and commas", repeated("{a,")},
      {"braces and quotes", repeated("{\"a\",'b'}{c,d} ")},
      {"aliases", numbered("alias a@=a^;\n")},
      {"alias doubles", "alias a='a;a';\n" + repeated("a;")},
      {"aliases double", numbered("alias a@='a^;a^'\n", 2000) + "a0"},
      {"heredocs", repeated("cat <<E\nx\nE\n")},
      {"heredocs on one line", repeated("<<E ", 100'000) + "\n" + repeated("E\n", 50)},
      {"heredocs without end", repeated("cat <<E\n")},
      {"heredocs for shells", repeated("sh <<E\nx\nE\n")},
      {"heredoc in heredoc", repeated("cat <<E$(\n")},
      {"heredoc lines", "cat <<E\n" + repeated("$x `y`\n") + "\nE\n"},
      {"long delimiter", "cat <<" + repeated("E", 60'000) + "\n" + repeated("E\n", 60'000)},
      {"redirections", repeated(">a ")},
      {"redirections to many", numbered(">a/b/c@ ")},
      {"long path", "rm " + repeated("a/../")},
      {"deep path", "rm /" + repeated("a/")},
      {"deep path, many times", repeated("rm /" + repeated("a/", 1000) + ";")},
      {"cd", repeated("cd a;")},
      {"cd, perhaps", repeated("a||cd b;")},
      {"pushd", numbered("cd a@&&x;")},
      {"eval", repeated("eval x;")},
      {"eval of eval", "x='eval $x$x';" + repeated("eval $x;")},
      {"sh", repeated("sh -c x;")},
      {"sh with variables", numbered("x@=1;", 60'000) + repeated("sh -c x;", 60'000)},
      {"source with variables", numbered("x@=1;", 60'000) + repeated(". f;x=1;", 60'000)},
      {"traps", repeated("trap x EXIT;x=1;")},
      {"trap that sets itself", "g(){ trap 'g;(a);case b in c) d;; esac' EXIT;}\ng"},
      {"traps that set each other", numbered("g@(){ trap 'g^;g^' EXIT;};", 3000) + "g0;x=1"},
      {"traps of traps", repeated("trap 'trap x EXIT;x=1' EXIT;x=1;")},
      {"xargs", repeated("echo a b c|xargs rm;")},
      {"xargs marks", "echo a|xargs -I{} rm " + repeated("{}")},
      {"find", "find . " + repeated("-exec a {} + ")},
      {"find marks", "find . -exec a " + repeated("{} ") + "+"},
      {"find, of many",
       "find " + repeated("a ", 60'000) + "-exec a " + repeated("{} ", 60'000) + "+"},
      {"options", "rm " + repeated("-a ")},
      {"one cluster", "rm -" + repeated("a")},
      {"env", "env " + repeated("A=1 ") + "x"},
      {"assignments", repeated("A=1 ") + "x"},
      {"guess", "unknown " + repeated("rm ")},
      {"guess in guess", "unknown " + repeated("unknown2 rm ")},
      {"python", "python3 -c '" + repeated("\"rm a\" ") + "'"},
      {"python quotes", "python3 -c '" + repeated("\"") + "'"},
      {"python words", "python3 -c '" + repeated("\"rm\",") + "'"},
      {"python calls", "python3 -c '" + repeated("shutil.rmtree(\"a\");") + "'"},
      {"globs", repeated("*")},
      {"glob words", "rm " + repeated("* ")},
      {"brackets", repeated("[")},
      {"tilde", repeated("~")},
      {"tildes in an assignment", "x=" + repeated("~:")},
      {"printf", "printf '" + repeated("%s", 60'000) + "' " + repeated("a ", 60'000) + "|sh"},
      {"printf repeats",
       "printf '" + repeated("a", 1000) + "%s' " + repeated("a ", 60'000) + "|sh"},
      {"arithmetic", "((" + repeated("a+") + "a))"},
      {"arithmetic assignments", repeated("((a=1));")},
      {"case patterns", "case x in " + repeated("a|") + "b) x;; esac"},
      {"cases", "case x in " + repeated("a) x;;") + " esac"},
      {"elif", "if a; then b; " + repeated("elif a; then b; ") + "fi"},
      {"test", "[[ " + repeated("a && ") + "b ]]"},
      {"continuations", repeated("\\\n")},
      {"comments", repeated("#\n")},
      {"quoted nothing", repeated("''")},
      {"ansi", "$'" + repeated("\\x41") + "'"},
      {"ansi, many", repeated("$'a'")},
      {"exports", numbered("export x@=1;")},
      {"readonly", repeated("readonly x=1;x=2;")},
      {"subshells", repeated("(x=1);")},
      {"substitutions", repeated("$(x)")},
      {"substitutions with assignments", repeated("x=$(x=1;echo $x);")},
      {"errors", repeated(") ; ")},
      {"errors, lines", repeated("fi\n")},
  };
  return all;
}

std::vector<Case> characters() {
  std::vector<Case> all;
  for (int letter = 1; letter < 256; ++letter)
    all.emplace_back("byte " + std::to_string(letter),
                     std::string(kSize, static_cast<char>(letter)));
  for (const char* letter : {"'", "\"", "`", "$", "(", "{", "<", "\\", "[", "~", "#", "=", "&"}) {
    all.emplace_back("lines of " + std::string(letter), repeated(std::string(letter) + "\n"));
    all.emplace_back("words of " + std::string(letter), repeated("a" + std::string(letter) + " "));
  }
  return all;
}

double milliseconds(const Case& each, const Knowledge& knowledge) {
  const std::clock_t begin = std::clock();  // of the processor: others may be at work
  const Facts facts = testing::facts_of(each.second, knowledge);
  const double spent = static_cast<double>(std::clock() - begin) * 1000 / CLOCKS_PER_SEC;
  if (std::getenv("GIBBOUS_SHOW_BOUNDS") != nullptr)
    std::printf("%9.2f ms  %6zu commands %5zu doubts  %s\n", spent, facts.commands.size(),
                facts.doubts.size(), escaped(each.first, 60).c_str());
  return spent;
}

void check(const std::vector<Case>& all) {
  const auto knowledge = testing::by_hand();
  for (const Case& each : all) {
    INFO(each.first);
    CHECK(each.second.size() <= AnalyseLimits{}.parse.bytes);
    CHECK(milliseconds(each, *knowledge) < static_cast<double>(kMost.count()));
  }
}

TEST_CASE("nested text is analysed quickly") {
  check(nestings());
}

TEST_CASE("repeated text is analysed quickly") {
  check(manies());
}

TEST_CASE("many copies of any character are analysed quickly") {
  check(characters());
}

TEST_CASE("a word too long for any program is not analysed") {
  const auto knowledge = testing::by_hand();
  const Facts facts = testing::facts_of(std::string(200'000, 'a'), *knowledge);
  REQUIRE(facts.doubts.size() == 1);
  CHECK(facts.doubts[0].doubt == Doubt::kUnjudged);
}

}  // namespace
}  // namespace gibbous::command
