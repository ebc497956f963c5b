// See new_templates.h.
#include "bindings/cli/new_templates.h"

#include <algorithm>
#include <string_view>

#include "bindings/cli/new_specs.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxNewNameBytes = 40;
constexpr std::string_view kNameMark = "@NAME@";

constexpr const char* kTool =
    R"lua(-- The tool @NAME@. Change what it describes, takes and runs; docs/scripting.md is the tour, and
-- docs/reference.md has every function.
local definition = tool {
  name = '@NAME@',
  -- What the model reads: one sentence that says what it gets.
  description = 'Counts the lines of a file.',
  -- read, write or execute: the row of the mode's permissions that applies.
  permission = 'read',
  -- The arguments are checked before `run`, and defaults are filled in.
  input = schema.object {
    path = schema.string { min_length = 1, description = 'File, relative to the workspace' },
  },
  output = schema.object { lines = schema.integer {} },
  run = function(args)
    -- The policy is asked about the command; a refusal is an error with a reason for the model.
    local handle, err = run.start { argv = { 'wc', '-l', '--', args.path }, timeout_ms = 10000 }
    if not handle then
      tool.error(err.code, err.message)
    end
    handle:wait { wait.exit(handle) } -- suspends this call alone
    local lines = handle:read({ stream = 'stdout' }).text:match '^%s*(%d+)'
    if not lines then
      local why = handle:excerpt { stream = 'stderr', budget_tokens = 200 }
      tool.error('not_counted', why.text)
    end
    -- Text for the model, data for programs: both hold every fact.
    return { text = lines .. ' lines in ' .. args.path, data = { lines = tonumber(lines) } }
  end,
}

return { name = '@NAME@', tools = { definition } }
)lua";

constexpr const char* kToolInit =
    R"lua(-- The toolsets of this directory: `gibbous mcp --scripts scripts`.
return {
  toolsets = {
    require 'toolsets.bg', -- shipped: bg_start and the others
    require 'toolsets.wait', -- shipped: wait_for
    require 'tools.@NAME@',
  },
}
)lua";

constexpr const char* kWatcher =
    R"lua(-- Handles the event `@NAME@` of a watcher. A run gets the watcher when it is started:
--   bg_start {"command": "npm run dev", "watch": [{"regex": "ERROR", "event": "@NAME@"}]}
-- docs/remembering.md says what a watcher examines.
return {
  -- What it returns becomes event.data, which the agent sees with the event.
  on_@NAME@ = function(event)
    log.info(('%s: line %d: %s'):format(event.run, event.line_number or 0, event.line))
    local handle = run.get(event.run)
    return handle and { tail = handle:tail({ lines = 5 }).text }
  end,
}
)lua";

constexpr const char* kWatcherInit =
    R"lua(-- The handlers of this directory: `gibbous mcp --scripts scripts`.
return {
  toolsets = {
    require 'toolsets.bg', -- shipped: bg_start and the others
    require 'toolsets.wait', -- shipped: wait_for
  },
  watchers = { require 'watchers.@NAME@' },
}
)lua";

constexpr const char* kExecutor =
    R"lua(-- The executor @NAME@: turns a run into the command that is started for it. This one runs it here
-- with a low priority. docs/executors.md says what an executor for containers or other machines
-- needs: `cleanup`, `ended`, `measure`.
local command = require 'executors.command'

return {
  name = '@NAME@',
  -- Checks executors.@NAME@ of the configuration, and the settings of a start.
  settings = schema.object {
    niceness = schema.integer { minimum = 1, maximum = 19, default = 10 },
  },
  prepare = function(spec)
    local argv = { 'nice', '-n', tostring(spec.settings.niceness) }
    -- Either words, or a line for a shell.
    command.add(argv, unpack(command.words(spec, spec.shell)))
    return { argv = argv, env = spec.env }
  end,
}
)lua";

constexpr const char* kExecutorInit =
    R"lua(-- The executors of this directory: `gibbous mcp --scripts scripts`.
return {
  toolsets = {
    require 'toolsets.bg', -- shipped: bg_start and the others
    require 'toolsets.wait', -- shipped: wait_for
  },
  executors = { require 'executors.@NAME@' },
}
)lua";

constexpr const char* kPolicy =
    R"lua(-- Rules of our own, and the cases that show what they mean. docs/policy.md is the guide.
local M = {}

M.rules = {
  {
    id = '@NAME@.deploy',
    decision = 'ask', -- allow, ask or deny
    -- A sentence that says what to do instead.
    reason = 'This deploys: let a person approve it.',
    -- All conditions must hold for the same command.
    program = 'deploy',
    -- Examples are checked at every load.
    match = { 'deploy production', 'make && sh -c "deploy staging"' },
    not_match = { 'echo deploy' },
  },
}

-- The verdicts on whole command lines in the mode auto.
M.cases = {
  { name = '@NAME@: deploying', ask = { 'deploy production' } },
}

