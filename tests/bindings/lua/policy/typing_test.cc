// What is typed into running programs: code for interpreters, and the commands that pagers, editors
// and clients take. The programs are those of the run's command, or own its terminal.
#include <string>
#include <vector>

#include "tests/bindings/lua/policy/shipped_policy.h"
#include "tests/support/catch.h"

namespace gibbous::testing {
namespace {

using Words = std::vector<std::string>;

class Typing {
 public:
  Typing() {
    fields_ = {
        {"kind", "stdin"}, {"mode", "auto"}, {"tool", "bg_input"}, {"permission", "execute"}};
  }
  std::string into(const std::string& command, const std::string& text,
                   Json more = Json::object()) {
    Json asked = fields_;
    asked["command"] = command;
    asked["text"] = text;
    asked.update(more);
    return ShippedPolicy::word(policy_.ask(asked));
  }

 private:
  ShippedPolicy policy_;
  Json fields_;
};

struct Row {
  const char* command;
  const char* text;
  const char* verdict;
};

// A command that a rule denies in every mode.
#define DENIED "rm -rf /"

TEST_CASE("code that is typed into an interpreter is judged like code of its -c") {
  const Row rows[] = {
      {"python3", "2+2\n", "allow"},
      {"python3 -q", "print('hi')\n", "allow"},
      {"python3", "import math\nmath.sqrt(2)\n", "allow"},
      {"python3", "x\n", "allow"},
      {"python3", "exit()\n", "allow"},
      {"python3", "import os; os.remove('x')\n", "ask"},
      {"python3", "import os; os.system('" DENIED "')\n", "deny"},
      {"python3 -i", "eval(x)\n", "ask"},
      {"python3 -i setup.py", "eval(x)\n", "ask"},
      {"python3 setup.py", "eval(x)\n", "allow"},
      {"node", "1 + 1\n", "allow"},
      {"node", ".exit\n", "allow"},
      {"node -i", "require('child_process').execSync('" DENIED "')\n", "deny"},
      {"psql shop", "select * from t;\n", "allow"},
      {"psql shop", "\\dt\n", "allow"},
      {"psql shop", "drop table t;\n", "ask"},
      {"sqlite3 a.db", ".tables\n", "allow"},
      {"sqlite3 a.db", "select 1;\nselect 2;\n", "allow"},
      {"sqlite3 a.db", "delete from t;\n", "ask"},
      {"gdb ./a", "bt\n", "allow"},
      {"gdb ./a", "call system(\"id\")\n", "ask"},
  };
  Typing typing;
  for (const Row& row : rows) {
    INFO(row.command << ": " << row.text);
    CHECK(typing.into(row.command, row.text) == row.verdict);
  }
}

TEST_CASE("commands that running programs take are judged as commands") {
  const Row rows[] = {
      {"less a.txt", "!ls\n", "allow"},
      {"less a.txt", "!" DENIED "\n", "deny"},
      {"less a.txt", "G!" DENIED "\n", "deny"},
      {"less a.txt", "/needle\nq", "allow"},
      {"man ls", "!" DENIED "\n", "deny"},
      {"more a.txt", "!" DENIED "\n", "deny"},
      {"vi a.txt", ":!ls\n", "allow"},
      {"vi a.txt", ":!" DENIED "\n", "deny"},
      {"vi a.txt", "ihello:10,20!" DENIED "\n", "deny"},
      {"vim a.txt", ":r !" DENIED "\n", "deny"},
      {"vim a.txt", ":r!" DENIED "\n", "deny"},
      {"vim a.txt", ":w !" DENIED "\n", "deny"},
      {"nvim a.txt", ":silent !" DENIED "\n", "deny"},
      {"nvim a.txt", ":terminal " DENIED "\n", "deny"},
      {"vim a.txt", ":call system('" DENIED "')\n", "ask"},
      {"vim a.txt", ":wq\n", "allow"},
      {"vim a.txt", ":q!\n", "allow"},
      {"vim a.txt", "iNote: it works! Really\n", "allow"},
      {"less a.txt", "/a|b\n", "allow"},
      {"psql shop", "SELECT a || b FROM t WHERE x != 1 AND y !~ 'z';\n", "allow"},
      {"psql shop", "SELECT 1 \\g | " DENIED "\n", "deny"},
      {"gdb ./a", "print a != b\n", "allow"},
      {"psql shop", "\\! ls\n", "allow"},
      {"psql shop", "\\! " DENIED "\n", "deny"},
      {"mysql shop", "system " DENIED "\n", "deny"},
      {"sqlite3 a.db", ".shell " DENIED "\n", "deny"},
      {"gdb ./a", "shell ls\n", "allow"},
      {"gdb ./a", "shell " DENIED "\n", "deny"},
      {"gdb ./a", "!" DENIED "\n", "deny"},
      {"gdb ./a", "python import os; os.system('" DENIED "')\n", "deny"},
      {"sftp host", "!" DENIED "\n", "deny"},
      {"ed a.txt", "!" DENIED "\n", "deny"},
      {"sudo less /var/log/syslog", "!" DENIED "\n", "deny"},
  };
  Typing typing;
  for (const Row& row : rows) {
    INFO(row.command << ": " << row.text);
    CHECK(typing.into(row.command, row.text) == row.verdict);
  }
}

TEST_CASE("control keys and answers to prompts are free") {
  Typing typing;
  for (const char* command : {"python3", "node", "psql shop", "gdb ./a", "less a", "bash -i"}) {
    INFO(command);
    CHECK(typing.into(command, "\n", {{"interrupted", true}}) == "allow");
    CHECK(typing.into(command, "\n") == "allow");
  }
  CHECK(typing.into("gdb ./a", "y\n") == "allow");
  CHECK(typing.into("npm init", "my-app\n") == "allow");
  CHECK(typing.into("ssh-keygen", "(odd; 'answer\n") == "allow");
  // Keys that recall a line leave open what runs.
  CHECK(typing.into("python3", "\n", {{"edited", true}}) == "ask");
  CHECK(typing.into("less a", "", {{"edited", true}}) == "allow");
  // A line that was begun may be there still.
  CHECK(typing.into("python3", "2\n", {{"interrupted", true}, {"typed", "os.system("}}) == "ask");
}

TEST_CASE("text that is typed in pieces is judged as the line that it makes") {
  Typing typing;
  CHECK(typing.into("less a", DENIED "\n", {{"typed", "!"}}) == "deny");
  CHECK(typing.into("vi a", "m -rf /\n", {{"typed", ":wq\n:!r"}}) == "deny");
  CHECK(typing.into("python3", "tem('" DENIED "')\n", {{"typed", "import os\nos.sys"}}) == "deny");
  CHECK(typing.into("psql shop", "from t;\n", {{"typed", "select *\n"}}) == "allow");
}

TEST_CASE("the program that owns the terminal takes what is typed, and a shell's denials hold") {
  Typing typing;
  const auto owned_by = [](const Words& argv) { return Json{{"foreground", Json::array({argv})}}; };
  CHECK(typing.into("git log", "!" DENIED "\n", owned_by({"less"})) == "deny");
  CHECK(typing.into("git log", "!" DENIED "\n") == "allow");
  CHECK(typing.into("bash -i", "print(1)\n", owned_by({"python3"})) == "allow");
  CHECK(typing.into("bash -i", "import os; os.remove('x')\n", owned_by({"python3"})) == "ask");
  CHECK(typing.into("bash -i", ":!" DENIED "\n", owned_by({"/usr/bin/vi", "a"})) == "deny");
  CHECK(typing.into("bash -i", DENIED "\n", owned_by({"vi", "a"})) == "deny");
  CHECK(typing.into("bash -i", DENIED "\n", owned_by({"bash", "-i"})) == "deny");
}

TEST_CASE("typed text is bounded before it is examined") {
  Typing typing;
  CHECK(typing.into("less a", "!" + std::string(200'000, 'x') + "\n") != "allow");
  CHECK(typing.into("python3", std::string(60'000, '`') + "\n") == "ask");
  std::string many;
  for (int count = 0; count < 2000; ++count) many += "!ls\n";
  CHECK(typing.into("less a", many) == "allow");
}

}  // namespace
}  // namespace gibbous::testing
