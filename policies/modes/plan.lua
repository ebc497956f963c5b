-- The mode of an agent that plans before it acts: it may watch processes that were started in
-- another mode, and run commands on a copy of the workspace that is thrown away after each.
return {
  rank = 0,
  description = 'commands run on a copy of the workspace that is thrown away; nothing else changes',
  permissions = { read = 'allow', write = 'deny', execute = 'deny' },
  tools = {
    bg_start = 'deny', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'deny', bg_kill = 'deny',
  },
  commands = {
    build = 'plan', unmatched = 'plan', doubt = 'plan', leave = 'deny', ask = 'deny',
    bare = { read = 'deny' },
  },
  instead = 'only look at things while planning; to act, start Gibbous with --mode default or auto',
}
