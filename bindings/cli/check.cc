// `gibbous check`: loads the scripts and policies of a directory as a runtime would, and prints
// every error.
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/answer.h"
#include "bindings/cli/commands.h"
#include "bindings/cli/json_members.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "gibbous/files.h"

namespace gibbous::cli {
namespace {

namespace fs = std::filesystem;

struct Problem {
  std::string file;  // "" when the error names none
  std::string line;
  std::string message;
};

bool holds_init(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "init.lua", ignored);
}

// Finds what to load instead of the shipped scripts and policies. --scripts and --policies win.
Status find_parts(const fs::path& directory, RuntimeOptions* runtime) {
  bool found = false;
  const auto take = [&found](const fs::path& part, std::string* option) {
    if (!holds_init(part)) return;
    if (option->empty()) *option = part.string();
    found = true;
  };
  take(directory / "scripts", &runtime->scripts_dir);
  take(directory / "policies", &runtime->policies_dir);
  if (found) return {};
  const bool is_policies = fs::absolute(directory).lexically_normal().filename() == "policies";
  take(directory, is_policies ? &runtime->policies_dir : &runtime->scripts_dir);
  if (found) return {};
  return Status::error("invalid_arguments", directory.string() +
                                                " holds no init.lua, and neither do its scripts "
                                                "and policies directories");
}

// Splits "file:line: message".
Problem parse_problem(const std::string& text) {
  for (std::size_t colon = text.find(':'); colon != std::string::npos;
       colon = text.find(':', colon + 1)) {
    std::size_t end = colon + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > colon + 1 && text.compare(end, 2, ": ") == 0) {
      return {text.substr(0, colon), text.substr(colon + 1, end - colon - 1), text.substr(end + 2)};
    }
  }
  return {"", "", text};
}

// A load reports one problem per line.
void add_problems(const std::string& message, std::vector<Problem>* problems) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) problems->push_back(parse_problem(line));
  }
}

struct Report {
  std::vector<Problem> problems;
  std::size_t tools = 0;
};

Report load(const RuntimeOptions& options) {
  Report report;
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(options);
  if (runtime) {
    report.tools = (*runtime)->tools().size();
    add_problems((*runtime)->policy_error(), &report.problems);
    (*runtime)->hand_over();
    return report;
  }
  add_problems(runtime.status().message(), &report.problems);
  // Broken scripts end a load before it reaches the policies, so these are loaded by themselves.
  if (options.scripts_dir.empty() || options.policies_dir.empty()) return report;
  RuntimeOptions policies_only = options;
  policies_only.scripts_dir.clear();
  policies_only.toolsets.clear();
  const Report rest = load(policies_only);
  report.problems.insert(report.problems.end(), rest.problems.begin(), rest.problems.end());
  return report;
}

void print_json(const Report& report) {
  std::string json = std::string("{\"ok\":") + (report.problems.empty() ? "true" : "false") +
                     ",\"tools\":" + std::to_string(report.tools) + ",\"errors\":[";
  const char* separator = "";
  for (const Problem& problem : report.problems) {
    json += separator;
    json += "{\"message\":" + json_quote(problem.message);
    if (!problem.file.empty()) {
      json += ",\"file\":" + json_quote(problem.file) + ",\"line\":" + problem.line;
    }
    json += "}";
    separator = ",";
  }
  std::printf("%s]}\n", json.c_str());
}

void print_text(const Report& report) {
  const Terminal terminal(STDOUT_FILENO);
  for (const Problem& problem : report.problems) {
    const std::string place = problem.file.empty() ? "" : problem.file + ":" + problem.line + ": ";
    std::printf("%s%s\n", terminal.paint(Colour::kBold, place).c_str(), problem.message.c_str());
  }
  if (report.problems.empty()) {
    std::printf("%s: %zu tools\n", terminal.paint(Colour::kGreen, "ok").c_str(), report.tools);
  }
}

}  // namespace

ExitCode run_check(const Options& options) {
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.watch_files = false;
  runtime_options.adopt_runs = false;
  if (const Status found = find_parts(options.directory, &runtime_options); !found) {
    return fail(found, options);
  }
  Report report = load(runtime_options);
  for (const std::string& problem :
       global_problems(runtime_options.scripts_dir, runtime_options.policies_dir)) {
    add_problems(problem, &report.problems);
  }
  if (options.json) {
    print_json(report);
  } else {
    print_text(report);
  }
  return report.problems.empty() ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace gibbous::cli
