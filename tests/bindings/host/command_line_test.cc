// What a command line runs in: the shell, and the variables of runs without a terminal.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gibbous/policy.h"
#include "runtime/base/shell_program.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;
using Variables = std::map<std::string, std::string>;

bool has_bash() {
  return default_shell() != kPlainShell;
}

// A workspace with a home, and a host whose runs inherit only what is given.
class Desk {
 public:
  explicit Desk(Variables environment = {}, const std::string& config = "") {
    dir.write("home/README", "");
    dir.write("work/README", "");
    environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";
    environment.try_emplace("HOME", dir.path() + "/home");
    RuntimeOptions options = auto_mode();
    options.mode = "dangerous";
    options.workspace = dir.path() + "/work";
    options.state_dir = dir.path() + "/state";
    options.environment = std::move(environment);
    if (!config.empty()) options.files["config.lua"] = config;
    host.emplace(std::move(options));
  }
  // Returns how it ended, and its output.
  std::string run(const std::string& command, Json args = Json::object()) {
    args["command"] = command;
    args["until"] = {{"exit", true}};
    const CallResult result = host->call("bg_start", args);
    UNSCOPED_INFO(command << ": " << result.message << result.text);
    return result.text;
  }

  TempDir dir;
  std::optional<Host> host;
};

TEST_CASE("a line means in the default shell what it means in bash") {
  if (!has_bash()) return;
  Desk desk;
  const std::pair<const char*, const char*> lines[] = {
      {"set -o pipefail; false | true; echo code $?", "code 1"},
      {"[[ abc == a* ]] && echo matches", "matches"},
      {"a=(x y z); echo ${a[1]} ${#a[@]}", "y 3"},
      {"cat <(echo inner)", "inner"},
      {"echo {a,b}.c", "a.c b.c"},
      {"echo 'X=7' > f; source ./f; echo $X", "7"},
      {"mkdir -p build; cd build &> /dev/null && pwd", "/work/build"},
      {"x=/a; x+=b; echo $x", "/ab"},
      {R"(echo "a\nb")", R"(a\nb)"},
  };
  for (const auto& [line, output] : lines) CHECK_THAT(desk.run(line), Contains(output));
}

TEST_CASE("nothing of the environment changes what a line runs in bash") {
  if (!has_bash()) return;
  const TempDir files;
  const std::string script = files.write("script", "echo changed; ls() { echo changed; }\n");
  files.write(".bashrc", "echo changed\n");
  files.write(".bash_profile", "echo changed\n");
  const Variables environments[] = {
      {{"BASH_ENV", script}},
      {{"ENV", script}},
      {{"BASH_FUNC_echo%%", "() { printf changed; }"}},
      {{"SHELLOPTS", "noexec"}},
      {{"SHELLOPTS", "posix:xtrace"}, {"PS4", "changed "}},
      {{"BASHOPTS", "expand_aliases:extglob"}},
      {{"HOME", files.path()}, {"SSH_CLIENT", "10.0.0.1 1 22"}},
      {{"HOME", files.path()}, {"SSH2_CLIENT", "10.0.0.1 1 22"}},
  };
  // A configured bash is no other.
  for (const char* config : {"", "return { shell = '/bin/bash' }"}) {
    for (const Variables& environment : environments) {
      Desk desk(environment, config);
      const std::string text = desk.run("echo as judged");
      CHECK_THAT(text, Contains("as judged"));
      CHECK_THAT(text, !Contains("changed"));
    }
  }
}

TEST_CASE("a configured shell gets its lines, and tools name it") {
  const auto described = [](Desk& desk) {
    for (const ToolInfo& tool : desk.host->runtime->tools()) {
      if (tool.name == "bg_start")
        return Json::parse(tool.input_schema)["properties"]["cwd"]["description"]
            .get<std::string>();
    }
    return std::string();
  };
  Desk plain({}, "return { shell = '/bin/sh' }");
  CHECK_THAT(plain.run("echo $0"), Contains("/bin/sh"));
  CHECK(described(plain) == "Where sh starts");
  Desk usual;
  CHECK(described(usual) == (has_bash() ? "Where bash starts" : "Where sh starts"));
  Desk elsewhere({}, "return { executor = 'pid-namespace' }");
  CHECK(described(elsewhere) == "Where shell starts");
}

