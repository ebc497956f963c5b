// Text and data of a result say the same: each fact of the data is in the text, because most models
// read nothing else, and each id and number of the text is in the data. For every tool that ships.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

// What only data has, by tool ("*": any) and by the end of the field's path, and why.
struct OnlyData {
  std::string_view tool;
  std::string_view field;
  std::string_view why;
};
constexpr OnlyData kOnlyData[] = {
    {"*", "started_ms", "the text says how long it ran"},
    {"*", "ended_ms", "the text says how long it ran"},
    {"*", "runtime_ms", "in the text rounded: 3.2s"},
    {"*", "elapsed_ms", "in the text rounded"},
    {"*", "idle_ms", "in the text rounded, while it runs"},
    {"*", "cpu_percent", "in the text rounded"},
    {"*", "cpu_time_ms", "in the text as a share of a processor"},
    {"*", "rss_bytes", "in the text as MB"},
    {"*", "threads", "the text has its processes"},
    {"*", "output_rate", "a measurement that changes all the time"},
    {"*", "left_behind", "in the text unless it is 0"},
    {"*", "index", "of the conditions of the call; the text names the condition"},
    {"*", "kind", "the text is a sentence of its own for each kind"},
    {"*", "outcome", "the text is a sentence of its own for each outcome"},
    {"*", "how", "the text is a sentence of its own for each way"},
    // The formats of documents.
    {"bg_kill", "dead", "its document's sentence"},
    {"bg_output", "id", "its document's sections; the caller named it"},
    {"bg_output", "state", "its document's sections"},
    {"*", "ports.address", "the text has the port and the process that listens"},
    {"wait_for", "fired.age_ms", "the text has it with its unit, 22ms"},
    {"wait_for", "fired.column", "the line in the text is cut around the match"},
    {"process", "output_path", "an answer that leaves output out names it"},
    {"process", "process.", "action=output: action=status tells the rest"},
    {"safe_shell", "id", "its document's answer is the pid"},
    {"safe_shell", "pid", "of a program that has ended"},
    {"safe_shell", "stdout_path", "the caller named it"},
    {"safe_shell", "stderr_path", "the caller named it"},
    {"shell", "session_id", "the caller named it, or it is the caller's own"},
    {"shell", "seq", "next_seq is what the next poll takes"},
    {"shell", "created_at", "of each piece of output"},
    {"shell", "item_type", "output is in the text as it came, an event as a line of its own"},
    {"shell", "items.meta", "an event's line is in the text"},
    {"shell", "rows", "in the text as 24x80"},
    {"shell", "cols", "in the text as 24x80"},
    // A command that has ended well answers with its output alone.
    {"run_cmd", "id", "only what reads a left-out part needs it"},
    {"run_test", "id", "only what reads a left-out part needs it"},
    {"run_build", "id", "only what reads a left-out part needs it"},
    {"shell", "run_id", "without action: only what reads a left-out part needs it"},
    // lean is paid by the token.
    {"run", "pid", "no call of lean takes it"},
    {"job", "pid", "no call of lean takes it"},
    {"job", "id", "the caller named it"},
    {"job", "command", "the label stands for it"},
    {"job", "usage", "bg_status measures"},
};

bool is_only_data(const std::string& tool, const std::string& path) {
  for (const OnlyData& each : kOnlyData) {
    if (each.tool != "*" && each.tool != tool) continue;
    const std::size_t at = path.find(each.field);
    const bool begins = at == 0 || (at != std::string::npos && path[at - 1] == '.');
    const bool whole = each.field.back() == '.' || path.size() == at + each.field.size() ||
                       path[at + each.field.size()] == '.';
    if (begins && whole) return true;
  }
  return false;
}

bool is_word_byte(char byte) {
  return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_';
}

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_byte(text[at - 1])) &&
        (end == text.size() || !is_word_byte(text[end]))) {
      return true;
    }
  }
  return false;
}

bool has_lines(const std::string& text, const std::string& lines) {
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    if (text.find(lines.substr(begin, end - begin)) == std::string::npos) return false;
    begin = end + 1;
  }
  return true;
}

// A state is told by its word, or by the exit code that it stands for. That a process goes on, and
// that a command which was waited for has ended well, needs no word.
bool tells_state(const std::string& text, const std::string& state) {
  if (state == "running") return true;
  if (state == "completed") return text.find("fail") == std::string::npos;
  if (state == "failed" && text.find("not started") != std::string::npos) return true;
  if (state == "failed") return text.find("exit") != std::string::npos;
  return text.find(state) != std::string::npos;
}

class Facts {
 public:
  // What the caller said in its arguments needs no repetition.
  Facts(std::string tool, const Json& args, std::string text)
      : tool_(std::move(tool)), args_(args), text_(std::move(text)) {}

