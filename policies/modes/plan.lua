-- The mode of an agent that thinks before it acts: it may watch processes that were started in
-- another mode.
return {
  description = 'reading is allowed, nothing may be changed or started',
  permissions = { read = 'allow', write = 'deny', execute = 'deny' },
  tools = { bg_start = 'deny', bg_status = 'allow', bg_output = 'allow', bg_kill = 'deny' },
  instead = 'only look at things while planning; to act, start Gibbous with --mode default or auto',
}
