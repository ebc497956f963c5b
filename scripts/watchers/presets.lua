-- Presets: named lists of ready-made watchers. Each entry is a watcher with examples: real lines of
-- programs, colours included, that it must match, and near misses that no entry of its list may
-- match. A test checks all of them. Error excerpts use compile_error, test_failure and stack_trace,
-- too: Gibbous reads them here at every load. The core has a copy for processes without scripts:
-- after a change of those that ship, `test_bindings_lua '[.error_patterns]'` writes it anew.
local M = {}

---@class WatcherPreset
---@field regex string RE2, found anywhere in a line as a person sees it
---@field event string
---@field scope? 'stdout'|'stderr'|'both'|'screen' default: 'both'; most programs write such lines
--- to either
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

return M