TEST_CASE("a last command that crashes ends its run by its signal") {
  if (!has_bash()) return;
  Desk desk;
  CHECK_THAT(desk.run("sh -c 'kill -SEGV $$'"), Contains("SIGSEGV"));
}

TEST_CASE("a run without a terminal has what keeps programs from waiting for a person") {
  const char* kNames[] = {"EDITOR",
                          "VISUAL",
                          "GIT_EDITOR",
                          "PAGER",
                          "GIT_PAGER",
                          "MANPAGER",
                          "DEBIAN_FRONTEND",
                          "PYTHONUNBUFFERED",
                          "GIT_SEQUENCE_EDITOR",
                          "GIT_TERMINAL_PROMPT"};
  Desk desk;
  for (const char* name : kNames) {
    const std::string print = std::string("echo \"<${") + name + "-unset}>\"";
    INFO(name);
    CHECK_THAT(desk.run(print), !Contains("<unset>"));
    CHECK_THAT(desk.run(print, {{"pty", true}}), Contains("<unset>"));
    // The call, the user's environment and the configuration count.
    CHECK_THAT(desk.run(print, {{"env", {{name, "mine"}}}}), Contains("<mine>"));
    CHECK_THAT(desk.run(print, {{"env", {{name, ""}}}}), Contains("<>"));
    Desk inherits(Variables{{name, "/own/program"}});
    CHECK_THAT(inherits.run(print), Contains("</own/program>"));
    Desk configured({}, std::string("return { env = { ") + name + " = 'from file' } }");
    CHECK_THAT(configured.run(print), Contains("<from file>"));
  }
  CHECK_THAT(desk.run("echo $PAGER $GIT_PAGER $MANPAGER $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND "
                      "$PYTHONUNBUFFERED"),
             Contains("cat cat cat 0 noninteractive 1"));
}

// A repository with two commits and a change that is staged.
void make_repository(Desk& desk) {
  REQUIRE_THAT(desk.run("git init -q . && git config user.email a@b && git config user.name a && "
                        "echo 1 > f && git add f && git commit -qm one && echo 2 > f && "
                        "git commit -qam two && echo 3 > f && git add f"),
               Contains("exit 0"));
}

TEST_CASE("git commit without a terminal fails at once and says what to do") {
  // Each of these would wait for ever.
  const Variables environments[] = {{},
                                    {{"EDITOR", "vim"}},
                                    {{"VISUAL", "/usr/bin/vi"}, {"EDITOR", "nano -w"}},
                                    {{"GIT_EDITOR", "nvim"}},
                                    {{"GIT_SEQUENCE_EDITOR", "vim"}}};
  for (const Variables& environment : environments) {
    Desk desk(environment);
    make_repository(desk);
    desk.run("git config core.editor vim; git config sequence.editor vim");
    for (const char* line :
         {"git commit", "git commit --amend", "git rebase -i HEAD~1 --autostash", "git tag -a x"}) {
      const std::string text = desk.run(line);
      CHECK_THAT(text, !Contains("exit 0"));
      CHECK_THAT(text, Contains("--no-edit"));
      CHECK_THAT(text, Contains("GIT_EDITOR=true"));
      desk.run("git rebase --abort");
    }
  }
}

