-- What a session knows of the output of a run: where it has read it, and the last line that a
-- start, a wait or an event told it. A wait for a line looks behind both, so that no line from
-- before an edit answers for what came after it.
local M = {}

local MAX_OFFSET = 2 ^ 53

--- The argument `since` of a wait.
M.SCHEMA = schema.any {
  description = "'start' or offset", optional = true, rare = true,
}

--- Returns the name of the reader of what a session is given of the output of its runs.
---@param session string
---@return string
function M.reader(session)
  return 'output ' .. session
end

--- Notes that an answer shows the session lines of a run.
---
--- Example: `marks.tell(handle, ctx.session, { stdout = fired.cursor })`
---@param handle Run
---@param session string
---@param to Places|'lines' up to where; 'lines': all that it has printed
function M.tell(handle, session, to)
  handle:place { reader = 'told ' .. session, to = to }
end

--- Notes the lines that the answer of a wait tells: those that came true, or the last ones.
---@param answer WaitAnswer
---@param session string
function M.tell_answer(answer, session)
  local late = answer.reason == 'timeout' and answer.run and run.get(answer.run)
  if late then
    M.tell(late, session, 'lines')
  end
  for _, fired in ipairs(answer.fired) do
    local handle = fired.kind == 'regex' and run.get(fired.run)
    if handle then
      M.tell(handle, session, { [fired.stream] = fired.cursor })
    end
  end
end

--- Returns where the lines of a run begin that count for a wait. Ends the call with
--- invalid_arguments when `since` is wrong.
---
--- Example: `local behind = marks.behind(handle, ctx.session, args.since)`
---@param handle? Run nil: it has not started
---@param session string
---@param since? 'start'|integer
---@return Places
function M.behind(handle, session, since)
  if since == 'start' or not (since or handle) then
    return { stdout = 0, stderr = 0 }
  elseif since then
    local offset = tonumber(since)
    if not offset or offset < 0 or offset > MAX_OFFSET or offset % 1 ~= 0 then
      tool.error('invalid_arguments',
        ("args.since: expected 'start' or an offset, got %s"):format(json.encode(since)))
    end
    return { stdout = offset, stderr = offset }
  end
  local read = handle:place { reader = M.reader(session) }
  local told = handle:place { reader = 'told ' .. session }
  return {
    stdout = math.max(read.stdout, told.stdout), stderr = math.max(read.stderr, told.stderr),
  }
end

--- Says how older lines count, where a wait for a line was in vain and has seen one; else ''.
---@param answer WaitAnswer
---@return string
function M.hint(answer)
  return answer.older and '\nsince="start" counts older lines, too' or ''
end

return M
