-- Watchers that people want without writing them: named lists of what to watch for. Each entry is a
-- watcher, with examples: lines as programs really print them, colours included, that it must find,
-- and near misses that no entry of its list may find. A test checks all of them.
local M = {}

---@class WatcherPreset
---@field regex string RE2, found anywhere in a line as a person sees it
---@field event string
---@field scope? 'stdout'|'stderr'|'both' default: 'both'; most programs write such lines to either
---@field context_after? integer lines that come with the match
---@field match string[] lines that it finds
---@field not_match? string[] lines that nothing of its list finds

---@type WatcherPreset[] a server answers, or a watch mode has done its first round
M.ready = require 'watchers.ready'
---@type WatcherPreset[] a compiler, linker or build tool gave up
M.compile_error = require 'watchers.compile_error'
---@type WatcherPreset[] a test failed, or a summary says that some did
M.test_failure = require 'watchers.test_failure'
---@type WatcherPreset[] a program crashed
M.stack_trace = require 'watchers.stack_trace'
---@type WatcherPreset[] a program waits for input; such lines have no end, and are looked at when
--- the output has been quiet
M.prompt = require 'watchers.prompt'

---@param entry WatcherPreset
---@return Watcher
local function watcher_of(entry)
  return {
    regex = entry.regex, event = entry.event, scope = entry.scope,
    context_after = entry.context_after,
  }
end

local LISTS = {
  ready = M.ready, compile_error = M.compile_error, test_failure = M.test_failure,
  stack_trace = M.stack_trace, prompt = M.prompt,
}

--- The names that M.watchers takes.
---@type string[]
M.names = { 'ready', 'compile_error', 'test_failure', 'stack_trace', 'prompt' }

--- Gives the watchers of a list, for run.start and run.queue; nil when there is no such list.
---
--- Example: `run.start { command = 'npm run dev', watch = presets.watchers('ready') }`
---@param name string
---@return Watcher[]?
function M.watchers(name)
  local list = LISTS[name]
  if not list then
    return nil
  end
  local watchers = {}
  for index, entry in ipairs(list) do
    watchers[index] = watcher_of(entry)
  end
  return watchers
end

return M
