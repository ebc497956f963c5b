// Terminals from the outside: the tool `shell` and scripts drive real programs by keys and screens.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

// Terminals for scripts: each tool passes its arguments on.
constexpr char kInit[] = R"(
local function check(value, err)
  if value == nil then tool.error(err.code, err.message) end
  return value
end
local function made(name, permission, run_it, fields)
  return tool {
    name = name, description = name, permission = permission, run = run_it,
    input = schema.object(fields),
  }
end
local ID = { id = schema.string {}, options = schema.any { optional = true } }
local tools = {
  made('start', 'execute', function(args)
    local handle = check(run.start(args.options))
    return { text = handle.id, data = { id = handle.id, info = handle:info() } }
  end, { options = schema.any {} }),
  made('type', 'execute', function(args)
    check(check(run.get(args.id)):send_keys(args.keys, args.options))
    return 'typed'
  end, { id = schema.string {}, keys = schema.string {}, options = schema.any { optional = true } }),
  made('write', 'execute', function(args)
    check(check(run.get(args.id)):write(args.text))
    return 'written'
  end, { id = schema.string {}, text = schema.string {} }),
  made('screen', 'read', function(args)
    return { text = 'screen', data = check(check(run.get(args.id)):screen(args.options)) }
  end, ID),
  made('resize', 'execute', function(args)
    check(check(run.get(args.id)):resize(args.options))
    return 'resized'
  end, ID),
  made('close', 'execute', function(args)
    check(check(run.get(args.id)):close_stdin())
    return 'closed'
  end, { id = schema.string {} }),
  made('await', 'read', function(args)
    local handle = check(run.get(args.id))
    local condition = args.options
    condition.kind = 'screen'
    local answer = handle:wait { any = { condition }, timeout_ms = args.timeout_ms or 20000 }
    return { text = 'waited', data = answer }
  end, {
    id = schema.string {}, options = schema.any {}, timeout_ms = schema.number { optional = true },
  }),
  made('info', 'read', function(args)
    return { text = 'info', data = check(run.get(args.id)):info() }
  end, { id = schema.string {} }),
}
return { toolsets = { require 'toolsets.shell', require 'toolsets.bg', { name = 'more', tools = tools } } }
)";

class Desk {
 public:
  explicit Desk(const std::string& mode = "dangerous") {
    dir_.write("init.lua", kInit);
    fs::create_directory(path("work"));
    RuntimeOptions options = auto_mode();
    options.mode = mode;
    options.scripts_dir = dir_.path();
    options.state_dir = path("state");
    options.workspace = path("work");
    host_.emplace(std::move(options));
  }
  Host& host() { return *host_; }
  void close() { host_.reset(); }
  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }
  std::string file(const std::string& name) const {
    std::ifstream stream(path("work/" + name));
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  Json shell(const Json& args) { return host().data("shell", args); }
  std::string spawn(const std::string& command) {
    return shell({{"action", "spawn"}, {"command", command}, {"pty", true}})["run_id"];
  }
  std::string start(Json options) {
    if (!options.contains("pty")) options["pty"] = true;
    options["detach"] = true;
    return host().data("start", {{"options", options}})["id"];
  }
  // Returns the screen after the keys.
  std::string keys(const std::string& id, const std::string& text) {
    return shell({{"action", "send_keys"}, {"run_id", id}, {"keys", text}})["screen"]["text"];
  }
  void type(const std::string& id, const std::string& text) {
    must("type", {{"id", id}, {"keys", text}});
  }
  void must(const std::string& tool, const Json& args) {
    const CallResult result = host().call(tool, args);
    INFO(tool << ": " << result.message);
    REQUIRE(result.ok);
  }
  Json screen(const std::string& id, const Json& options = Json::object()) {
    return host().data("screen", {{"id", id}, {"options", options}});
  }
  std::string text(const std::string& id) {
    std::string all;
    const Json shown = screen(id);
    for (const Json& line : shown["lines"]) all += line.get<std::string>() + "\n";
    return all;
  }
  void until_shown(const std::string& id, const std::string& pattern) {
    const Json answer = host().data("await", {{"id", id}, {"options", {{"pattern", pattern}}}});
    INFO(pattern << " is not in:\n" << text(id));
    REQUIRE(answer["ok"] == true);
  }
  Json until_ended(const std::string& id) {
    Json info;
    REQUIRE(host().until([&] {
      info = host().data("info", {{"id", id}});
      return info.contains("ended_ms");
    }));
    return info;
  }
  CallResult call(const std::string& tool, const Json& args) { return host().call(tool, args); }
  // Returns true if the word is in any file that Gibbous has written.
  bool is_recorded(const std::string& word) {
    for (const auto& entry : fs::recursive_directory_iterator(path("state"))) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      std::stringstream bytes;
      bytes << stream.rdbuf();
      if (bytes.str().find(word) != std::string::npos) return true;
    }
    return false;
  }

 private:
  TempDir dir_;
  std::optional<Host> host_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("send_keys returns the screen, and an editor's file is written") {
  Desk desk;
  const std::string id = desk.spawn("vi -u NONE -i NONE note.txt");
  CHECK(has(desk.keys(id, "ihello from keys"), "hello from keys"));
  desk.keys(id, "<Enter>second<Esc>");
  desk.until_shown(id, "^second");
  desk.type(id, ":wq<Enter>");
  CHECK(desk.until_ended(id)["state"] == "completed");
  CHECK(desk.file("note.txt") == "hello from keys\nsecond\n");
}

