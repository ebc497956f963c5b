-- A runtime in a luv loop: a poll handle on its descriptor, and a timer for what is due later. All
-- of it happens on the thread of the loop, which is that of the runtime.
-- luacheck: std luajit
local check_budget = require('gibbous.budget').check
local failure = require 'gibbous.failure'
local queue = require 'gibbous.queue'

local M = {}

-- A timer of 0 ms that is set anew in its own callback would keep the loop from everything else.
local SOON_MS = 1
-- What one turn may take by default. It suits a program that draws 60 frames a second.
local BUDGET = { bytes = 64 * 1024, lua_us = 1000, wall_us = 2000, messages = 200 }
local MEMBERS = { budget = 'table?', schedule = 'function?', on_turn = 'function?' }

---@class gibbous.LuvOptions
---@field budget? gibbous.Budget what one turn may take; default: 64 KiB, 1 ms of Lua, 2 ms in all,
--- 200 messages
---@field schedule? fun(turn: fun()) calls a turn later; default: vim.schedule in Neovim, whose API
--- may not be used in the callback of a loop, and at once elsewhere
---@field on_turn? fun() is called after each turn, when there may be new output to read

local function call_now(turn)
  turn()
end

-- A poll handle and a timer that turn a runtime.
local Turner = {}
Turner.__index = Turner

-- Has the runtime turned soon. Until then, a descriptor that stays readable would only wake the
-- loop in vain.
function Turner:_come()
  if self.is_attached and not self.is_coming then
    self.is_coming = true
    self.poll:stop()
    self.timer:stop()
    self.schedule(self.turn)
  end
end

-- Waits for the descriptor or, if that comes first, for `ms` milliseconds.
function Turner:_rest(ms)
  local rt = self.rt
  local keeps_alive = next(rt._pending) or next(rt._open) or rt._is_closing
  for _, handle in ipairs { self.poll, self.timer } do
    handle[keeps_alive and 'ref' or 'unref'](handle)
  end
  self.poll:start('r', self.come)
  if ms then
    self.timer:start(math.max(ms, SOON_MS), 0, self.come)
  end
end

function Turner:_turn()
  if not self.is_attached then
    return
  end
  local more = self.rt:poll(self.budget)
  queue.protect(self.rt, 'on_turn', self.on_turn)
  self.is_coming = false
  if self.is_attached then
    self:_rest(more and SOON_MS or self.rt:next_timeout())
  end
end

-- The runtime has something to do that its descriptor does not tell.
function Turner:_wake()
  if self.is_attached and not self.is_coming then
    self.timer:stop()
    self:_rest(SOON_MS)
  end
end

function Turner:_detach()
  if self.is_attached then
    self.is_attached = false
    self.rt._on_wake, self.rt._detach = nil, nil
    self.poll:close()
    self.timer:close()
  end
end

---@class gibbous.Attachment
---@field detach fun() takes the runtime out of the loop; closing and destroying it do this, too

--- Attaches a runtime to a luv loop: from then on, the loop turns it, and its functions are called
--- from there. It keeps the loop alive while calls are open, and until a close() is done. An
--- attached runtime is never collected: close or destroy it. Raises an error for wrong arguments,
--- and for a runtime that is attached already.
---
---     local uv = require 'luv'
---     gibbous.luv(rt, uv)
---     rt:call('bg_start', { command = 'make' }, nil, function(result) print(result.text) end)
---     uv.run()
---@param rt gibbous.Runtime
---@param uv? table default: vim.loop, or require 'luv'
---@param options? gibbous.LuvOptions
---@return gibbous.Attachment?
---@return gibbous.Error? err closed
function M.attach(rt, uv, options)
  local vim = rawget(_G, 'vim')
  failure.check_type(rt, 'rt', 'table')
  failure.check_type(options, 'options', 'table?')
  options = options or {}
  failure.check_members(options, 'options', MEMBERS)
  local budget = options.budget or BUDGET
  check_budget(budget, 'options.budget', 2)
  if rt._detach then
    error('rt: it is attached to a loop already; detach() it first', 2)
  end
  local fd = rt:fd()
  if not fd or rt._is_over then
    return nil, failure.new('closed', 'the runtime is closed')
  end
  uv = uv or (vim and (vim.uv or vim.loop)) or require 'luv'
  local turner = setmetatable({
    rt = rt, budget = budget, on_turn = options.on_turn,
    schedule = options.schedule or (vim and vim.schedule) or call_now,
    poll = assert(uv.new_poll(fd)), timer = assert(uv.new_timer()),
    is_attached = true, is_coming = false,
  }, Turner)
  turner.come = function() turner:_come() end
  turner.turn = function() turner:_turn() end
  rt._on_wake = function() turner:_wake() end
  rt._detach = function() turner:_detach() end
  turner:_wake()
  return { detach = rt._detach }
end

return M