return M
)lua";

constexpr const char* kPolicyInit =
    R"lua(-- The shipped policy with rules of our own: `gibbous mcp --policies policies`.
local override = require 'override'
local policy = require 'policy'
local modes = require 'modes'
local own = require '@NAME@'

return {
  modes = modes,
  decide = policy.decider(modes),
  rules = override.with(require 'rules', own.rules),
  knowledge = require 'knowledge',
  cases = own.cases,
}
)lua";

std::string filled(std::string_view text, const std::string& name) {
  std::string made(text);
  for (std::size_t at = 0; (at = made.find(kNameMark, at)) != std::string::npos;
       at += name.size()) {
    made.replace(at, kNameMark.size(), name);
  }
  return made;
}

// Names of shipped files that a file of that name would hide.
const std::vector<std::string>& shipped_names(NewKind kind) {
  static const std::vector<std::string> kTools = {"init"};
  static const std::vector<std::string> kPolicies = {
      "init",   "cases",  "change", "credentials", "decide", "executors", "knowledge",
      "limits", "matrix", "modes",  "override",    "policy", "rules",     "sandbox"};
  static const std::vector<std::string> kWatchers = {"init",        "compile_error", "named",
                                                     "presets",     "prompt",        "ready",
                                                     "stack_trace", "test_failure"};
  static const std::vector<std::string> kExecutors = {
      "init", "bwrap",  "command", "container", "docker",      "environment",
      "host", "places", "podman",  "ssh",       "systemd_run", "pid_namespace"};
  switch (kind) {
    case NewKind::kTool:
      return kTools;
    case NewKind::kPolicy:
      return kPolicies;
    case NewKind::kWatcher:
      return kWatchers;
    case NewKind::kExecutor:
      return kExecutors;
  }
  return kTools;
}

}  // namespace

std::string name_problem(NewKind kind, const std::string& name) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool good = !name.empty() && name.size() <= kMaxNewNameBytes && name[0] >= 'a' &&
                    name[0] <= 'z' && std::all_of(name.begin(), name.end(), is_part);
  if (!good) {
    return "NAME: expected a lower-case letter and then lower-case letters, digits and _, at "
           "most " +
           std::to_string(kMaxNewNameBytes);
  }
  const std::vector<std::string>& shipped = shipped_names(kind);
  const bool hides = std::find(shipped.begin(), shipped.end(), name) != shipped.end();
  return hides ? "NAME: '" + name + "' would hide a file that ships with Gibbous" : "";
}

NewTemplate new_template(NewKind kind, const std::string& name) {
  const auto text = [&name](std::string_view each) { return filled(each, name); };
  const auto spec = [&text, kind](std::string_view path) {
    return NewFile{text(path), text(new_spec_text(kind))};
  };
  switch (kind) {
    case NewKind::kTool:
      return {
          {text("scripts/tools/@NAME@.lua"), text(kTool)},
          {"scripts/init.lua", text(kToolInit)},
          spec("scripts/tools/@NAME@_spec.lua"),
          text("require 'tools.@NAME@' in toolsets"),
          {"gibbous check .", "gibbous test",
           text("gibbous call @NAME@ '{\"path\":\"scripts/init.lua\"}' --scripts scripts --mode "
                "auto")}};
    case NewKind::kPolicy:
      return {{text("policies/@NAME@.lua"), text(kPolicy)},
              {"policies/init.lua", text(kPolicyInit)},
              {},
              text("require '@NAME@', its rules with override.with(...), and its cases"),
              {"gibbous policy test policies",
               "gibbous policy check --policies policies --mode auto 'deploy production'"}};
    case NewKind::kWatcher:
      return {{text("scripts/watchers/@NAME@.lua"), text(kWatcher)},
              {"scripts/init.lua", text(kWatcherInit)},
              spec("scripts/watchers/@NAME@_spec.lua"),
              text("require 'watchers.@NAME@' in watchers"),
              {"gibbous check .", "gibbous test",
               text("gibbous call bg_start '{\"command\":\"echo ERROR; sleep 1\",\"watch\":"
                    "[{\"regex\":\"ERROR\",\"event\":\"@NAME@\"}],\"until\":{\"exit\":true}}' "
                    "--scripts scripts --mode auto")}};
    case NewKind::kExecutor:
      return {
          {text("scripts/executors/@NAME@.lua"), text(kExecutor)},
          {"scripts/init.lua", text(kExecutorInit)},
          spec("scripts/executors/@NAME@_spec.lua"),
          text("require 'executors.@NAME@' in executors"),
          {"gibbous check .", "gibbous test",
           text("write config.lua: return { executor = '@NAME@', executors = { @NAME@ = {} } }"),
           "gibbous call bg_start '{\"command\":\"nice\",\"until\":{\"exit\":true}}' --scripts "
           "scripts --config config.lua --mode auto"}};
  }
  return {};
}

}  // namespace gibbous::cli
