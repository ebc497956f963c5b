-- The mode of unattended pipelines: there is no person to ask, a background process is a liability,
-- and only commands that a rule allows run: reading, building, testing.
return {
  rules_of = 'ci',
  rank = 1,
  description = 'reading is allowed; nothing is asked about, and no background processes',
  permissions = { read = 'allow', write = 'deny', execute = 'deny' },
  tools = {
    bg_start = 'deny', bg_status = 'deny', bg_output = 'deny',
    bg_input = 'deny', bg_kill = 'deny',
  },
  commands = { unmatched = 'deny', ask = 'deny' },
  instead = 'run commands as steps of the pipeline with a time limit, '
    .. 'or start Gibbous with --mode auto',
}
