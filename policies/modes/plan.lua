-- The mode of an agent that plans before it acts: it may watch processes that were started in
-- another mode, and run commands that only read according to a rule.
return {
  rules_of = 'plan',
  rank = 0,
  description = 'reading is allowed, nothing may be changed or started',
  permissions = { read = 'allow', write = 'deny', execute = 'deny' },
  tools = {
    bg_start = 'deny', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'deny', bg_kill = 'deny',
  },
  commands = { unmatched = 'deny', ask = 'deny' },
  instead = 'only look at things while planning; to act, start Gibbous with --mode default or auto',
}