TEST_CASE("nano writes a file by its control keys") {
  Desk desk;
  const std::string id = desk.start({{"argv", {"nano", "-I", "nano.txt"}}});
  desk.until_shown(id, "Exit");
  desk.type(id, "one<Enter>two<C-o>");
  desk.until_shown(id, "File Name");
  desk.type(id, "<Enter>");
  desk.until_shown(id, "Wrote 2 lines");
  desk.type(id, "<C-x>");
  desk.until_ended(id);
  CHECK(desk.file("nano.txt") == "one\ntwo\n");
}

TEST_CASE("bash edits lines and remembers them") {
  Desk desk;
  const std::string id = desk.start({{"argv", {"bash", "--norc", "-i"}}, {"env", {{"PS1", "> "}}}});
  desk.until_shown(id, "^>");
  desk.type(id, "echo w$((1))rd<Enter>");
  desk.until_shown(id, "^w1rd");
  desk.type(id, "clear<Enter>");
  desk.until_shown(id, "^>$");
  desk.type(id, "<Up><Up><Home>true; <End> twice<Enter>");
  desk.until_shown(id, "^w1rd twice");
}

TEST_CASE("a Python prompt answers") {
  Desk desk;
  const std::string id = desk.spawn("python3 -q");
  desk.keys(id, "6 * 7<Enter>");
  desk.until_shown(id, "^42");
  desk.type(id, "exit()<Enter>");
  CHECK(desk.until_ended(id)["exit_code"] == 0);
}

TEST_CASE("less pages and searches on the alternate screen, and leaves it") {
  Desk desk;
  const std::string id =
      desk.start({{"command", "seq 1 1000 > numbers; less numbers; echo back; read x"},
                  {"env", {{"LESS", ""}}}});
  desk.until_shown(id, "numbers");
  CHECK(desk.screen(id)["alternate"] == true);
  desk.type(id, "<Space>");
  desk.until_shown(id, "^46$");
  desk.type(id, "/77[0]<Enter>");
  desk.until_shown(id, "^770$");
  desk.type(id, "q");
  desk.until_shown(id, "^back");
  CHECK(desk.screen(id)["alternate"] == false);
  CHECK(!has(desk.text(id), "770"));
}

TEST_CASE("top draws its screen and quits") {
  Desk desk;
  const std::string id = desk.start({{"argv", {"top", "-d", "1"}}});
  desk.until_shown(id, "PID USER");
  desk.type(id, "q");
  CHECK(desk.until_ended(id)["state"] == "completed");
}

TEST_CASE("cursor keys move through a menu, and styles show the selection") {
  Desk desk;
  const std::string id = desk.start(
      {{"command",
        "whiptail --menu Pick 15 40 3 a apple b banana c cherry 2> choice; cat choice"}});
  desk.until_shown(id, "banana");
  const Json before = desk.screen(id, {{"attributes", true}});
  CHECK(!before["styles"].empty());
  desk.type(id, "<Down>");
  REQUIRE(desk.host().until([&] {
    return !desk.screen(id, {{"since", before["version"]}})["changed"].empty();
  }));
  desk.type(id, "<Tab><Enter>");
  desk.until_ended(id);
  CHECK(desk.file("choice") == "b");
}

