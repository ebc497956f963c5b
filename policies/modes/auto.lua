-- The mode of an agent that works on its own: everyday commands run without approval, and what
-- could do harm needs it. Deny rules still hold.
return {
  rank = 3,
  description = 'everything is allowed that no rule denies or asks about',
  permissions = { read = 'allow', write = 'allow', execute = 'allow' },
  tools = {
    bg_start = 'allow', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'allow', bg_kill = 'allow',
  },
  commands = { unmatched = 'allow', ask = 'ask' },
}
