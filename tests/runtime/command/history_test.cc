// Lines that stand for earlier ones: what is known of them, what is not, and that bash runs the
// very same (random lines through a real one).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "runtime/command/history.h"
#include "runtime/command/past.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::command {
namespace {

using Lines = std::vector<std::string>;
using Kind = HistorySpec::Kind;

const HistorySpec& bash() {
  static const HistorySpec spec{Kind::kBash, {"echo", "true", "ls", "cd"}};
  return spec;
}

constexpr char kBefore[] = "ls /a/b.tar.gz src\necho one 'two three' four\n";

// The new lines as they run, or "?" when that is not known.
std::string runs(const std::string& text, const std::string& before = kBefore,
                 const HistorySpec& spec = bash()) {
  const TypedLines typed = expand_history(before, text + "\n", spec);
  if (!typed.known) return "?";
  const std::size_t done = before.rfind('\n') + 1;
  return typed.text.substr(done, typed.text.size() - done - 1);
}

TEST_CASE("a line that stands for an earlier one is that line") {
  struct Case {
    const char* typed;
    const char* runs;
  };
  const std::vector<Case> cases = {
      {"!!", "echo one 'two three' four"},
      {"!-2", "ls /a/b.tar.gz src"},
      {"!ls", "ls /a/b.tar.gz src"},
      {"!?tar?", "ls /a/b.tar.gz src"},
      {"!?tar", "ls /a/b.tar.gz src"},
      {"sudo !!", "sudo echo one 'two three' four"},
      {"rm !$", "rm four"},
      {"rm !^ x", "rm one x"},
      {"rm !*", "rm one 'two three' four"},
      {"rm !!:2", "rm 'two three'"},
      {"rm !!:1-2", "rm one 'two three'"},
      {"rm !!:2*", "rm 'two three' four"},
      {"rm !!:1-", "rm one 'two three'"},
      {"!:0 x", "echo x"},
      {"!ls:0 !ls:$", "ls src"},
      {"!echo:s/echo/rm/", "rm one 'two three' four"},
      {"!echo:s/one/& &/", "echo one one 'two three' four"},
      {"!echo:s|o|0|:&", "ech0 0ne 'two three' four"},
      {"!echo:gs/o/0/", "ech0 0ne 'tw0 three' f0ur"},
      {"!ls:s/ls/cat/:p", "#\1pcat /a/b.tar.gz src"},
      {"cat !ls:1:h !ls:1:t !ls:1:r !ls:1:e", "cat /a b.tar.gz /a/b.tar .gz"},
      {"!ls:q", "'ls /a/b.tar.gz src'"},
      {"!ls:x", "'ls' '/a/b.tar.gz' 'src'"},
      {"^one^two^", "echo two 'two three' four"},
      {"^one^two^ more", "echo two 'two three' four more"},
      {"echo a b !#:1", "echo a b a"},
      {"echo \"!$\"", "echo \"four\""},
      {"!!\n!!:s/four/five/\n!$", "echo one 'two three' four\necho one 'two three' five\nfive"},
      {"fc -s", "echo one 'two three' four"},
      {"fc -s one=two four=x", "echo two 'two three' x"},
      {"fc -s ls=cat ls", "cat /a/b.tar.gz src"},
      {"fc -e - -2", "ls /a/b.tar.gz src"},
      {"fc -s echo='rm -r'\n!!", "rm -r one 'two three' four\n?"},
  };
  for (const Case& each : cases) {
    INFO(each.typed);
    if (std::string(each.runs).ends_with("?")) {
      CHECK(runs(each.typed) == "?");
    } else {
      CHECK(runs(each.typed) == each.runs);
    }
  }
}

TEST_CASE("a '!' that bash takes for a character stays") {
  for (const char* typed :
       {"echo '!!'", "echo \\!!", "! true", "[ a != b ]", "echo hi!", "echo \"hi!\"", "echo a! b",
        "ls [!a]*", "echo ${!x}", "echo x$!", "echo $'it\\'s !!'", "true # !!", "echo a^b^",
        "rm !(x)", "fc -l", "fc", "echo 'fc -s'"}) {
    INFO(typed);
    CHECK(runs(typed) == typed);
  }
}

TEST_CASE("what cannot be known is not known") {
  for (const char* typed : {"!3",           "!rm",
                            "!?rm?",        "!-3",
                            "!!:9",         "!!:s/x/y/",
                            "^x^y",         "!!:&",
                            "!!:s//x/",     "!!:G&",
                            "!!:z",         "!%",
                            "!?ls?:%",      "!ls-2",
                            "$!!",          "echo $(ls !$)",
                            "echo `ls !$`", "ls ${x} !$",
                            "ls [!a]* !$",  "fc -s rm",
                            "fc -s 3",      " fc -s",
                            "echo \\\\!!",  "!apt-get",
                            "!!:s",         "fc -s one= ls x"}) {
    INFO(typed);
    CHECK(runs(typed) == "?");
  }
}

TEST_CASE("lines that HISTCONTROL may exclude are not counted") {
  CHECK(runs("!!", "echo a\n echo b\n") == "?");
  CHECK(runs("!ec", "echo a\n echo b\n") == "echo a");
  CHECK(runs("!?echo", "echo a\n echo b\n") == "?");
  CHECK(runs("!!", "echo a\necho a\n") == "echo a");
  CHECK(runs("!-2", "echo a\necho a\n") == "?");
  CHECK(runs("!-3", "echo a\necho b\necho a\n") == "?");
  CHECK(runs("!-2", "echo a\necho b\necho a\n") == "echo b");
  CHECK(runs("!!", "echo a !(\n") == "?");
}

TEST_CASE("the history is known as long as the shell itself must have read each line") {
  CHECK(runs("!!", "echo a\nls\n") == "ls");
  for (const char* before :
       {"cat\necho a\n", "make\n", "read x\necho a\n", "x=1\n", "echo $(cat)\n", "echo a <<E\n",
        "echo 'a\nb'\n", "echo a \\\nb\n", "for x in 1; do echo; done\n", "history -c\n",
        "echo a >> .bash_history\n", "echo a; bash\n", "f() { echo; }\n", "echo a\t\n",
        "cd \"$unknown\"\n", "echo a\ncd \"$unknown\"\necho b\n", "echo a\n#\1\necho b\n"}) {
    INFO(before);
    CHECK(runs("!!", before) == "?");
    CHECK(runs("fc -s", before) == "?");
    CHECK(runs("echo hi!", before) == "echo hi!");
  }
  CHECK(runs("echo \\\nhi !$") == "?");
}

TEST_CASE("a printed line is in the history, and does not run") {
  const TypedLines typed = expand_history("echo a\n", "!!:s/a/b/:p\n", bash());
  REQUIRE(typed.known);
  CHECK(typed.text == "echo a\n" + printed_mark("echo b") + "\n");
  CHECK(runs("!!", typed.text) == "echo b");
  CHECK(runs("!-2", typed.text) == "echo a");
  // No text can pretend to be one.
  CHECK(runs(printed_mark("echo b")) == "?");
}

TEST_CASE("an unfinished line is expanded when it is finished") {
  const TypedLines begun = expand_history("echo a\n", "r!", bash());
  CHECK(begun.known);
  CHECK(begun.text == "echo a\nr!");
  const TypedLines ended = expand_history(begun.text, "!:s/echo /m /\npw", bash());
  CHECK(ended.known);
  CHECK(ended.text == "echo a\nrm a\npw");
}

TEST_CASE("after a key that may have thrown a line away the history is not known") {
  CHECK_FALSE(expand_history("echo a\n", "ls\n!!\n", bash(), true).known);
  const TypedLines interrupted = expand_history("echo a\n", "ls\nec", bash(), true);
  REQUIRE(interrupted.known);
  CHECK(interrupted.text == "echo a\nls\n" + std::string(kLostMark) + "ec");
  CHECK(runs("!!", "echo a\nls\n" + std::string(kLostMark)) == "?");
}

TEST_CASE("set +H makes '!' a character, and histchars another one of it") {
  CHECK(runs("echo !!", "set +H\n") == "echo !!");
  CHECK(runs("set +o histexpand\necho !!") == "set +o histexpand\necho !!");
  CHECK(runs("fc -s", "echo a\nset +H\necho b\n") == "echo b");
  CHECK(runs("echo !!", "set +H\nmake\n") == "?");
  CHECK(runs("echo !!", "make\nset +H\n") == "?");
  CHECK(runs("@@", "histchars=@^#\n") == "?");
  CHECK(runs("histchars=@^#\n@@") == "?");
}

TEST_CASE("shells without a history have none, and of others nothing is known") {
  const HistorySpec none{Kind::kNone, {}};
  const HistorySpec other{Kind::kUnknown, {}};
  CHECK(runs("!!", kBefore, none) == "!!");
  for (const char* typed :
       {"!!", "echo '!!'", "^a^b", "echo \\\\!x", "echo \"!x\"", "r", "ls;r a=b", "\\r"}) {
    INFO(typed);
    CHECK(runs(typed, kBefore, other) == "?");
  }
  for (const char* typed : {"! true", "[ a != b ]", "echo hi!", "echo \\!x", "echo a", "rm r.c"}) {
    INFO(typed);
    CHECK(runs(typed, kBefore, other) == typed);
  }
}

TEST_CASE("many references to much history are bounded") {
  std::string before;
  for (int at = 0; at < 4000; ++at) before += "echo " + std::to_string(at) + "\n";
  std::string text;
  for (int at = 0; at < 4000; ++at) text += "echo !?echo 0\n";
  CHECK(runs(text, before) == "?");
  std::string same = "echo a/b ";
  for (int at = 0; at < 8000; ++at) same += "!#:t ";
  CHECK(runs(same, before) == "?");
  std::string grows = "echo aaaaaaaaaa\n";
  for (int at = 0; at < 40; ++at) grows += "echo !* !*\n";
  CHECK(runs(grows, "") == "?");
}

// --- Against bash -------------------------------------------------------------------------------

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::string line() {
    if (one_in(12)) return quick();
    if (one_in(12)) return fc();
    std::string made = one_in(20) ? " " : "";
    for (int count = 1 + below(5); count > 0; --count) {
      if (!made.empty() && made.back() != ' ') made += ' ';
      made += one_in(3) ? reference() : word();
    }
    return made;
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint32_t>(end)); }
  bool one_in(int count) { return below(count) == 0; }
  std::string any(const Lines& of) {
    return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
  }

  std::string word() {
    return any({"echo", "true",      "a.b",   "/x/y.c", "\"d e\"", "'f g'",       "x!",
                "-n",   "--opt=1.2", "[!a]*", "#c",     ";true",   "&&",          "|true",
                "a#b",  "\"a'b\"",   "'!!'",  "\\!a",   "\\'",     "2>/dev/null", "</dev/null",
                "12",   "ab",        "it",    "\"x!\"", "=",       "$x",          "e^f"});
  }
  std::string text() { return any({"a", "e", "ec", "tr", "x", "o", "/", ".", "b c", "\\&", "&"}); }
  std::string event() {
    return any({"!!", "!-1", "!-2", "!-3", "!ec", "!tr", "!a", "!?b?", "!?x", "!#", "!e", "!"});
  }
  std::string words() {
    return any({"", "", "$", "^", "*", ":0", ":1", ":2", ":1-2", ":0-1", ":1*", ":1-", ":-1", ":$",
                ":^", ":*", ":2-$", "-", ":1-^"});
  }
  std::string modifier() {
    if (one_in(15)) return ":p";
    if (one_in(2)) return any({":h", ":t", ":r", ":e", ":q", ":x", ":&", ":g&"});
    const std::string mark = any({"/", "|", "x", ","});
    return any({":s", ":gs", ":as"}) + mark + text() + mark + text() + (one_in(4) ? "" : mark);
  }
  std::string reference() {
    std::string made = event() + words();
    while (one_in(3)) made += modifier();
    if (one_in(6)) return "\"" + made + "\"";
    if (one_in(6)) return any({"a", "$x", "\\", "\"", "'"}) + made;
    return one_in(6) ? made + any({"b", "\"", "!!", "'"}) : made;
  }
  std::string quick() {
    return "^" + text() + "^" + text() + any({"", "^", "^ x", "^:p", "^:s/a/b/", "^!$"});
  }
  std::string fc() {
    std::string made = any({"fc -s", "fc -e -", " fc -s"});
    while (one_in(2)) made += " " + any({"a", "e", "x"}) + "=" + any({"", "b", "e", "'q q'"});
    return made + any({"", " e", " tr", " -1", " -2", " a"});
  }

  std::mt19937 random_;
};