TEST_CASE("git add -p stages the hunk that was chosen") {
  Desk desk;
  const std::string id =
      desk.start({{"command",
                   "git init -q . && git config user.email a@b.c && git config user.name n && "
                   "seq 1 60 > f && git add f && git commit -qm one && "
                   "sed -i 's/^5$/five/; s/^55$/fiftyfive/' f && git add -p f; git diff --cached"},
                  {"env", {{"GIT_PAGER", "cat"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}}}});
  desk.until_shown(id, "\\(1/2\\) Stage this hunk");
  desk.type(id, "n<Enter>");
  desk.until_shown(id, "\\(2/2\\) Stage this hunk");
  desk.type(id, "y<Enter>");
  desk.until_ended(id);
  desk.until_shown(id, "^\\+fiftyfive");
}

TEST_CASE("a progress bar is a changing row, and poll shows it readable") {
  Desk desk;
  const std::string id = desk.spawn(
      "for i in 10 50 100; do printf '\\r\\033[32mdone %s%%\\033[0m' $i; done; echo; echo end");
  Json answer;
  std::string items;
  REQUIRE(desk.host().until([&] {
    answer = desk.shell({{"action", "poll"}, {"run_id", id}});
    return answer["done"] == true;
  }));
  for (const Json& item : answer["items"]) {
    if (item["item_type"] == "terminal") items += item["payload"].get<std::string>();
  }
  CHECK(!has(items, "\x1b"));
  CHECK(has(items, "done 100%"));
  CHECK(has(answer["screen"]["text"], "done 100%\nend"));
  CHECK(!has(answer["screen"]["text"], "done 10%"));
}

TEST_CASE("poll of a full-screen program gives its screen") {
  Desk desk;
  const std::string id = desk.spawn("vi -u NONE -i NONE big.txt");
  desk.keys(id, "ivisible text<Esc>");
  desk.until_shown(id, "visible text");
  const CallResult polled = desk.call("shell", {{"action", "poll"}, {"run_id", id}});
  CHECK(has(polled.text, "visible text"));
  CHECK(has(polled.text, "running"));
}

TEST_CASE("wide characters and invalid UTF-8 are shown") {
  Desk desk;
  const std::string id = desk.start(
      {{"command",
        "printf '\\346\\274\\242\\345\\255\\227 \\360\\237\\230\\200 \\377x\\n'; read y"}});
  desk.until_shown(id, "x$");
  CHECK(has(desk.text(id), "\xE6\xBC\xA2\xE5\xAD\x97 \xF0\x9F\x98\x80"));
}

TEST_CASE("the size that a program sees changes with resize") {
  Desk desk;
  const std::string id =
      desk.start({{"argv", {"bash", "--norc", "-i"}}, {"pty", {{"rows", 30}, {"cols", 90}}}});
  desk.type(id, "stty size; tput cols<Enter>");
  desk.until_shown(id, "^30 90");
  desk.must("resize", {{"id", id}, {"options", {{"rows", 20}, {"cols", 70}}}});
  desk.type(id, "clear; stty size; tput cols<Enter>");
  desk.until_shown(id, "^20 70");
  desk.until_shown(id, "^70");
  const Json screen = desk.screen(id);
  CHECK(screen["rows"] == 20);
  CHECK(screen["lines"].size() == 20);
  CHECK(desk.host().data("info", {{"id", id}})["pty"]["cols"] == 70);
}

TEST_CASE("lines that scrolled off are returned on request") {
  Desk desk;
  const std::string id = desk.start({{"command", "seq 1 1000; read x"}});
  desk.until_shown(id, "^1000");
  const Json screen = desk.screen(id, {{"scrollback", 3}});
  CHECK(screen["scrolled"] == 977);
  CHECK(screen["scrollback"] == Json({"975", "976", "977"}));
}

TEST_CASE("text is pasted in one piece if the program requests it") {
  Desk desk;
  const std::string id = desk.spawn("bash --norc -i");
  desk.keys(id, "echo start<Enter>");
  desk.until_shown(id, "^start");
  desk.shell(
      {{"action", "send_keys"}, {"run_id", id}, {"keys", "echo <b>\necho two"}, {"paste", true}});
  desk.until_shown(id, "echo <b>");
  desk.type(id, "<C-c>");
}

