// `gibbous mcp install` and `uninstall`: set up the MCP server in agents' clients, or remove it,
// once a person has seen what will be run or written.
#include "bindings/cli/mcp_install.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "bindings/cli/client_command.h"
#include "bindings/cli/commands.h"
#include "bindings/cli/confirm.h"
#include "bindings/cli/report.h"
#include "bindings/cli/settings_entry.h"
#include "bindings/cli/settings_file.h"
#include "bindings/json/text.h"

namespace gibbous::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "gibbous";
constexpr const char* kDefaultToolset = "lean";
constexpr std::size_t kMaxServerName = 40;

struct Target {
  const AgentClient* client = nullptr;
  std::string found;  // where, for those that were not named
};

// What would be done for one client, by its own command or in a file, or why it cannot be.
struct Plan {
  Target target;
  InstallScope scope = InstallScope::kProject;
  ServerEntry entry;
  CommandLine command;  // empty: it is a file
  std::string file_name;
  SettingsFile file;
  std::string text;
  std::string change;  // added, updated, unchanged, removed, absent; registered, by a command
  Status status;

  const AgentClient& client() const { return *target.client; }
  bool changes() const { return status.ok() && change != "unchanged" && change != "absent"; }
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

// What is run or written, for a person to see.
std::string shown(const Plan& plan, bool remove) {
  if (!plan.command.empty()) return "$ " + shown_command(plan.command) + "\n";
  const std::string& member = plan.client().member;
  if (remove) return plan.file_name + ": without " + member + "." + plan.entry.name + "\n";
  return plan.file_name + ", with:\n" + entry_to_add(member, plan.entry) + "\n";
}

// The reason, and what a person can do instead.
Status by_hand(const Status& why, const Plan& plan, bool remove) {
  std::string message = plan.file_name + " is left as it is: " + why.message();
  if (why.code() != "file_changed") {
    message += remove ? "\nRemove " + plan.entry.name + " by hand from " + plan.client().member
                      : "\nAdd by hand:\n" + entry_to_add(plan.client().member, plan.entry);
  }
  return Status::error(why.code(), message);
}

Status plan_file(const Options& options, const std::string& project, Plan* plan) {
  const bool remove = options.install.remove;
  const AgentClient& client = plan->client();
  const Result<SettingsPlace> place = settings_place(client, plan->scope, project);
  if (!place) return place.status();
  plan->file_name = (fs::path(place->directory) / place->path).string();
  const Result<SettingsFile> file = read_settings(place->directory, place->path);
  if (!file) return by_hand(file.status(), *plan, remove);
  const Result<std::string> without = remove_entry(file->text, client.member, plan->entry.name);
  const Result<std::string> text =
      remove ? without : set_entry(file->text, client.member, plan->entry);
  if (!text) return by_hand(text.status(), *plan, remove);
  plan->file = *file;
  plan->text = *text;
  if (*text == file->text) {
    plan->change = remove ? "absent" : "unchanged";
  } else if (remove) {
    plan->change = "removed";
  } else {
    plan->change = *without == file->text ? "added" : "updated";
  }
  return {};
}

Status make_plan(const Options& options, const std::string& project, Plan* plan) {
  const InstallOptions& install = options.install;
  const AgentClient& client = plan->client();
  plan->scope =
      install.scope.value_or(client.user_first ? InstallScope::kUser : InstallScope::kProject);
  plan->entry = entry_for(client, plan->scope, options, project);
  if (plan->scope == InstallScope::kProject || *client.command == '\0') {
    return plan_file(options, project, plan);
  }
  plan->command = install.remove ? command_to_remove(client, install.name)
                                 : command_to_add(client, plan->entry);
  plan->change = install.remove ? "removed" : "registered";
  return {};
}

Status carry_out(const Plan& plan, bool remove) {
  if (plan.command.empty()) {
    const Status written = replace_settings(plan.file, plan.text);
    return written ? written : by_hand(written, plan, remove);
  }
  // Claude Code refuses to add what it has; the others replace it.
  if (!remove) (void)run_client(command_to_remove(plan.client(), plan.entry.name));
  const Status done = run_client(plan.command);
  if (done.code() != "client_missing") return done;
  return Status::error(done.code(),
                       done.message() + ". Where it is, run:\n" + shown_command(plan.command));
}

// Shows what would be done, and asks the person at the terminal. Fails with needs_approval when
// there is none, and with denied after a no.
Status agreed(const std::vector<Plan>& plans, const Options& options) {
  const InstallOptions& install = options.install;
  std::string all;
  for (const Plan& plan : plans) {
    if (plan.changes()) all += shown(plan, install.remove);
  }
  if (all.empty()) return {};
  if (install.yes || install.dry_run) {
    if (!options.json) std::fputs(all.c_str(), stdout);
    return {};
  }
  if (options.json || !can_confirm()) {
    return Status::error("needs_approval",
                         "a person has to agree to the change, on a terminal; --yes makes it "
                         "without a question, and --dry-run shows it");
  }
  std::fputs(all.c_str(), stderr);
  return confirmed("Do this?") ? Status() : Status::error("denied", "nothing was changed");
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

std::string told_change(const Plan& plan, bool dry_run) {
  const std::string& name = plan.entry.name;
  const std::string would = dry_run ? "would have " : "";
  const std::string where = plan.command.empty() ? plan.file_name : "all projects";
  if (plan.change == "registered") return would + "registered " + name + " for " + where;
  if (plan.change == "added") return would + "added " + name + " to " + where;
  if (plan.change == "updated") return would + "updated " + name + " in " + where;
  if (plan.change == "removed") return would + "removed " + name + " from " + where;
  return (plan.change == "unchanged" ? name + " is already in " : "there is no " + name + " in ") +
         where;
}

void tell_done(const Plan& plan, const InstallOptions& install) {
  const AgentClient& client = plan.client();
  const std::string where = plan.target.found.empty() ? "" : " (found " + plan.target.found + ")";
  std::printf("%s%s: %s\n", client.title, where.c_str(),
              told_change(plan, install.dry_run).c_str());
  if (install.remove) return;
  if (plan.scope == InstallScope::kProject && plan.entry.command != kProgram) {
    std::printf(
        "  note: the path of the program is this machine's; with gibbous in PATH, its name is"
        " enough\n");
  }
  if (client.workspace == kProjectDirectory) {
    std::puts(
        "  note: the entry is about this project alone; --name gives another project its own");
  }
  if (*client.caution != '\0') std::printf("  note: %s\n", client.caution);
  std::printf("  check: %s\n", client.check);
}

OrderedJson plan_value(const Plan& plan) {
  const AgentClient& client = plan.client();
  OrderedJson value = {{"client", client.name},
                       {"scope", plan.scope == InstallScope::kUser ? "user" : "project"}};
  if (plan.command.empty()) {
    value["file"] = plan.file_name;
    value["member"] = client.member;
  } else {
    value["command"] = plan.command;
  }
  value["change"] = plan.change;
  if (plan.change != "removed" && plan.change != "absent") {
    value["entry"] = entry_value(plan.entry);
    if (*client.caution != '\0') value["note"] = client.caution;
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
  std::vector<Plan> plans;
  for (const Target& target : *all) {
    Plan& plan = plans.emplace_back();
    plan.target = target;
    plan.status = make_plan(options, project, &plan);
  }
  if (const Status go = agreed(plans, options); !go) return fail(go, options);
  OrderedJson values = OrderedJson::array();
  ExitCode exit_code = ExitCode::kDone;
  for (Plan& plan : plans) {
    if (plan.changes() && !install.dry_run) plan.status = carry_out(plan, install.remove);
    const AgentClient& client = plan.client();
    if (plan.status) {
      values.push_back(plan_value(plan));
      if (!options.json) tell_done(plan, install);
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
