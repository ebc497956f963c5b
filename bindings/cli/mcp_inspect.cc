// `gibbous mcp inspect`: asks the MCP server what a client asks it, in one process, and shows what
// comes back: what is sent, or what of it a client's model reads.
#include "bindings/cli/mcp_inspect.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/loop.h"
#include "bindings/cli/report.h"
#include "bindings/cli/report_page.h"
#include "bindings/cli/terminal.h"
#include "bindings/json/member.h"
#include "bindings/json/text.h"
#include "bindings/mcp/client_view.h"
#include "bindings/mcp/runtime_backend.h"
#include "bindings/mcp/server.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

using mcp::ClientView;

constexpr std::size_t kBytesPerToken = 4;  // the rule of thumb for English and JSON
constexpr std::size_t kMaxShownLine = 10'000;
constexpr std::size_t kMaxInspectedArguments = std::size_t{1} << 20;
constexpr int kIndent = 2;

struct Size {
  std::size_t bytes = 0;
  std::size_t tokens() const { return (bytes + kBytesPerToken - 1) / kBytesPerToken; }
};

// The server, and the client that asks it. Its questions of the policy have no person to answer
// them.
class Conversation final : public mcp::MessageSink {
 public:
  Conversation(Runtime& runtime, ClientView view, bool structured)
      : runtime_(runtime),
        view_(view),
        backend_(runtime, page_maker("")),
        server_(backend_, *this, clock_,
                mcp::ServerOptions{.version = gibbous::version(), .structured = structured}) {
    backend_.on_event([this](const Event& event) { server_.on_event(event); });
    backend_.on_ask([this](AskRequest request) { server_.on_ask(std::move(request)); },
                    [this](const std::string& question) { server_.on_withdrawn(question); });
  }
  ~Conversation() override {
    backend_.on_event(nullptr);
    backend_.on_ask(nullptr, nullptr);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void send(std::string message) override {
    Json parsed = Json::parse(message, nullptr, false);
    if (parsed.is_object() && parsed.value("id", Json()) == Json(last_id_)) {
      answer_ = std::move(parsed);
    }
  }
  bool congested() const override { return true; }  // progress and logs are not shown

  // Introduces the client, as this one does. Returns the answer: the instructions are in it.
  Result<Json> open() {
    if (view_ == ClientView::kClaude) return ask("server/discover", Json::object());
    const bool codex = view_ == ClientView::kCodex;
    Result<Json> answer =
        ask("initialize",
            {{"protocolVersion", codex ? "2025-06-18" : std::string(mcp::kNewestLegacyRevision)},
             {"capabilities", Json::object()},
             {"clientInfo", {{"name", "gibbous mcp inspect"}, {"version", gibbous::version()}}}});
    if (answer) server_.receive(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return answer;
  }

  // Works until the server has answered. Fails with mcp_error, and the server's message.
  Result<Json> ask(const char* method, Json params) {
    if (view_ == ClientView::kClaude) {
      params["_meta"] = {{mcp::kMetaVersion, mcp::kModernRevision},
                         {mcp::kMetaCapabilities, Json::object()}};
    }
    answer_.reset();
    server_.receive(to_text(
        Json{{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", params}}));
    while (!answer_) {
      const bool more = work(runtime_);
      if (!answer_) rest(runtime_, more, {}, std::nullopt);
    }
    if (const Json* result = find_member(*answer_, "result")) return *result;
    const Json* error = find_member(*answer_, "error");
    return Status::error("mcp_error", error == nullptr ? "" : text_member(*error, "message"));
  }

  // All pages of a list; empty when the server has no such method.
  Result<std::vector<Json>> list(const char* method, const char* member) {
    std::vector<Json> all;
    Json params = Json::object();
    for (;;) {
      const Result<Json> page = ask(method, params);
      if (!page) {
        const Json* error = find_member(*answer_, "error");
        const bool absent = error != nullptr && error->value("code", 0) == mcp::kMethodNotFound;
        return absent ? Result<std::vector<Json>>(all) : page.status();
      }
      const Json* entries = find_member(*page, member);
      if (entries != nullptr) all.insert(all.end(), entries->begin(), entries->end());
      const std::string* next = find_text(*page, "nextCursor");
      if (next == nullptr) return all;
      params = {{"cursor", *next}};
    }
  }

 private:
  Runtime& runtime_;
  ClientView view_;
  mcp::RuntimeBackend backend_;
  SystemClock clock_;
  mcp::Server server_;
  int last_id_ = 0;
  std::optional<Json> answer_;
};

struct Seen {
  std::string instructions;
  std::vector<Json> tools;  // as the model reads them
  std::vector<Json> resources;
  std::vector<Json> templates;
  std::vector<Json> prompts;
  std::optional<mcp::ResultAsRead> result;
};

Status look(Conversation& talk, const InspectOptions& inspect, ClientView view, Seen* seen) {
  const Result<Json> opened = talk.open();
  if (!opened) return opened.status();
  seen->instructions = text_member(*opened, "instructions");
  struct Wanted {
    const char* method;
    const char* member;
    std::vector<Json>* into;
  };
  for (const Wanted& each :
       {Wanted{"tools/list", "tools", &seen->tools},
        Wanted{"resources/list", "resources", &seen->resources},
        Wanted{"resources/templates/list", "resourceTemplates", &seen->templates},
        Wanted{"prompts/list", "prompts", &seen->prompts}}) {
    Result<std::vector<Json>> found = talk.list(each.method, each.member);
    if (!found) return found.status();
    *each.into = std::move(*found);
  }
  for (Json& tool : seen->tools) tool = mcp::tool_as_read(tool, view);
  if (inspect.tool.empty()) return {};
  const Json arguments = Json::parse(inspect.arguments, nullptr, false);
  const Result<Json> answer =
      talk.ask("tools/call", {{"name", inspect.tool}, {"arguments", arguments}});
  if (!answer) return answer.status();
  seen->result = mcp::result_as_read(*answer, view);
  return {};
}

Size size_of(const Json& value) {
  return {to_text(value).size()};
}

const char* title_of(ClientView view) {
  switch (view) {
    case ClientView::kWire:
      return "What a client receives";
    case ClientView::kClaude:
      return "What the model reads in Claude Code";
    case ClientView::kCodex:
      return "What the model reads in Codex";
  }
  return "";
}

// Each line indented, and printable.
std::string indented(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    made += "  " + stdio::printable(text.substr(at, end - at), kMaxShownLine) + "\n";
    at = end + 1;
  }
  return made;
}

std::string sized(const Size& size) {
  return std::to_string(size.bytes) + " bytes, about " + std::to_string(size.tokens()) + " tokens";
}

void print_tool(const Json& tool, const Terminal& terminal) {
  std::string text = "\n" + terminal.paint(Colour::kBold, text_member(tool, "name")) + "\n" +
                     indented(text_member(tool, "description"));
  Json rest = tool;
  rest.erase("name");
  rest.erase("description");
  text += indented(rest.dump(kIndent, ' ', false, Json::error_handler_t::replace));
  std::fputs(text.c_str(), stdout);
}

void print_list(const char* title, const std::vector<Json>& entries, const char* member) {
  if (entries.empty()) return;
  std::printf("\n%s: %zu\n", title, entries.size());
  for (const Json& each : entries) {
    std::string line = text_member(each, member);
    if (const std::string about = text_member(each, "description"); !about.empty()) {
      line += "  " + about;
    }
    std::fputs(indented(stdio::printable(line, kMaxShownLine)).c_str(), stdout);
  }
}

void print_seen(const Seen& seen, ClientView view, const Options& options) {
  const Terminal terminal(STDOUT_FILENO);
  const std::string mode = options.runtime.mode;
  std::printf("%s%s\n", terminal.paint(Colour::kBold, title_of(view)).c_str(),
              mode.empty() ? "" : (" (mode " + mode + ")").c_str());
  const Size instructions{seen.instructions.size()};
  std::printf("\nInstructions: %s\n%s", sized(instructions).c_str(),
              indented(seen.instructions).c_str());
  std::vector<std::vector<std::string>> rows = {{"TOOL", "BYTES", "TOKENS"}};
  Size all;
  for (const Json& tool : seen.tools) {
    const Size size = size_of(tool);
    all.bytes += size.bytes;
    rows.push_back(
        {text_member(tool, "name"), std::to_string(size.bytes), std::to_string(size.tokens())});
  }
  std::printf("\nTools: %zu, %s\n", seen.tools.size(), sized(all).c_str());
  std::fputs(format_table(rows, terminal).c_str(), stdout);
  for (const Json& tool : seen.tools) print_tool(tool, terminal);
  print_list("Resources", seen.resources, "uri");
  print_list("Resource templates", seen.templates, "uriTemplate");
  print_list("Prompts", seen.prompts, "name");
  if (!seen.result) return;
  std::printf("\nResult of %s: %zu characters%s\n%s", options.inspect.tool.c_str(),
              seen.result->characters, seen.result->is_cut ? ", cut" : "",
              indented(seen.result->text).c_str());
  for (const std::string& note : seen.result->notes) std::printf("%s\n", note.c_str());
}

OrderedJson with_size(OrderedJson value, const Size& size) {
  value["bytes"] = size.bytes;
  value["tokens"] = size.tokens();
  return value;
}

OrderedJson ordered(const Json& value) {
  return OrderedJson::parse(to_text(value));
}

OrderedJson list_value(const std::vector<Json>& entries) {
  OrderedJson list = OrderedJson::array();
  for (const Json& each : entries) list.push_back(ordered(each));
  return list;
}

OrderedJson seen_value(const Seen& seen, const InspectOptions& inspect) {
  OrderedJson value;
  value["as"] = inspect.as.empty() ? "client" : inspect.as;
  value["instructions"] = with_size({{"text", seen.instructions}}, Size{seen.instructions.size()});
  value["tools"] = OrderedJson::array();
  Size all;
  for (const Json& tool : seen.tools) {
    const Size size = size_of(tool);
    all.bytes += size.bytes;
    value["tools"].push_back(with_size({{"tool", ordered(tool)}}, size));
  }
  value["total"] = with_size(OrderedJson::object(), all);
  value["resources"] = list_value(seen.resources);
  value["resource_templates"] = list_value(seen.templates);
  value["prompts"] = list_value(seen.prompts);
  if (seen.result) {
    value["result"] = {{"text", seen.result->text},
                       {"characters", seen.result->characters},
                       {"cut", seen.result->is_cut},
                       {"notes", seen.result->notes}};
  }
  return value;
}

}  // namespace

ExitCode run_mcp_inspect(const Options& options) {
  const InspectOptions& inspect = options.inspect;
  if (inspect.arguments.size() > kMaxInspectedArguments || nests_deeper(inspect.arguments, 64) ||
      !Json::parse(inspect.arguments, nullptr, false).is_object()) {
    return fail(Status::error("invalid_arguments", "--args: expected a JSON object"), options);
  }
  const ClientView view = mcp::client_view(inspect.as).value_or(ClientView::kWire);
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.watch_files = false;
  runtime_options.adopt_runs = false;
  runtime_options.work_queue = false;
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  warn_of_policy(**runtime);
  Seen seen;
  Status looked;
  {
    Conversation talk(**runtime, view, options.structured);
    looked = look(talk, inspect, view, &seen);
  }
  (*runtime)->hand_over();
  tell_end_problem(**runtime);
  if (!looked) return fail(looked, options);
  if (options.json) {
    std::printf("%s\n", to_text(seen_value(seen, inspect)).c_str());
  } else {
    print_seen(seen, view, options);
  }
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