TEST_CASE("text that the terminal hides is not recorded") {
  Desk desk;
  const std::string word = "pw" + unique_word();
  for (const std::string command : {"bash -c 'read -sp \"pass: \" x; echo; echo got ${#x}; read y'",
                                    "python3 -c 'import getpass; x = getpass.getpass(\"pass: \"); "
                                    "print(\"got\", len(x)); input()'"}) {
    const std::string id = desk.spawn(command);
    REQUIRE(desk.host().until([&] {
      return desk.call("screen", {{"id", id}}).ok && has(desk.text(id), "pass:");
    }));
    const std::string after = desk.keys(id, word + "<Enter>");
    desk.until_shown(id, "got " + std::to_string(word.size()));
    CHECK(!has(after, word));
    desk.type(id, "shown" + word.substr(2) + "<Enter>");
    desk.until_ended(id);
  }
  desk.close();
  CHECK(!desk.is_recorded(word));
}

TEST_CASE("text typed into a program that reads single keys is not recorded") {
  Desk desk;
  const std::string word = "pw" + unique_word();
  const std::string id =
      desk.start({{"command",
                   "python3 -c 'import sys, tty; tty.setraw(0); print(\"pin:\", flush=True); "
                   "sys.stdin.read(4); print(\"got it\")'"}});
  desk.until_shown(id, "pin:");
  desk.keys(id, word);
  desk.until_ended(id);
  // The program is over, and these keys were meant for it.
  const CallResult late =
      desk.call("shell", {{"action", "send_keys"}, {"run_id", id}, {"keys", word}});
  CHECK(late.code == "stdin_closed");
  desk.close();
  CHECK(!desk.is_recorded(word));
}

TEST_CASE("text that the terminal shows is in the decisions") {
  Desk desk;
  const std::string word = "open" + unique_word();
  const std::string id = desk.start({{"argv", {"cat"}}});
  desk.type(id, word + "<Enter>");
  desk.until_shown(id, word);
  desk.close();
  CHECK(desk.is_recorded(word));
}

TEST_CASE("text typed into a shell is judged like text written to it") {
  Desk desk("auto");
  const std::string id = desk.start({{"argv", {"bash", "--norc", "-i"}}, {"env", {{"PS1", "> "}}}});
  desk.until_shown(id, "^>");
  const auto code = [&](const Json& args) { return desk.call("type", args).code; };
  CHECK(code({{"id", id}, {"keys", "echo fine<Enter>"}}).empty());
  desk.until_shown(id, "^fine");
  CHECK(code({{"id", id}, {"keys", "rm -rf /<Enter>"}}) == "denied");
  CHECK(code({{"id", id}, {"keys", "rm -rf "}}).empty());
  CHECK(code({{"id", id}, {"keys", "/<Enter>"}}) == "denied");
  CHECK(code({{"id", id}, {"keys", "<C-c>"}}).empty());
  // The line that a key recalls or completes is not known before it runs.
  CHECK(code({{"id", id}, {"keys", "<Up><Enter>"}}) != "");
  CHECK(code({{"id", id}, {"keys", "<C-r>rm"}}) != "");
  const CallResult written = desk.call("write", {{"id", id}, {"text", "\x1b[A\r"}});
  CHECK(!written.ok);
  CHECK(!has(desk.text(id), "rm -rf /"));
}

TEST_CASE("keys with a byte reach a run without a terminal, others say what to do") {
  Desk desk;
  const std::string id =
      desk.start({{"command", "read x; echo \"got $x\""}, {"pty", false}, {"stdin", "pipe"}});
  const CallResult refused = desk.call("type", {{"id", id}, {"keys", "<Up>"}});
  CHECK(refused.code == "no_terminal");
  CHECK(has(refused.message, "pty = true"));
  CHECK(desk.call("screen", {{"id", id}}).code == "no_terminal");
  CHECK(desk.call("resize", {{"id", id}, {"options", {{"rows", 24}, {"cols", 80}}}}).code ==
        "no_terminal");
  desk.type(id, "word<Enter>");
  CHECK(desk.until_ended(id)["state"] == "completed");
}

