-- The mode of an agent with a person beside it: programs that read run unasked, on a copy of the
-- workspace that is thrown away. Everything else is asked about, and runs in the sandbox `build`.
return {
  rank = 2,
  description = 'reading is allowed, everything else is asked about',
  permissions = { read = 'allow', write = 'ask', execute = 'ask' },
  tools = {
    bg_start = 'ask', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'ask', bg_kill = 'ask',
  },
  commands = {
    read = 'plan', build = 'ask', unmatched = 'ask', doubt = 'ask', leave = 'ask', ask = 'ask',
    bare = { read = 'ask' },
  },
}
