-- The mode of an agent that works on its own: everyday commands run without approval, and what
-- could do harm needs it; what no rule knows runs in the sandbox. Deny rules still hold.
return {
  rules_of = 'auto',
  rank = 3,
  description = 'what no rule denies or asks about is allowed, in a sandbox what no rule knows',
  permissions = { read = 'allow', write = 'allow', execute = 'allow' },
  tools = {
    bg_start = 'allow', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'allow', bg_kill = 'allow',
  },
  commands = { unmatched = 'confined', doubt = 'confined', ask = 'ask' },
}
