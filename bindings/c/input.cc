#include "bindings/c/input.h"

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "bindings/json/text.h"
#include "runtime/base/nearest.h"

namespace gibbous::c {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxLevels = 64;
constexpr std::size_t kShownBytes = 60;
constexpr double kMaxMillis = 1e12;

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = to_text(value);
  if (text.size() <= kShownBytes) return text;
  text.resize(kShownBytes);
  return text + "...";
}

Json parsed(const char* name, const char* text) {
  const std::size_t size = ::strnlen(text, kMaxBytes + 1);
  std::string problem;
  if (size > kMaxBytes) problem = "it is longer than 8 MiB";
  if (problem.empty() && nests_deeper({text, size}, kMaxLevels)) {
    problem = "it nests deeper than 64 levels";
  }
  if (problem.empty()) {
    try {
      Json value = Json::parse(text, text + size);
      if (value.is_object()) return value;
      problem = "got " + shown(value);
    } catch (const Json::exception& error) {
      const std::string what = error.what();
      const std::size_t prefix = what.find("] ");
      problem = prefix == std::string::npos ? what : what.substr(prefix + 2);
    }
  }
  throw Invalid(std::string(name) + ": expected a JSON object: " + problem);
}

std::chrono::milliseconds millis(std::optional<double> given, std::int64_t otherwise) {
  return std::chrono::milliseconds(given ? static_cast<std::int64_t>(std::ceil(*given))
                                         : otherwise);
}

}  // namespace

Input::Input(const char* name, const char* text, bool optional) : name_(name) {
  if (text == nullptr && !optional) throw Invalid(name_ + ": expected a JSON object, got NULL");
  value_ = text == nullptr ? Json::object() : parsed(name, text);
}

Input::Input(std::string name, Json value) : name_(std::move(name)), value_(std::move(value)) {
  if (!value_.is_object()) throw Invalid(name_ + ": expected an object, got " + shown(value_));
}

const Json* Input::find(const char* member) {
  known_.insert(member);
  const auto found = value_.find(member);
  return found == value_.end() || found->is_null() ? nullptr : &*found;
}

void Input::fail(const char* member, const std::string& expected, const Json& got) const {
  throw Invalid(place(member) + ": expected " + expected + ", got " + shown(got));
}

bool Input::has(const char* member) {
  return find(member) != nullptr;
}

std::string Input::text(const char* member) {
  const Json* found = find(member);
  if (found == nullptr) return "";
  if (!found->is_string()) fail(member, "a string", *found);
  return found->get<std::string>();
}

std::string Input::needed_text(const char* member) {
  if (!has(member)) throw Invalid(place(member) + ": expected a string, it is missing");
  return text(member);
}

bool Input::flag(const char* member, bool otherwise) {
  const Json* found = find(member);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) fail(member, "true or false", *found);
  return found->get<bool>();
}

std::optional<double> Input::number(const char* member, double least, double most) {
  const Json* found = find(member);
  if (found == nullptr) return std::nullopt;
  const double number = found->is_number() ? found->get<double>() : std::nan("");
  if (!(number >= least && number <= most)) {
    const Json from = static_cast<std::int64_t>(least);
    const Json to = static_cast<std::int64_t>(most);
    fail(member, "a number from " + to_text(from) + " to " + to_text(to), *found);
  }
  return number;
}