struct Session {
  Lines typed;
  Lines ran;      // not those that are only printed
  Lines history;  // nothing excluded
};

// A session of lines about which all is known. No program is found in it, and all builtins that it
// can name are harmless.
Session session(std::uint32_t seed) {
  constexpr int kTried = 400;
  static const HistorySpec spec{
      Kind::kBash, {"echo", "true", "a.b", "/x/y.c", "d e", "f g", "x!",  "-n",  "a#b", "--opt=1.2",
                    "a'b",  "!!",   "!a",  "'",      "12",  "ab",  "it",  "=",   "a",   "b",
                    "e^f",  "c",    "x",   "e",      "ec",  "b.b", "cho", "tru", ".b",  ".c"}};
  Generator generator(seed);
  Session made{{"true a b"}, {"true a b"}, {"true a b"}};
  std::string kept = "true a b\n";
  for (int at = 0; at < kTried; ++at) {
    const std::string line = generator.line();
    const TypedLines typed = expand_history(kept, line + "\n", spec);
    if (!typed.known) continue;
    const std::string added = typed.text.substr(kept.size(), typed.text.size() - kept.size() - 1);
    if (added.empty()) continue;  // nothing runs, and nothing is kept
    // A line with which another one is read ends what is known.
    const std::string unblanked =
        added.substr(std::min(added.find_first_not_of(' '), added.size()));
    if (!expand_history("true xyz\n" + unblanked + "\n", "!?xyz\n", spec).known) continue;
    made.typed.push_back(line);
    kept = typed.text;
    if (added.starts_with(printed_mark(""))) {
      made.history.push_back(added.substr(printed_mark("").size()));
    } else {
      made.history.push_back(added);
      made.ran.push_back(added);
    }
  }
  return made;
}