  void check(const Json& data, const std::string& path = "") {
    if (data.is_object()) {
      for (const auto& [key, value] : data.items()) {
        check(value, path.empty() ? key : path + "." + key);
      }
    } else if (data.is_array()) {
      for (const Json& value : data) check(value, path);
    } else if (!is_only_data(tool_, path)) {
      check_scalar(data, path);
    }
  }

 private:
  // Flags are sentences of the text, which other tests read.
  void check_scalar(const Json& value, const std::string& path) {
    INFO(tool_ << ": " << path << " = " << value.dump() << " in: " << text_);
    const std::string key = path.substr(path.rfind('.') + 1);
    // A reason may be the exit code in words, and a recorded state has been followed by another.
    if (key == "reason" && value.get<std::string>().starts_with("exit code")) return;
    if (path == "items.payload" && (value == "queued" || value == "running")) return;
    if (value.is_string() && (key == "state" || key == "status")) {
      CHECK(tells_state(text_, value.get<std::string>()));
    } else if (value.is_string()) {
      CHECK((said(args_, value) || has_lines(text_, value.get<std::string>())));
    } else if (value.is_number_integer()) {
      const bool good = key == "exit_code" && value == 0;  // told by the lack of a failure
      const bool zero = value == 0;
      CHECK((good || zero || said(args_, value) || has_word(text_, value.dump())));
    }
  }

  static bool said(const Json& args, const Json& value) {
    if (args.is_structured()) {
      return std::any_of(args.begin(), args.end(),
                         [&value](const Json& each) { return said(each, value); });
    }
    return args == value;
  }

  std::string tool_;
  Json args_;
  std::string text_;
};

class Desk {
 public:
  Desk() : host(options_in(dir_)) {}

  Json call(const std::string& tool, const Json& args) {
    const CallResult result = host.call(tool, args);
    INFO(tool << " " << args.dump() << ": " << result.message);
    REQUIRE(result.ok);
    called.insert(tool);
    const Json data = Json::parse(result.data);
    Facts(tool, args, result.text).check(data);
    for (const char* name : {"id", "pid", "run_id", "process_id", "job_id"}) remember(data, name);
    check_known(tool, result.text, result.data);
    return data;
  }

  std::set<std::string> called;

 private:
  static RuntimeOptions options_in(const TempDir& dir) {
    RuntimeOptions options = auto_mode();
    options.mode = "dangerous";
    options.state_dir = dir.path() + "/state";
    options.workspace = dir.path();
    options.toolsets = {"bg",      "wait",       "shell",    "safe_shell",
                        "process", "background", "services", "lean"};
    return options;
  }

  void remember(const Json& data, const char* name) {
    const auto found = data.find(name);
    if (found != data.end()) {
      known_.insert(found->is_string() ? found->get<std::string>() : found->dump());
    }
  }

  // The ids and pids of the text are in the data.
  void check_known(const std::string& tool, const std::string& text, const std::string& data) {
    for (const std::string& fact : known_) {
      if (fact.size() < 3 || !has_word(text, fact)) continue;
      INFO(tool << ": " << fact << " is in the text: " << text << " and not in: " << data);
      CHECK(has_word(data, fact));
    }
  }

  TempDir dir_;
  std::set<std::string> known_;

 public:
  Host host;
};

// Listens on a free port and says which: "listening 4242".
std::string server() {
  return "(echo; sleep 600) | '" + fixture("listener") + "' v4";
}
constexpr const char* kFails = "echo one; echo 'FATAL: no database' >&2; exit 3";

void use_bg(Desk& desk) {
  const Json web =
      desk.call("bg_start",
                {{"command", server()}, {"label", "web"}, {"until", {{"line", "listening \\d+"}}}});
  const int port = std::stoi(web["until"]["line"].get<std::string>().substr(10));
  desk.call("bg_start", {{"command", kFails}, {"until", {{"exit", true}}}});
  const Json plain = desk.call("bg_start", {{"command", "echo hi; exec sleep 600"}});
  const std::string id = plain["id"];
  desk.call("wait_for", {{"id", web["id"]}, {"port", port}});
  desk.call("wait_for", {{"id", id}, {"output_regex", "h."}});
  desk.call("bg_output", {{"id", id}});
  desk.call("bg_output", {{"id", id}, {"grep", "hi"}});
  desk.call("bg_status", Json::object());
  const Json asks =
      desk.call("bg_start", {{"command", "printf 'name? '; read n; echo hello $n; exit 4"},
                             {"until", {{"input", true}}}});
  desk.call("bg_input", {{"id", asks["id"]}, {"keys", "bob<Enter>"}});
  desk.call("bg_kill", {{"id", id}});
  desk.call("bg_kill", {{"id", id}});
  desk.call("wait_for", {{"id", id}, {"exit", true}});
  desk.call("wait_for", {{"id", asks["id"]}, {"exit", true}});
  desk.call("bg_status", {{"id", id}});
  desk.call("bg_status", Json::object());
  desk.call("wait_for_port", {{"id", web["id"]}, {"port", port}});
  desk.call("wait_for_service", {{"port", port}, {"id", "web"}, {"output_regex", "listening"}});
}

