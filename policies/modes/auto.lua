-- The mode of an agent that works on its own. Deny rules still hold.
return {
  description = 'everything is allowed that no rule denies',
  permissions = { read = 'allow', write = 'allow', execute = 'allow' },
  tools = { bg_start = 'allow', bg_status = 'allow', bg_output = 'allow', bg_kill = 'allow' },
}
