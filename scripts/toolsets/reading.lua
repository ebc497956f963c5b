-- The call of each toolset that reads a run's output, for notes on what an answer leaves out. Each
-- is a function of the id, and of a stream and an offset in it, where memory has them.
--
-- Example: `reading.bg('Ab3xK9mZ', 'merged', 812)`

local function call(from_offset, whole)
  ---@param id string
  ---@param stream? 'stdout'|'stderr'|'merged'
  ---@param from? integer
  ---@return string
  return function(id, stream, from)
    return from and from_offset and from_offset:format(id, stream, from) or whole:format(id)
  end
end

return {
  bg = call('bg_output id=%s, stream=%s, from=%d', 'bg_output id=%s, grep=.'),
  lean = call('job action=output, id=%s, from=%s:%d', 'job action=output, id=%s, grep=.'),
  background = call(nil, 'read_process_output id=%s, lines=10000'),
  process = call(nil, 'process action=output, pid=%s, tail=10000'),
  shell = call(nil, 'shell action=poll, run_id=%s, since_seq=0'),
}
