-- The mode of an agent that works on its own: what rules know runs in the sandbox `build`, what
-- they do not know in `confined`. A person is asked about what leaves the sandbox or loses work.
return {
  rank = 3,
  description = 'what no rule denies or asks about runs in a sandbox',
  permissions = { read = 'allow', write = 'allow', execute = 'allow' },
  tools = {
    bg_start = 'allow', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'allow', bg_kill = 'allow',
  },
  commands = {
    build = 'build', unmatched = 'confined', doubt = 'confined', leave = 'allow', ask = 'ask',
  },
}