std::vector<std::string> Input::texts(const char* member) {
  const Json* found = find(member);
  std::vector<std::string> texts;
  if (found == nullptr) return texts;
  if (!found->is_array()) fail(member, "a list of strings", *found);
  for (const Json& each : *found) {
    if (!each.is_string()) fail(member, "a list of strings", each);
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

std::string Input::choice(const char* member, const std::vector<std::string>& choices) {
  const std::string given = text(member);
  std::string all;
  for (const std::string& each : choices) {
    if (given == each) return given;
    all += (all.empty() ? "" : ", ") + each;
  }
  if (given.empty() && !has(member)) return "";
  fail(member, "one of " + all, given);
}

const Json& Input::value(const char* member) {
  static const Json nothing;
  const Json* found = find(member);
  return found == nullptr ? nothing : *found;
}

const Json& Input::object(const char* member) {
  const Json& found = value(member);
  if (!found.is_null() && !found.is_object()) fail(member, "an object", found);
  return found;
}

void Input::done() const {
  for (const auto& [member, given] : value_.items()) {
    if (known_.count(member) > 0) continue;
    const std::string nearest = nearest_name(member, {known_.begin(), known_.end()});
    throw Invalid(place(member) + ": there is no such member" + did_you_mean(nearest));
  }
}

std::string checked_object(const char* name, const char* text) {
  if (text == nullptr) throw Invalid(std::string(name) + ": expected a JSON object, got NULL");
  return to_text(parsed(name, text));
}

namespace {

template <typename Part>
std::vector<Part> read_parts(Input& input, const char* member, Part (*read)(Input)) {
  const Json& listed = input.value(member);
  if (!listed.is_null() && !listed.is_array()) {
    throw Invalid(input.place(member) + ": expected a list, got " + shown(listed));
  }
  std::vector<Part> parts;
  for (const Json& each : listed) {
    std::string place = input.place(member);
    place += "[" + std::to_string(parts.size()) + "]";
    parts.push_back(read(Input(std::move(place), each)));
  }
  return parts;
}

std::map<std::string, std::string> read_texts_by_name(Input& input, const char* member) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, text] : input.object(member).items()) {
    if (!text.is_string()) throw Invalid(input.place(member) + "." + name + ": expected a string");
    texts[name] = text.get<std::string>();
  }
  return texts;
}

}  // namespace

CreateOptions read_options(const char* text) {
  Input input("options", text, true);
  CreateOptions made;
  RuntimeOptions& options = made.runtime;
  options.config_file = input.text("config_file");
  options.layers = input.texts("layers");
  options.managed_dir = input.text("managed_dir");
  options.scripts_dir = input.text("scripts_dir");
  options.policies_dir = input.text("policies_dir");
  options.files = read_texts_by_name(input, "files");
  options.mode = input.text("mode");
  options.toolsets = input.texts("toolsets");
  options.all_parameters = input.flag("all_parameters", options.all_parameters);
  options.state_dir = input.text("state_dir");
  options.workspace = input.text("workspace");
  options.sandbox = input.text("sandbox");
  options.keeper_path = input.text("keeper_path");
  options.share_dir = input.text("share_dir");
  options.adopt_runs = input.flag("adopt_runs", options.adopt_runs);
  options.keep_runs = input.flag("keep_runs", options.keep_runs);
  options.min_concurrent =
      static_cast<std::size_t>(input.number("min_concurrent", 0, 1'000'000).value_or(0));
  options.lua_time = millis(input.number("lua_time_ms", 0, kMaxMillis), 0);
  if (const auto wait = input.number("ask_wait_s", 0, kMaxMillis)) {
    options.ask_wait = std::chrono::seconds(static_cast<std::int64_t>(*wait));
  }
  if (const auto keep = input.number("ask_keep_s", 0, kMaxMillis)) {
    options.ask_keep = std::chrono::seconds(static_cast<std::int64_t>(*keep));
  }
  options.session = input.text("session");
  options.claim_session = input.flag("claim_session", options.claim_session);
  options.work_for_others = input.flag("work_for_others", options.work_for_others);
  options.work_queue = input.flag("work_queue", options.work_queue);
  options.watch_files = input.flag("watch_files", options.watch_files);
  options.lazy_policy = input.flag("lazy_policy", options.lazy_policy);
  options.secrets = read_texts_by_name(input, "secrets");
  if (!input.object("environment").is_null()) {
    options.environment = read_texts_by_name(input, "environment");
  }
  options.tools = read_parts(input, "tools", read_tool);
  options.functions = read_parts(input, "functions", read_function);
  made.inputs = input.flag("inputs", made.inputs);
  input.done();
  return made;
}

namespace {

struct Target {
  const char* member;
  CallKind kind;
};
constexpr Target kTargets[] = {{"tool", CallKind::kTool},
                               {"resource", CallKind::kResource},
                               {"prompt", CallKind::kPrompt},
                               {"prompt_completion", CallKind::kPromptCompletion},
                               {"resource_completion", CallKind::kResourceCompletion}};

// Reads what is called: exactly one of them is named.
void read_target(Input& input, CallRequest* request) {
  const char* given = nullptr;
  for (const Target& target : kTargets) {
    if (!input.has(target.member)) continue;
    if (given != nullptr) {
      throw Invalid(input.place(target.member) + ": expected only one of it and " + given);
    }
    given = target.member;
    request->tool = input.needed_text(target.member);
    request->kind = target.kind;
  }
  if (given == nullptr) throw Invalid(input.place("tool") + ": expected a string, it is missing");
}

}  // namespace

