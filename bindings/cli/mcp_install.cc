// `gibbous mcp install` and `uninstall`: set up the MCP server in the settings of agents' clients,
// or remove it, once a person has seen the difference.
#include "bindings/cli/mcp_install.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "bindings/cli/commands.h"
#include "bindings/cli/confirm.h"
#include "bindings/cli/report.h"
#include "bindings/cli/settings_edit.h"
#include "bindings/cli/settings_file.h"
#include "bindings/cli/terminal.h"
#include "bindings/cli/text_diff.h"
#include "bindings/json/text.h"

namespace gibbous::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "gibbous";
constexpr const char* kDefaultToolset = "lean";
constexpr std::size_t kMaxServerName = 40;

struct Target {
  const AgentClient* client = nullptr;
  std::string found;  // where, for those that nobody named
};

struct Done {
  const AgentClient* client = nullptr;
  InstallScope scope = InstallScope::kProject;
  std::string file;
  std::string change;  // added, updated, unchanged, removed, absent
  std::string diff;    // "": nothing changes
  ServerEntry entry;
};

// What would be done with one file, or why it cannot be.
struct Planned {
  Target target;
  Done done;
  SettingsFile file;
  std::string text;
  Status status;
};

Status check_server_name(const std::string& name) {
  bool good = !name.empty() && name.size() <= kMaxServerName;
  for (const char byte : name) {
    good =
        good && (std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_' || byte == '-');
  }
  if (good) return {};
  return Status::error("invalid_arguments",
                       "--name must be 1 to 40 letters, digits, _ or -, not '" + name + "'");
}

Result<std::vector<Target>> targets(const InstallOptions& install, const std::string& project) {
  std::vector<Target> all;
  for (const std::string& name : install.clients) {
    Result<const AgentClient*> client = agent_client(name);
    if (!client) return client.status();
    all.push_back({*client, ""});
  }
  if (!all.empty()) return all;
  for (const AgentClient& client : agent_clients()) {
    const bool possible = install.scope != InstallScope::kProject || *client.project_file != '\0';
    const std::optional<std::string> trace = trace_of(client, project);
    if (possible && trace) all.push_back({&client, *trace});
  }
  if (!all.empty()) return all;
  std::string names;
  for (const AgentClient& each : agent_clients()) names += std::string(" ") + each.name;
  return Status::error("invalid_arguments",
                       "no client was found in " + project + " or in PATH; name one of:" + names);
}

// People who share a project have the program in different places, so a project's file has its name
// where that is enough. Clients that start from a desktop have a shorter PATH than a shell.
std::string command_for(InstallScope scope) {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  const std::string known = program_in_path(kProgram);
  const bool is_this = !known.empty() && fs::equivalent(known, self, ignored);
  if (!is_this) return self.string();
  return scope == InstallScope::kProject ? kProgram : known;
}

// Scripts of one's own say themselves what is loaded.
std::vector<std::string> toolsets_of(const Options& options) {
  const bool lean = options.install.toolsets.empty() && options.runtime.scripts_dir.empty();
  return lean ? std::vector<std::string>{kDefaultToolset} : options.install.toolsets;
}

// Returns the path as the client's command has it: below the project in the project's own file, so
// that it is right for everyone who shares it, and absolute otherwise.
std::string path_for(const std::string& path, const AgentClient& client, InstallScope scope,
                     const std::string& project) {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored).lexically_normal();
  const fs::path below = absolute.lexically_relative(project);
  const bool is_inside = !below.empty() && *below.begin() != "..";
  if (scope == InstallScope::kUser || !is_inside) return absolute.string();
  return *client.workspace == '\0' ? below.string() : client.workspace + ("/" + below.string());
}

ServerEntry entry_for(const AgentClient& client, InstallScope scope, const Options& options,
                      const std::string& project) {
  const RuntimeOptions& runtime = options.runtime;
  ServerEntry entry{options.install.name,
                    command_for(scope),
                    {"mcp", "--mode", options.install.mode},
                    client.typed};
  const auto add = [&entry](const char* option, const std::string& value) {
    if (!value.empty()) entry.arguments.insert(entry.arguments.end(), {option, value});
  };
  const auto add_path = [&](const char* option, const std::string& path) {
    add(option, path.empty() ? "" : path_for(path, client, scope, project));
  };
  for (const std::string& toolset : toolsets_of(options)) add("--toolset", toolset);
  add_path("--scripts", runtime.scripts_dir);
  add_path("--policies", runtime.policies_dir);
  add_path("--config", runtime.config_file);
  add("--sandbox", runtime.sandbox);
  add("--workspace", client.workspace == kProjectDirectory ? project : client.workspace);
  return entry;
}