TEST_CASE("an editor that the line, the call or the user names is used by git") {
  Desk desk(Variables{{"VISUAL", "vim"}});
  make_repository(desk);
  for (
      const char* line :
      {"git commit -qm three", "git commit --amend --no-edit", "GIT_EDITOR=true git commit --amend",
       "EDITOR=true git commit --amend", "VISUAL=true git commit --amend",
       "export EDITOR=:; git commit --amend", "git -c core.editor=true commit --amend",
       "GIT_EDITOR=: git rebase -i HEAD~1", "GIT_SEQUENCE_EDITOR=: git rebase -i HEAD~1",
       "git -c sequence.editor=: rebase -i HEAD~1",
       R"(EDITOR="sed -i 's/^three/3rd one/'" git commit --amend && git log -1 | grep '3rd one')"}) {
    CHECK_THAT(desk.run(line), Contains("exit 0"));
  }
  for (const char* name : {"EDITOR", "VISUAL", "GIT_EDITOR"}) {
    CHECK_THAT(desk.run("git commit --amend", {{"env", {{name, "true"}}}}), Contains("exit 0"));
    Desk other(Variables{{name, "/bin/true"}});
    make_repository(other);
    CHECK_THAT(other.run("git commit --amend"), Contains("exit 0"));
  }
}

TEST_CASE("a line is judged as gibbous policy check judges it, whatever variables a start sets") {
  const TempDir dir;
  PolicyOptions options;
  options.mode = "auto";
  options.workspace = dir.path();
  options.state_dir = dir.path() + "/state";
  const auto policy = Policy::load(options);
  REQUIRE(policy.ok());
  const auto judged = [&](const std::string& line, const Json& env) {
    Json answer = Json::parse((*policy)->check(Json{{"command", line}, {"env", env}}.dump()));
    return answer["decision"].dump() + answer["rule"].dump() + answer["reason"].dump();
  };
  for (const char* line :
       {"[[ -e a ]]", "(( x = 1 ))", "x=1", "# nothing", "", "f() { rm -rf \"$1\"; }", "frob --all",
        "ls", "make && frob", "python3 a.py", "git commit", "{ :; }", "for i in; do :; done", "$x",
        "[[ a ]] && frob", "case a in b) ;; esac"}) {
    INFO(line);
    CHECK(judged(line, {{"PYTHONUNBUFFERED", "1"}}) == judged(line, Json::object()));
  }
}

TEST_CASE("of NODE_OPTIONS only what a debugger loads is left out, and ELECTRON_RUN_AS_NODE goes") {
  const std::pair<const char*, const char*> values[] = {
      {R"(--require "/x y/ms-vscode.js-debug/src/bootloader.js" --inspect-publish-uid=http)",
       "--inspect-publish-uid=http"},
      {"--max-old-space-size=4096 --require /opt/js-debug/bootloader.js",
       "--max-old-space-size=4096"},
      {"--import file:///opt/js-debug/register.mjs --no-warnings", "--no-warnings"},
      {"-r=/opt/debugConnector.js", "<unset>"},
      {"--require ./debug-setup.js", "--require ./debug-setup.js"},
      {"--require dotenv/config --import tsx", "--require dotenv/config --import tsx"},
      {"--require /opt/tracing/index.js", "--require /opt/tracing/index.js"},
  };
  for (const auto& [inherited, left] : values) {
    ::setenv("NODE_OPTIONS", inherited, 1);
    ::setenv("ELECTRON_RUN_AS_NODE", "1", 1);
    RuntimeOptions options = auto_mode();
    options.mode = "dangerous";
    Host host(options);
    const auto printed = [&](const Json& env) {
      return host
          .call("bg_start",
                {{"command", R"(echo "[${NODE_OPTIONS-<unset>}]" "${ELECTRON_RUN_AS_NODE-none}.")"},
                 {"until", {{"exit", true}}},
                 {"env", env}})
          .text;
    };
    CHECK_THAT(printed(Json::object()), Contains("[" + std::string(left) + "] none."));
    CHECK_THAT(printed({{"NODE_OPTIONS", inherited}, {"ELECTRON_RUN_AS_NODE", "1"}}),
               Contains("[" + std::string(inherited) + "] 1."));
  }
  ::unsetenv("NODE_OPTIONS");
  ::unsetenv("ELECTRON_RUN_AS_NODE");
}

}  // namespace
}  // namespace gibbous::testing