void use_lean(Desk& desk) {
  const Json ended = desk.call("run", {{"command", kFails}, {"until", "exit"}});
  const Json going = desk.call("run", {{"command", "echo up; read n; exit 5"}, {"until", "input"}});
  desk.call("run", {{"command", "sleep 600"}, {"label", "db"}});
  desk.call("job", {{"action", "output"}, {"id", ended["id"]}});
  desk.call("job", {{"action", "output"}, {"id", going["id"]}});
  desk.call("job", {{"action", "list"}});
  desk.call("job", {{"action", "keys"}, {"id", going["id"]}, {"keys", "x<Enter>"}});
  desk.call("job", {{"action", "wait"}, {"id", going["id"]}});
  desk.call("job", {{"action", "stop"}, {"id", "db"}});
  desk.call("job", {{"action", "wait"}, {"id", "db"}});
}

void use_shell(Desk& desk) {
  desk.call("shell", {{"command", "echo out; echo err >&2"}});
  desk.call("shell", {{"command", kFails}});
  const Json first = desk.call("shell", {{"action", "spawn"}, {"command", "sleep 600"}});
  const Json second = desk.call("shell", {{"action", "spawn"}, {"command", "sleep 600"}});
  desk.call("shell", {{"action", "poll"}, {"run_id", second["run_id"]}});
  desk.call("shell", {{"action", "kill"}, {"run_id", second["run_id"]}});
  desk.call("shell", {{"action", "kill"}, {"run_id", first["run_id"]}});
  desk.call("wait_for", {{"id", first["run_id"]}, {"exit", true}});
  desk.call("shell", {{"action", "poll"}, {"run_id", first["run_id"]}});
  desk.call("shell", {{"action", "kill"}, {"run_id", first["run_id"]}});
  desk.call("shell", {{"action", "spawn"}, {"command", kFails}, {"background", false}});
  const Json cat = desk.call("shell", {{"action", "spawn"},
                                       {"command", "printf '\\033]0;my title\\007'; exec cat"},
                                       {"pty", true},
                                       {"session_id", "own"}});
  desk.call("shell",
            {{"action", "send_keys"}, {"run_id", cat["run_id"]}, {"keys", "hello<Enter>"}});
  desk.call("safe_shell", {{"command", "echo"}, {"args", {"hi"}}});
  desk.call("safe_shell", {{"command", "sh"}, {"args", {"-c", kFails}}});
  desk.call(
      "safe_shell",
      {{"command", "sleep"}, {"args", {"600"}}, {"background", true}, {"stdout_file", "out.log"}});
}

void use_process(Desk& desk) {
  const std::string pid =
      desk.call("process", {{"action", "start"}, {"command", "echo up; exec sleep 600"}})["pid"];
  desk.call("process", {{"action", "status"}, {"pid", pid}});
  desk.call("process", {{"action", "output"}, {"pid", pid}});
  desk.call("process", {{"action", "stop"}, {"pid", pid}});
  desk.call("process", {{"action", "stop"}, {"pid", pid}});
  desk.call("process", {{"action", "output"}, {"pid", pid}});
  desk.call("process", {{"action", "list"}});
}

void use_background(Desk& desk) {
  desk.call("job", {{"action", "stop"}});
  desk.call("run_cmd", {{"cmd", "echo fine"}});
  desk.call("run_test", {{"command", kFails}});
  desk.call("run_build", {{"command", "exec sleep 600"}, {"background", true}});
  const std::string id =
      desk.call("run_background", {{"cmd", server()}, {"ports", {"3000"}}})["id"];
  desk.call("wait_for_service", {{"output_regex", "listening \\d+"}});
  desk.call("read_process_output", {{"id", id}});
  desk.call("list_processes", Json::object());
  desk.call("stop_process", {{"process_id", id}});
  desk.call("stop_process", {{"process_id", id}});
  desk.call("read_process_output", {{"id", id}});
  const Json services = {
      {{"name", "db"}, {"command", "echo up; exec sleep 600"}, {"ready", {{"output_regex", "up"}}}},
      {{"name", "api"}, {"command", kFails}, {"ready", {{"output_regex", "up"}}}}};
  desk.call("start_services", {{"services", services}});
}

TEST_CASE("the text of every tool's answer has each fact of its data, and the data those of it") {
  Desk desk;
  use_bg(desk);
  use_lean(desk);
  use_shell(desk);
  use_process(desk);
  use_background(desk);
  std::set<std::string> tools;
  for (const ToolInfo& tool : desk.host.runtime->tools()) tools.insert(tool.name);
  CHECK(desk.called == tools);
}

}  // namespace
}  // namespace gibbous::testing
