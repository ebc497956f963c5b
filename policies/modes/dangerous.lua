-- The mode for disposable machines: what other modes ask about is allowed. Deny rules still hold.
return {
  rules_of = 'dangerous',
  rank = 4,
  secrets = 'allow',
  description = 'nothing is asked about; deny rules still hold',
  permissions = { read = 'allow', write = 'allow', execute = 'allow' },
  tools = {
    bg_start = 'allow', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'allow', bg_kill = 'allow',
  },
  commands = { unmatched = 'allow', ask = 'allow' },
}
