-- Helpers of executors: run a command of their own, and build lists of words.
local M = {}

local TIMEOUT_MS = 10000
local MAX_OUTPUT_BYTES = 1024 * 1024

--- Runs a command to its end and returns its output. It is for the commands of executors, which the
--- policy does not judge. Returns nil and the error output when the command failed or took 10
--- seconds.
---
--- Example: `local text, problem = command.output({ 'docker', 'ps' }, { DOCKER_HOST = host })`
---@param argv string[]
---@param env? table<string, string>
---@param input? string for its stdin, which stays open
---@return string? text
---@return string? problem
function M.output(argv, env, input)
  local handle, err = run.start {
    argv = argv, env = env, timeout_ms = TIMEOUT_MS, stdin = input and 'pipe' or 'null',
  }
  if not handle then
    return nil, err.message
  end
  if input then
    handle:write(input)
  end
  handle:wait { any = { wait.exit(handle) } }
  local info = handle:info()
  if info.state ~= 'completed' then
    local complaint = handle:tail({ stream = 'stderr', lines = 3 }).text
    return nil, complaint ~= '' and complaint or info.reason
  end
  return handle:read({ max_bytes = MAX_OUTPUT_BYTES }).text
end

--- Appends words to a list.
---@param list string[]
---@param ... string
function M.add(list, ...)
  for _, word in ipairs { ... } do
    list[#list + 1] = word
  end
end

--- Returns a copy of a list with words appended.
---@param list string[]
---@param ... string
---@return string[]
function M.with(list, ...)
  local all = { unpack(list) }
  M.add(all, ...)
  return all
end

-- Looks for bash where the command runs, in the places of runtime/base/shell_program.cc.
local IN_ANY_SHELL = [[
for shell in /bin /usr/bin /run/current-system/sw/bin /usr/local/bin; do
  [ -x "$shell/bash" ] && exec "$shell/bash" --norc -p -c "$1"
done
exec /bin/sh -c "$1"]]

--- Returns the words of a run's command. bash takes neither files nor functions nor options from
--- the environment.
---@param spec ExecutorSpec
---@param shell? string program that takes -c and a line; nil: bash if it is there, else /bin/sh
---@return string[]
function M.words(spec, shell)
  if spec.argv then
    return spec.argv
  elseif not shell then
    return { '/bin/sh', '-c', IN_ANY_SHELL, 'sh', spec.command }
  elseif shell:match '[^/]*$' == 'bash' then
    return { shell, '--norc', '-p', '-c', spec.command }
  end
  return { shell, '-c', spec.command }
end

-- The client would take a word that begins with '-' for an option.
local NO_OPTION = '^[^-]'

--- Returns the schema of a setting that becomes a word of the client's command line.
---
--- Example: `image = command.word { description = 'Image that commands run in' }`
---@param options StringSchemaOptions
---@return Schema
function M.word(options)
  options.pattern = NO_OPTION
  options.description = (options.description and options.description .. '; ' or '')
    .. "does not begin with '-'"
  return schema.string(options)
end

return M