std::string to_add(const Done& done) {
  return done.client->is_toml ? toml_to_add(done.client->member, done.entry)
                              : json_to_add(done.client->member, done.entry) + "\n";
}

Result<std::string> edited(const Done& done, const std::string& text, bool remove) {
  const std::string member = done.client->member;
  if (done.client->is_toml) {
    return remove ? remove_from_toml(text, member, done.entry.name)
                  : set_in_toml(text, member, done.entry);
  }
  const bool comments = done.client->comments;
  return remove ? remove_from_json(text, member, done.entry.name, comments)
                : set_in_json(text, member, done.entry, comments);
}

// The reason, and what a person can do instead.
Status by_hand(const Status& why, const Done& done, bool remove) {
  std::string message = done.file + " is left as it is: " + why.message();
  if (why.code() != "file_changed") {
    message += remove ? "\nRemove " + done.entry.name + " by hand from " + done.client->member
                      : "\nAdd by hand:\n" + to_add(done);
    if (message.back() == '\n') message.pop_back();
  }
  return Status::error(why.code(), message);
}

bool has_entry(const Done& done, const std::string& text) {
  // Settings without the entry are never refused here: the entry was just set in them.
  const Result<std::string> without = edited(done, text, true);
  return !without || *without != text;
}

Status plan_in(const Target& target, const Options& options, const std::string& project,
               Planned* plan) {
  const InstallOptions& install = options.install;
  Done& done = plan->done;
  done.client = target.client;
  done.scope = install.scope.value_or(target.client->user_first ? InstallScope::kUser
                                                                : InstallScope::kProject);
  const Result<SettingsPlace> place = settings_place(*target.client, done.scope, project);
  if (!place) return place.status();
  done.file = (fs::path(place->directory) / place->path).string();
  done.entry = entry_for(*target.client, done.scope, options, project);
  const Result<SettingsFile> file = read_settings(place->directory, place->path);
  if (!file) return by_hand(file.status(), done, install.remove);
  const Result<std::string> text = edited(done, file->text, install.remove);
  if (!text) return by_hand(text.status(), done, install.remove);
  plan->file = *file;
  plan->text = *text;
  if (*text == file->text) {
    done.change = install.remove ? "absent" : "unchanged";
    return {};
  }
  done.change = install.remove ? "removed" : has_entry(done, file->text) ? "updated" : "added";
  done.diff = unified_diff(done.file, file->text, *text, !file->exists);
  return {};
}

std::string coloured(const std::string& diff, const Terminal& terminal) {
  std::string text;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = diff.find('\n', at);
    const std::string line = diff.substr(at, end - at);
    const Colour colour = line.starts_with('+')   ? Colour::kGreen
                          : line.starts_with('-') ? Colour::kRed
                          : line.starts_with('@') ? Colour::kCyan
                                                  : Colour::kNone;
    text += terminal.paint(colour, line) + "\n";
    at = end + 1;
  }
  return text;
}

// Shows what would change, and asks the person at the terminal. Fails with needs_approval when
// there is none, and with denied after a no.
Status agreed(const std::vector<Planned>& plans, const Options& options) {
  const InstallOptions& install = options.install;
  std::string diffs;
  std::size_t files = 0;
  const bool asks = !install.yes && !install.dry_run;
  const Terminal terminal(asks ? STDERR_FILENO : STDOUT_FILENO);
  for (const Planned& each : plans) {
    if (!each.status || each.done.diff.empty()) continue;
    ++files;
    diffs += coloured(each.done.diff, terminal);
  }
  if (files == 0) return {};
  if (!asks) {
    if (!options.json) std::fputs(diffs.c_str(), stdout);
    return {};
  }
  if (options.json || !can_confirm()) {
    return Status::error("needs_approval",
                         "a person has to agree to the change, on a terminal; --yes makes it "
                         "without a question, and --dry-run shows it");
  }
  std::fputs(diffs.c_str(), stderr);
  const bool agrees = confirmed(files == 1 ? "Change this file?" : "Change these files?");
  return agrees ? Status() : Status::error("denied", "nothing was changed");
}

// A mode or a toolset that does not exist would be noticed only by a client, which says little of
// it.
Result<std::vector<std::string>> served_tools(const Options& options) {
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.mode = options.install.mode;
  runtime_options.toolsets = toolsets_of(options);
  runtime_options.watch_files = false;
  runtime_options.adopt_runs = false;
  runtime_options.work_queue = false;
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return runtime.status();
  if (const std::string broken = (*runtime)->policy_error(); !broken.empty()) {
    (*runtime)->hand_over();
    return Status::error("script_error", "the policy would deny everything: " + broken);
  }
  std::vector<std::string> names;
  for (const ToolInfo& tool : (*runtime)->tools()) names.push_back(tool.name);
  (*runtime)->hand_over();
  return names;
}

