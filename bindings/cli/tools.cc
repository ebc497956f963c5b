// `gibbous tools`: lists the tools as a table, or prints their schemas for a model's API.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/json/member.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxNoteBytes = 1'000;

// Returns the text up to the first full stop that ends a sentence, without it; at most the first
// line.
std::string first_sentence(const std::string& text) {
  std::string sentence = text.substr(0, text.find('\n'));
  const std::size_t stop = sentence.find(". ");
  if (stop != std::string::npos) sentence.resize(stop);
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return sentence;
}

Result<ToolFormat> wanted_format(const Options& options) {
  const ToolFormat format = options.format.value_or(ToolFormat::kMcp);
  if (!options.strict) return format;
  if (format == ToolFormat::kOpenAi) return ToolFormat::kOpenAiStrict;
  if (format == ToolFormat::kOpenAiResponses) return ToolFormat::kOpenAiResponsesStrict;
  return Status::error(
      "invalid_arguments",
      "--strict: only the formats openai and openai-responses have strict schemas");
}

}  // namespace

ExitCode run_tools(const Options& options) {
  const Result<ToolFormat> format = wanted_format(options);
  if (!format) return fail(format.status(), options);
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.watch_files = false;
  runtime_options.adopt_runs = false;
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  (*runtime)->on_event([](const Event& event) {
    if (event.name != "layer_note") return;
    const Json note = Json::parse(event.json, nullptr, false);
    print_error(stdio::printable(text_member(note, "message"), kMaxNoteBytes));
  });
  (void)(*runtime)->poll({});
  if (options.json || options.format) {
    std::printf("%s\n", (*runtime)->tools_json(*format).c_str());
    if (options.strict) {
      for (const std::string& tool : (*runtime)->tools_not_strict()) {
        std::fprintf(stderr, "not strict: %s\n", tool.c_str());
      }
    }
  } else {
    std::vector<std::vector<std::string>> rows = {
        {"TOOL", "TOOLSET", "PERMISSION", "WHAT IT DOES"}};
    for (const ToolInfo& tool : (*runtime)->tools()) {
      rows.push_back({tool.name, tool.toolset, tool.permission, first_sentence(tool.description)});
    }
    std::fputs(format_table(rows, Terminal(STDOUT_FILENO)).c_str(), stdout);
  }
  (*runtime)->hand_over();
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
