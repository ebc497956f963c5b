-- The mode of an agent with a person beside it: reading is free, everything else needs approval.
return {
  rules_of = 'default',
  rank = 2,
  description = 'reading is allowed, everything else is asked about',
  permissions = { read = 'allow', write = 'ask', execute = 'ask' },
  tools = {
    bg_start = 'ask', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'ask', bg_kill = 'ask',
  },
  commands = { unmatched = 'ask', ask = 'ask' },
}
