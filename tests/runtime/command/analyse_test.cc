// The analyser on lines: commands without their wrappers, variables, functions, code that
// comes from elsewhere. What it must not miss is tested against real shells (differential_test.cc).
#include "runtime/command/analyse.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/runtime/command/analysed.h"

namespace gibbous::command {
namespace {

using namespace testing;

// --- Commands and wrappers ----------------------------------------------------------------------

TEST_CASE("a plain command is one fact without a doubt") {
  const Facts found = facts("rm -r a b");
  CHECK(commands(found) == Words{"rm -r a b"});
  CHECK(found.doubts.empty());
  CHECK(found.commands[0].options == std::vector<int>{1});
  CHECK(found.commands[0].operands == std::vector<int>{2, 3});
}

TEST_CASE("quotes, backslashes and continued lines are removed") {
  CHECK(commands("r'm' \"-\"r \\/ a\\\nb $'\\x63'") == Words{"rm -r / ab c"});
}

TEST_CASE("wrappers are removed and remembered, outermost first") {
  const Facts found = facts("sudo -u root env A=1 timeout -k 1 5 nice -n 3 rm x");
  CHECK(commands(found) == Words{"rm x"});
  CHECK(found.commands[0].wrappers == Words{"sudo", "env", "timeout", "nice"});
  CHECK(found.commands[0].privileged);
  REQUIRE(found.commands[0].assignments.size() == 1);
  CHECK(found.commands[0].assignments[0].name == "A");
}

TEST_CASE("what starts another command is seen beside it") {
  const Facts found = facts("sudo env -i A=1 tmux new -d 'rm x; ls'");
  CHECK(commands(found) == Words{"rm x", "ls"});
  Words carriers;
  for (const auto& each : found.carriers) carriers.push_back(each.program);
  CHECK(carriers == Words{"tmux", "env", "sudo"});
  CHECK(found.carriers[0].wrappers == Words{"sudo", "env"});
  CHECK(found.carriers[0].subcommand == "new");
  CHECK(facts("ls | wc -l").carriers.empty());
}

TEST_CASE("a lone dash of env is not a command") {
  CHECK(commands("env - rm x") == Words{"rm x"});
}

TEST_CASE("a wrapper whose own words are not known leaves its command in doubt") {
  CHECK(doubted("timeout $limit rm x", Doubt::kUnknownCommandArgument));
  CHECK(doubted("nice -n $n rm x", Doubt::kUnknownCommandArgument));
  CHECK_FALSE(doubted("timeout \"$limit\" rm x", Doubt::kUnknownProgram));
}

TEST_CASE("commands at every depth are found, with their nesting") {
  const Facts found = facts("echo \"$(cat <(rm x))\"");
  const SimpleCommand& rm = command(found, "rm");
  REQUIRE(rm.nesting.size() == 2);
  CHECK(rm.nesting[0].kind == Nesting::Kind::kSubstitution);
  CHECK(rm.nesting[1].kind == Nesting::Kind::kProcess);
}

TEST_CASE("code for a shell is a separate source") {
  const Facts found = facts("sh -ec 'rm x; rm y'");
  CHECK(commands(found) == Words{"rm x", "rm y"});
  REQUIRE(found.sources.size() == 2);
  CHECK(found.sources[1] == "rm x; rm y");
}

TEST_CASE("words after the code of sh -c are its positional parameters") {
  CHECK(commands("sh -c 'rm \"$1\" $2' sh a b") == Words{"rm a b"});
}

TEST_CASE("eval joins its words, including options") {
  CHECK(commands("eval rm -r 'a b'") == Words{"rm -r a b"});
  CHECK(commands("eval sh -c \"'rm x'\"") == Words{"rm x"});
}

TEST_CASE("a subcommand of more words is named as a whole") {
  const Facts found = facts("git -C sub remote add x https://h/y");
  CHECK(found.commands[0].subcommand == "remote add");
}

TEST_CASE("hosts come from URLs and from operands") {
  CHECK(facts("curl https://u@Example.com:8/x").commands[0].hosts == Words{"example.com"});
  CHECK(facts("curl $url").commands[0].hosts == Words{""});
}

TEST_CASE("a remote command does not count as a local one") {
  const Facts found = facts("ssh -p 22 host rm -r x");
  const SimpleCommand& rm = command(found, "rm");
  CHECK(rm.remote);
}

TEST_CASE("an unknown program that names a known one may run it") {
  const Facts found = facts("mystery --now rm x");
  CHECK(command(found, "rm").wrappers == Words{"mystery"});
  CHECK(has(found, Doubt::kUnknownCommandArgument));
}

// --- Variables ----------------------------------------------------------------------------------

TEST_CASE("a variable with a known value is expanded") {
  CHECK(commands("c=rm; d=/tmp; $c -r \"$d/x\"").back() == "rm -r /tmp/x");
  CHECK(facts("c=rm; $c x").doubts.empty());
}

TEST_CASE("an unquoted value is split as the shell splits it") {
  CHECK(commands("c='rm  -r x'; $c") == Words{"rm -r x"});
  CHECK(doubted("IFS=y; c='rmyx'; $c", Doubt::kUnknownProgram));
}

TEST_CASE("both values count if the branch is unknown") {
  const Words found = commands("c=echo; test -f a && c=rm; $c x");
  CHECK(std::count(found.begin(), found.end(), "echo x") == 1);
  CHECK(std::count(found.begin(), found.end(), "rm x") == 1);
}

TEST_CASE("a subshell keeps what it assigns") {
  CHECK(commands("c=echo; (c=rm); $c x").back() == "echo x");
}

TEST_CASE("an assignment before a program ends with it") {
  CHECK(commands("c=echo; c=rm true; $c x").back() == "echo x");
}

TEST_CASE("read, printf -v and unset discard the known value") {
  CHECK(doubted("c=echo; read c; $c x", Doubt::kUnknownProgram));
  CHECK(doubted("c=echo; printf -vc rm; $c x", Doubt::kUnknownProgram));
  CHECK(doubted("c=echo; unset c; $c x", Doubt::kUnknownProgram));
}

TEST_CASE("a value that a loop assigns may be set in its next iteration") {
  const Words found = commands("c=echo; for i in 1 2; do $c x; eval \"c=rm\"; done");
  CHECK(std::count(found.begin(), found.end(), "rm x") == 1);
  CHECK(doubted("set -- echo rm; while test -n \"$1\"; do $1 x; shift; done",
                Doubt::kUnknownProgram));
}

TEST_CASE("a loop variable has all its values") {
  const Words found = commands("for f in a /b; do rm $f; done");
  CHECK(removed("for f in a /b; do rm $f; done") == Words{"/ws/a", "/b"});
  CHECK_FALSE(found.empty());
}

TEST_CASE("an array is known as a whole") {
  CHECK(commands("a=(rm -r x); \"${a[@]}\"") == Words{"rm -r x"});
  CHECK(doubted("a=(rm -r x); ${a[0]} y", Doubt::kUnknownProgram));
}

TEST_CASE("positional parameters are known as far as the words of set are") {
  CHECK(commands("set -- rm x; \"$@\"").back() == "rm x");
  CHECK(doubted("set -- $y rm x; $2 z", Doubt::kUnknownProgram));
}

TEST_CASE("a new shell sees exported variables only") {
  CHECK(commands("export c=rm; sh -c '$c x'").back() == "rm x");
  CHECK(doubted("c=echo; sh -c '${c:-rm} x'", Doubt::kUnknownProgram));
}

TEST_CASE("known output of programs is filled in") {
  CHECK(removed("rm -r \"$(pwd)/x\"") == Words{"/ws/x"});
  CHECK(removed("rm $(mktemp)") == Words{"/tmp"});
}

// --- Functions ----------------------------------------------------------------------------------

TEST_CASE("a function is analysed with the arguments of its call") {
  CHECK(commands("f() { rm \"$1\"; }; f x; f y") == Words{"rm x", "rm y"});
}

TEST_CASE("an uncalled function is walked too") {
  CHECK(commands("f() { rm x; }") == Words{"rm x"});
}

TEST_CASE("the name of a function that may be undefined also counts as a program") {
  const Words found = commands("false && rm() { :; }; rm x");
  CHECK(std::count(found.begin(), found.end(), "rm x") == 1);
  const Words gone = commands("rm() { :; }; unset -f rm; rm x");
  CHECK(std::count(gone.begin(), gone.end(), "rm x") == 1);
}

TEST_CASE("local variables end with their function") {
  CHECK(has(facts("c=rm; f() { local c=echo; }; f; $c x"), Doubt::kUnknownProgram));
}

// --- Code on standard input, in files
// -------------------------------------------------------------

TEST_CASE("a here document is code for a shell") {
  CHECK(commands("sh <<E\nrm x\nE\n") == Words{"rm x"});
  CHECK(commands("sh <<< 'rm x'") == Words{"rm x"});
  CHECK(commands("cat <<E | sh\nrm x\nE\n") == Words{"cat", "rm x", "sh"});
}

TEST_CASE("commands in a here-document are found unless it is quoted") {
  CHECK(commands("cat <<E\n$(rm x)\nE\n") == Words{"rm x", "cat"});
  CHECK(commands("cat <<'E'\n$(rm x)\nE\n") == Words{"cat"});
}

TEST_CASE("the output of echo is known to the next command") {
  const Words found = commands("echo 'rm x' | sh");
  CHECK(std::count(found.begin(), found.end(), "rm x") == 1);
  CHECK(removed("echo a /b | xargs rm") == Words{"/ws/a", "/b"});
  CHECK(removed("echo a | xargs -I{} rm /x/{}").back() == "/x");
}

TEST_CASE("the output of a group is unknown") {
  CHECK(doubted("{ echo 'rm x'; echo :; } | sh", Doubt::kPipedCode));
}

TEST_CASE("xargs adds holes for words that are not known") {
  const Facts found = facts("cat list | xargs rm");
  CHECK(command(found, "rm").argv.back().has_unknown());
  CHECK(command(found, "rm").fed_by.empty());
  CHECK(doubted("cat list | xargs sh -c", Doubt::kUnknownCode));
  CHECK(doubted("cat list | xargs timeout", Doubt::kUnknownCommandArgument));
}

TEST_CASE("find replaces {} with paths below its directories") {
  const Facts found = facts("find /etc -name x -exec rm {} \\;");
  CHECK(paths(found, AccessKind::kRemove) == Words{"/etc"});
  CHECK(command(found, "rm").wrappers == Words{"find"});
  CHECK(removed("find /etc -delete") == Words{"/etc"});
}

TEST_CASE("pipelines record which command feeds which") {
  const Facts found = facts("curl x | head | cat");
  CHECK(found.commands[2].fed_by == Words{"head", "curl"});
  CHECK(found.commands[0].feeds == Words{"head", "cat"});
}

// --- Other requests -----------------------------------------------------------------------------

TEST_CASE("text typed earlier counts but is not judged") {
  const std::string done = "cd /etc\nc=rm\nsh /tmp/x\n";
  Place typed = place();
  typed.done_bytes = done.size();
  const Facts found = analyse(done + "$c x", typed, knowledge());
  CHECK(commands(found) == Words{"rm x"});
  CHECK(found.commands[0].accesses[0].path == "/etc/x");
  CHECK_FALSE(has(found, Doubt::kUnreadFile));
}

TEST_CASE("the words of an argv are not code for a shell") {
  const Facts found =
      analyse(std::vector<std::string>{"rm", "$(x)", "a;b", "*"}, place(), knowledge());
  CHECK(commands(found) == Words{"rm $(x) a;b *"});
  CHECK(found.commands[0].argv[3].literal());
  CHECK(found.doubts.empty());
}

TEST_CASE("an argv that starts a shell is analysed") {
  const Facts found =
      analyse(std::vector<std::string>{"env", "sh", "-c", "rm x"}, place(), knowledge());
  CHECK(commands(found) == Words{"rm x"});
}

TEST_CASE("additions to the run's environment are those of a command") {
  Place more = place();
  more.set["LD_PRELOAD"] = "/tmp/x.so";
  CHECK(analyse("true", more, knowledge()).commands.front().assignments.size() == 1);
}

TEST_CASE("a line may set variables by many means") {
  for (const char* line : {"for PATH in .; do a; done", "select x in .; do a; done",
                           "printf -v PATH .", "((x=1))", "echo $((x=1))", "for ((;;)); do a; done",
                           "[[ x -eq 1 ]]", "a {fd}<f", "x=1", "read x", "export x"}) {
    INFO(line);
    CHECK(facts(line).assigns);
  }
  for (const char* line : {"a b", "cd x && a | b", "(a; b) &", "if a; then b; fi"}) {
    INFO(line);
    CHECK_FALSE(facts(line).assigns);
  }
}

TEST_CASE("logs count as writes") {
  Place more = place();
  more.logs = {"/etc/log"};
  CHECK(paths(analyse("true", more, knowledge()), AccessKind::kWrite) == Words{"/etc/log"});
}

TEST_CASE("shown text has no control characters") {
  CHECK(escaped("a\x1b[2J\n", 100).find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace gibbous::command