Lines lines_of(const std::string& path) {
  Lines all;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    // "   12  echo a": two blanks stand between.
    const std::size_t digit = line.find_first_of("0123456789");
    const std::size_t end = line.find_first_not_of("0123456789", digit);
    all.push_back(end + 2 > line.size() ? "" : line.substr(end + 2));
  }
  return all;
}

// What bash has as its last line after each one that ran, and at last all of its history.
struct Real {
  Lines last;
  Lines history;
};

Real real(const Session& session, const std::string& control) {
  const gibbous::testing::TempDir dir;
  std::string script;
  for (const std::string& line : session.typed) script += line + "\n";
  dir.write("script", script + "history > all\n");
  const std::string command =
      "cd " + dir.path() + " && setsid -w env -i HOME=" + dir.path() +
      " PATH=/nonexistent HISTFILE=/dev/null HISTCONTROL=" + control +
      " PROMPT_COMMAND='history 1 >> last' /bin/bash --norc --noprofile -i < script > out 2>&1";
  (void)!std::system(command.c_str());
  return {lines_of(dir.path() + "/last"), lines_of(dir.path() + "/all")};
}

TEST_CASE("bash runs what is said to run, whatever it excludes from its history") {
  if (std::system("test -x /bin/bash && command -v setsid > /dev/null") != 0) {
    WARN("skipped: there is no bash here, or no setsid");
    return;
  }
  constexpr std::uint32_t kSessions = 3;
  const char* seed_given = std::getenv("GIBBOUS_HISTORY_SEED");
  const auto first = static_cast<std::uint32_t>(seed_given == nullptr ? 1 : std::atoi(seed_given));
  std::size_t expanded = 0;
  for (std::uint32_t seed = first; seed < first + kSessions; ++seed) {
    const Session said = session(seed);
    for (const char* control : {"", "ignorespace", "ignoreboth", "ignoreboth:erasedups"}) {
      INFO("seed " << seed << " HISTCONTROL=" << control);
      const Real found = real(said, control);
      REQUIRE(found.last.size() >= said.ran.size());
      for (std::size_t at = 0; at < said.ran.size(); ++at) {
        const std::string& line = said.ran[at];
        if (line.front() == ' ' && *control != '\0') continue;
        INFO("line " << at);
        REQUIRE(found.last[at] == line);
      }
      if (*control == '\0') {
        Lines history = said.history;
        history.emplace_back("history > all");
        CHECK(found.history == history);
      }
    }
    for (std::size_t at = 0; at < said.history.size(); ++at)
      expanded += said.history[at] != said.typed[at] ? 1 : 0;
  }
  constexpr std::size_t kLeast = 20;  // of a session
  CHECK(expanded > kLeast * kSessions);
}

}  // namespace
}  // namespace gibbous::command