TEST_CASE("an error of wrong use of terminals names the field and the accepted values") {
  Desk desk;
  const std::string id = desk.start({{"argv", {"cat"}}});
  const auto message = [&](const std::string& tool, const Json& args) {
    const CallResult result = desk.call(tool, args);
    CHECK(!result.ok);
    return result.message;
  };
  CHECK(has(message("type", {{"id", id}, {"keys", "<Entr>"}}), "did you mean <Enter>"));
  CHECK(
      has(message("start", {{"options", {{"command", "true"}, {"pty", {{"rows", 1}}}}}}), "rows"));
  CHECK(has(message("start", {{"options", {{"command", "true"}, {"pty", "yes"}}}}), "pty"));
  CHECK(
      has(message("start", {{"options", {{"command", "true"}, {"pty", true}, {"stdin", "pipe"}}}}),
          "stdin"));
  CHECK(has(message("resize", {{"id", id}, {"options", {{"rows", 24}}}}), "cols"));
  CHECK(desk.call("close", {{"id", id}}).code == "is_terminal");
  CHECK(has(message("await", {{"id", id}, {"options", {{"pattern", "("}}}}), "pattern"));
  desk.type(id, "<C-d>");
  desk.until_ended(id);
}

TEST_CASE("a wait for the screen ends when the text appears, is gone, or never can come") {
  Desk desk;
  const std::string id =
      desk.start({{"command", "echo loading 42; read x; clear; echo ready; read y"}});
  const Json shown =
      desk.host().data("await", {{"id", id}, {"options", {{"pattern", "loading (\\d+)"}}}});
  CHECK(shown["fired"][0]["kind"] == "screen");
  CHECK(shown["fired"][0]["captures"][0] == "42");
  CHECK(shown["fired"][0]["row"] == 1);
  desk.type(id, "<Enter>");
  const Json gone = desk.host().data(
      "await", {{"id", id}, {"options", {{"pattern", "loading"}, {"absent", true}}}});
  CHECK(gone["ok"] == true);
  const Json late = desk.host().data(
      "await", {{"id", id}, {"options", {{"pattern", "never"}}}, {"timeout_ms", 50}});
  CHECK(late["reason"] == "timeout");
  desk.type(id, "<Enter>");
  const Json never = desk.host().data("await", {{"id", id}, {"options", {{"pattern", "never"}}}});
  CHECK(never["reason"] == "impossible");
}

TEST_CASE("watchers and lines treat a terminal's output like any output") {
  Desk desk;
  const std::string id =
      desk.shell({{"action", "spawn"},
                  {"command", "printf '\\033[1mlistening on 8080\\033[0m\\n'; read x"},
                  {"pty", true},
                  {"watch", {{{"regex", "^listening on ([0-9]+)$"}, {"event", "up"}}}}})["run_id"];
  REQUIRE(desk.host().until([&] { return desk.host().saw_event("up"); }));
  desk.keys(id, "<Enter>");
}

TEST_CASE("a call that waits for a screen is cancelled, and its run with it") {
  Desk desk;
  const std::string id = desk.start({{"argv", {"cat"}}});
  bool done = false;
  CallResult answer;
  const CallId waiting = desk.host().runtime->call(
      {"await", Json{{"id", id}, {"options", {{"pattern", "never"}}}}.dump(), ""},
      [&](CallResult result) {
        answer = std::move(result);
        done = true;
      });
  desk.type(id, "something<Enter>");
  desk.until_shown(id, "something");
  desk.host().runtime->cancel(waiting);
  REQUIRE(desk.host().until([&] { return done; }));
  CHECK(answer.code == "cancelled");
  desk.type(id, "still here<Enter>");
  desk.until_shown(id, "still here");
}

TEST_CASE("a reload does not affect terminals") {
  Desk desk;
  const std::string id = desk.spawn("vi -u NONE -i NONE kept.txt");
  desk.keys(id, "ibefore<Enter>");
  REQUIRE(desk.host().runtime->reload().ok);
  desk.keys(id, "after<Esc>:wq<Enter>");
  desk.until_ended(id);
  CHECK(desk.file("kept.txt") == "before\nafter\n");
}

TEST_CASE("a runtime that ends in the middle leaves no process of a terminal behind") {
  Desk desk;
  const std::string word = unique_word();
  desk.start({{"argv", {"bash", "--norc", "-c", "trap '' HUP TERM; sleep 600; : " + word}}});
  const std::string id =
      desk.start({{"argv", {"bash", "--norc", "-i", "-o", "emacs"}}, {"env", {{"PS1", "> "}}}});
  desk.until_shown(id, "^>");
  desk.type(id, "nohup bash -c 'sleep 600; : " + word + "' &<Enter>");
  desk.until_shown(id, "nohup");
  REQUIRE(!processes_with(word).empty());
  desk.close();
  Loop loop;
  CHECK(loop.until([&] { return processes_with(word).empty(); }));
}

}  // namespace
}  // namespace gibbous::testing
