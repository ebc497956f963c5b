-- The mode for disposable machines: nothing is confined, and what other modes ask about is allowed.
-- Deny rules still hold.
return {
  rank = 4,
  secrets = 'allow',
  description = 'nothing is asked about or confined; deny rules still hold',
  permissions = { read = 'allow', write = 'allow', execute = 'allow' },
  tools = {
    bg_start = 'allow', bg_status = 'allow', bg_output = 'allow',
    bg_input = 'allow', bg_kill = 'allow',
  },
  commands = {
    build = 'allow', unmatched = 'allow', doubt = 'allow', leave = 'allow', ask = 'allow',
  },
}
