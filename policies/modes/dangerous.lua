-- For throw-away machines. Today it allows what auto allows, and deny rules hold here too; rules
-- that only ask in auto will be silent in it.
return {
  description = 'nothing is asked about; deny rules still hold',
  permissions = { read = 'allow', write = 'allow', execute = 'allow' },
  tools = { bg_start = 'allow', bg_status = 'allow', bg_output = 'allow', bg_kill = 'allow' },
}
