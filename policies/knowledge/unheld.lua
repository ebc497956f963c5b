-- One pattern: what code, or the words of a program that are not known, must not speak of to run
-- in a sandbox without a question. It may write the workspace, so it does not hold removing,
-- discarding and ending.
local SPEAKS_OF = {
  -- removing and discarding, in any language and as part of any name
  [[remov|delet|unlink|rm_?tree|rm_?rf|rmdir|rmsync|rimraf|shred|truncat|wipe]],
  [[purge|destroy|eras|trash]],
  [[\brm\b|\bdd\b|\bmkfs|\balter\b|\bclean\b|\breset\b|\bcheckout\b|\brestore\b|\bstash\b]],
  [[\bdrop\b[^(]|\.drop\(\s*\)|(?-i:drop[A-Z])|drop_?(?:table|database|db|collection|schema)]],
  [[\bupdate\b[^;]{0,200}\bset\b|(?:^|\s)-\w*(?:rf|fr)|--force|\.git\b]],
  -- ending and multiplying processes
  [[kill|terminat|shutdown|reboot|poweroff|\bfork\b]],
  -- lines that were typed before, perhaps with a change
  [[\bfc\b|\bhistory\b]],
}

return '(?i)' .. table.concat(SPEAKS_OF, '|')
