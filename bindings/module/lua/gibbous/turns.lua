-- The turns of a runtime, and its end.
local ffi = require 'ffi'

local check_budget = require('gibbous.budget').check
local failure = require 'gibbous.failure'
local native = require 'gibbous.native'
local queue = require 'gibbous.queue'

local MAX_MESSAGES = 1000 -- of one turn

---@class gibbous.Runtime
local Runtime = {}

--- Does what is due, within the budget. Never waits. Returns true when more could be done at once.
---@param budget? gibbous.Budget
---@return boolean? more
---@return gibbous.Error? err closed, wrong_thread, forked
function Runtime:poll(budget)
  failure.check_type(budget, 'budget', 'table?')
  budget = budget or {}
  check_budget(budget, 'budget', 2)
  if self._is_over then
    return nil, failure.new('closed', 'the runtime is closed')
  end
  local given = self._budget
  given.bytes, given.lua_us, given.wall_us =
    budget.bytes or 0, budget.lua_us or 0, budget.wall_us or 0
  local wall_us = budget.wall_us or 0
  local limit_us = wall_us > 0 and native.now_us() + wall_us or nil
  local more = self._functions.gib_poll(self._handle, given)
  if more < 0 then
    return self:_check(more)
  end
  local is_left = queue.drain(self, budget.messages or MAX_MESSAGES, limit_us)
  return more == 1 or is_left
end

--- For a program without a loop of its own: waits until there is something to do, at most `ms`
--- milliseconds, and does it.
---@param ms number
---@return true?
---@return gibbous.Error? err closed, wrong_thread, forked
function Runtime:wait(ms)
  failure.check_type(ms, 'ms', 'number')
  if ms < 0 or ms ~= ms then
    error('ms: expected 0 or more', 2)
  elseif self._is_over then
    return nil, failure.new('closed', 'the runtime is closed')
  end
  local code, err = self:_check(self._functions.gib_wait(self._handle, math.min(ms, 2 ^ 40)))
  if not code then
    return nil, err
  end
  queue.drain(self, MAX_MESSAGES)
  return true
end

--- Returns a descriptor that is readable when poll() has something to do; never read or close it.
---@return integer? fd nil once the runtime is destroyed
function Runtime:fd()
  local fd = self._functions.gib_fd(self._handle)
  return fd >= 0 and fd or nil
end

--- Returns the milliseconds after which poll() is needed even if fd() stays quiet; nil: never.
---@return number?
function Runtime:next_timeout()
  local ms = tonumber(self._functions.gib_next_timeout(self._handle))
  return ms >= 0 and ms or nil
end

--- Ends every run and cancels every call. `on_closed` is called when nothing is left: go on with
--- poll() or wait() until then.
---@param on_closed? fun()
---@return true?
---@return gibbous.Error? err closed: it was closed before; on_closed is called all the same
function Runtime:close(on_closed)
  failure.check_type(on_closed, 'on_closed', 'function?')
  self._is_closing = true
  local done, err = self:_done(self._functions.gib_close(self._handle))
  if on_closed and self._is_over then
    queue.protect(self, 'on_closed', on_closed)
  elseif on_closed and (done or err.code == 'closed') then
    table.insert(self._on_closed, on_closed)
  end
  return done, err
end

--- For a process that is about to exit: hands the runs over to the keeper, which ends those that
--- are not detached, and returns at once.
---@return true?
---@return gibbous.Error? err
function Runtime:hand_over()
  return self:_done(self._functions.gib_hand_over(self._handle))
end

--- Frees the runtime, in any state; closes first, and waits for that at most 3 s. Calls that are
--- open end with the code `closed`. A runtime that is collected is destroyed, too.
---@return true?
---@return gibbous.Error? err closed: it was destroyed before; wrong_thread, forked: nothing is done
function Runtime:destroy()
  if self._detach then
    self._detach()
  end
  local done, err = self:_done(self._functions.gib_destroy(self._handle))
  if done then
    ffi.gc(self._handle, nil)
    queue.finish(self)
  end
  return done, err
end

return Runtime
