-- The mode of unattended pipelines: as auto, but there is no person to ask, and a background
-- process is a liability.
return {
  rank = 1,
  description = 'commands run as in auto; nothing is asked about, and no background processes',
  permissions = { read = 'allow', write = 'deny', execute = 'deny' },
  tools = {
    bg_start = 'deny', bg_status = 'deny', bg_output = 'deny',
    bg_input = 'deny', bg_kill = 'deny',
  },
  commands = {
    build = 'build', unmatched = 'confined', doubt = 'confined', leave = 'allow', ask = 'deny',
    bare = { build = 'allow' },
  },
  instead = 'run commands as steps of the pipeline with a time limit, '
    .. 'or start Gibbous with --mode auto',
}
