-- Runs without a process, for specs: what a program would print, and how it ends, is said by the
-- spec. Tools, waits, watchers and limits meet such a run as they meet any other.
local M = {}

-- After so many turns of the loop everything that follows from a step has happened.
local TURNS = 8

---Lets everything happen that is due now.
---@param native table
function M.settle(native)
  local calm = 0
  while calm < TURNS do
    calm = native.is_busy() and 0 or calm + 1
    time.sleep(0)
  end
end

---@param native table
---@param command string
---@param stubborn boolean
---@return FakeRun
function M.new(native, command, stubborn)
  local number = native.fake(command, stubborn)
  local fake = {}

  function fake.is_started()
    return #native.runs(number) > 0
  end

  function fake.id()
    local ids = native.runs(number)
    if #ids == 0 then
      error("nothing has started '" .. command .. "' yet", 3)
    end
    return ids[#ids]
  end

  function fake.print(_, text, stream)
    native.print(fake.id(), stream or 'stdout', text)
    M.settle(native)
  end

  function fake.listen(_, port, status)
    native.listen(fake.id(), port, status or 200)
    M.settle(native)
  end

  function fake.exit(_, code, signal)
    native.exit(fake.id(), code or 0, signal or 0)
    M.settle(native)
  end

  function fake.typed()
    return native.typed(fake.id())
  end

  return fake
end

return M