CallRequest read_call(const char* text) {
  Input input("request", text);
  CallRequest request;
  read_target(input, &request);
  const Json& arguments = input.object("arguments");
  if (!arguments.is_null()) request.arguments = to_text(arguments);
  request.session = input.text("session");
  request.wants_progress = input.flag("progress", false);
  request.wants_backlog = input.flag("backlog", false);
  request.timeout = millis(input.number("timeout_ms", 0, kMaxMillis), 0);
  request.priority =
      static_cast<int>(input.number("priority", -kMaxCallPriority, kMaxCallPriority).value_or(0));
  input.done();
  return request;
}

namespace {

// What tools and functions have in common.
template <typename Part>
Part read_part(Input& input) {
  Part part;
  part.name = input.needed_text("name");
  part.description = input.text("description");
  part.permission = input.text("permission");
  const Json& in = input.object("input");
  if (!in.is_null()) part.input_schema = to_text(in);
  const Json& out = input.object("output");
  if (!out.is_null()) part.output_schema = to_text(out);
  part.timeout = millis(input.number("timeout_ms", 0, kMaxMillis), part.timeout.count());
  return part;
}

}  // namespace

HostTool read_tool(Input input) {
  auto tool = read_part<HostTool>(input);
  tool.title = input.text("title");
  tool.structured = input.flag("structured", false);
  input.done();
  return tool;
}

HostFunction read_function(Input input) {
  auto function = read_part<HostFunction>(input);
  input.done();
  return function;
}

AskAnswer read_ask_answer(Input input) {
  AskAnswer answer;
  answer.no_approver = input.flag("no_approver", false);
  if (!answer.no_approver && !input.has("allow")) {
    throw Invalid(input.place("allow") + ": expected true or false");
  }
  answer.allow = input.flag("allow", false);
  answer.reason = input.text("reason");
  answer.who = input.text("who");
  const std::string remember = input.choice("remember", {"once", "session", "always"});
  if (remember == "session") answer.remember = AskAnswer::Remember::kSession;
  if (remember == "always") answer.remember = AskAnswer::Remember::kAlways;
  const std::string about = input.choice("about", {"command", "rule", "prefix"});
  if (about == "rule") answer.about = AskAnswer::About::kRule;
  if (about == "prefix") answer.about = AskAnswer::About::kPrefix;
  answer.lasts = std::chrono::seconds(
      static_cast<std::int64_t>(input.number("lasts_s", 0, kMaxMillis).value_or(0)));
  input.done();
  return answer;
}

namespace {

bool read_error(Input& input, ToolAnswer* answer) {
  const Json& error = input.object("error");
  if (error.is_null()) return false;
  Input fault(input.place("error"), error);
  answer->ok = false;
  answer->code = fault.text("code");
  answer->message = fault.text("message");
  fault.done();
  return true;
}

}  // namespace

InputAnswer read_input_answer(Input input) {
  InputAnswer answer;
  const Json& result = input.object("result");
  if (!result.is_null()) answer.result = to_text(result);
  answer.message = input.text("message");
  if (!result.is_null() && input.has("message")) {
    throw Invalid(input.place("message") + ": expected only one of it and result");
  }
  input.done();
  return answer;
}

ToolAnswer read_function_answer(Input input) {
  ToolAnswer answer;
  if (!read_error(input, &answer)) answer.data = to_text(input.value("value"));
  input.done();
  return answer;
}

ToolAnswer read_tool_answer(Input input) {
  ToolAnswer answer;
  if (!read_error(input, &answer)) {
    answer.text = input.text("text");
    const Json& data = input.object("data");
    if (!data.is_null()) answer.data = to_text(data);
  }
  input.done();
  return answer;
}

Progress read_progress(const char* text) {
  Input input("json", text);
  constexpr double kMost = 1e15;
  Progress progress;
  progress.progress = input.number("progress", 0, kMost).value_or(0);
  progress.total = input.number("total", 0, kMost);
  progress.message = input.text("message");
  input.done();
  return progress;
}

}  // namespace gibbous::c