std::string told_change(const Done& done, bool dry_run) {
  const std::string& name = done.entry.name;
  const std::string would = dry_run ? "would have " : "";
  if (done.change == "added") return would + "added " + name + " to ";
  if (done.change == "updated") return would + "updated " + name + " in ";
  if (done.change == "removed") return would + "removed " + name + " from ";
  return done.change == "unchanged" ? name + " is already in " : "there is no " + name + " in ";
}

void tell_done(const Done& done, const Target& target, const InstallOptions& install) {
  const std::string where = target.found.empty() ? "" : " (found " + target.found + ")";
  std::printf("%s%s: %s%s\n", done.client->title, where.c_str(),
              told_change(done, install.dry_run).c_str(), done.file.c_str());
  if (install.remove) return;
  if (done.scope == InstallScope::kProject && done.entry.command != kProgram) {
    std::printf(
        "  note: the path of the program is this machine's; with gibbous in PATH, its name is"
        " enough\n");
  }
  if (done.client->workspace == kProjectDirectory) {
    std::puts(
        "  note: the entry is about this project alone; --name gives another project its own");
  }
  if (*done.client->caution != '\0') std::printf("  note: %s\n", done.client->caution);
  std::printf("  check: %s\n", done.client->check);
}

OrderedJson done_value(const Done& done) {
  OrderedJson value = {{"client", done.client->name},
                       {"scope", done.scope == InstallScope::kUser ? "user" : "project"},
                       {"file", done.file},
                       {"change", done.change}};
  if (!done.diff.empty()) value["diff"] = done.diff;
  if (done.change != "removed" && done.change != "absent") {
    value["entry"] = entry_value(done.entry);
    if (*done.client->caution != '\0') value["note"] = done.client->caution;
  }
  return value;
}

void tell_tools(const std::vector<std::string>& tools, const InstallOptions& install) {
  std::string list;
  for (const std::string& tool : tools) list += (list.empty() ? "" : ", ") + tool;
  std::printf("It serves %s in mode %s. Restart the client, and approve the server if it asks.\n",
              list.c_str(), install.mode.c_str());
}

}  // namespace

ExitCode run_mcp_install(const Options& options) {
  const InstallOptions& install = options.install;
  if (const Status named = check_server_name(install.name); !named) return fail(named, options);
  std::error_code ignored;
  const std::string workspace = options.runtime.workspace;
  const fs::path place =
      fs::absolute(workspace.empty() ? "." : workspace, ignored).lexically_normal();
  const std::string project = (place.has_filename() ? place : place.parent_path()).string();
  const Result<std::vector<Target>> all = targets(install, project);
  if (!all) return fail(all.status(), options);
  std::vector<std::string> tools;
  if (!install.remove) {
    Result<std::vector<std::string>> served = served_tools(options);
    if (!served) return fail(served.status(), options);
    tools = std::move(*served);
  }
  std::vector<Planned> plans;
  for (const Target& target : *all) {
    Planned& plan = plans.emplace_back();
    plan.target = target;
    plan.status = plan_in(target, options, project, &plan);
  }
  if (const Status go = agreed(plans, options); !go) return fail(go, options);
  OrderedJson values = OrderedJson::array();
  ExitCode exit_code = ExitCode::kDone;
  for (Planned& plan : plans) {
    if (plan.status && !plan.done.diff.empty() && !install.dry_run) {
      const Status written = replace_settings(plan.file, plan.text);
      if (!written) plan.status = by_hand(written, plan.done, install.remove);
    }
    const AgentClient& client = *plan.target.client;
    if (plan.status) {
      values.push_back(done_value(plan.done));
      if (!options.json) tell_done(plan.done, plan.target, install);
      continue;
    }
    exit_code = exit_code_of(plan.status.code());
    print_error(std::string(client.title) + ": " + plan.status.message());
    values.push_back(
        {{"client", client.name},
         {"error", {{"code", plan.status.code()}, {"message", plan.status.message()}}}});
  }
  if (options.json) {
    std::printf("%s\n", to_text(OrderedJson{{"clients", values}, {"tools", tools}}).c_str());
  } else if (!install.remove && exit_code == ExitCode::kDone) {
    tell_tools(tools, install);
  }
  return exit_code;
}

}  // namespace gibbous::cli
