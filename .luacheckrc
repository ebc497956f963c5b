-- What luacheck accepts: LuaJIT's language, and the globals that a script of Gibbous sees (scripts/meta).
std = {
  read_globals = {
    'assert', 'error', 'getmetatable', 'ipairs', 'next', 'pairs', 'pcall', 'rawequal', 'rawget',
    'rawset', 'require', 'select', 'setmetatable', 'tonumber', 'tostring', 'type', 'unpack', 'xpcall',
    string = { other_fields = true }, table = { other_fields = true },
    math = { other_fields = true }, bit = { other_fields = true },
    tool = { other_fields = true }, resource = { other_fields = true },
    prompt = { other_fields = true }, ask = { other_fields = true }, schema = { other_fields = true },
    run = { other_fields = true }, wait = { other_fields = true },
    task = { other_fields = true }, log = { other_fields = true },
    json = { other_fields = true }, store = { other_fields = true }, journal = { other_fields = true },
    time = { other_fields = true },
  },
}
max_line_length = 100
files['scripts/meta'] = { ignore = { '111', '112', '121', '122', '131', '211', '212', '241' } }
-- A policy sees nothing that acts, waits or remembers.
files['policies'] = {
  not_globals = { 'tool', 'resource', 'prompt', 'ask', 'run', 'wait', 'task', 'store', 'time', 'journal' },
}
-- Its whole point is what it must not do.
files['tests/hostile'] = { ignore = { '...' } }
codes = true
