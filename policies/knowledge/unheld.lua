-- One pattern: what code, or the words of a program that nobody can know, must not speak of to run
-- in the sandbox without a question (`may_confine` of rules). That sandbox may write the workspace
-- and reach what the session's other runs listen on, so it does not hold removing, discarding,
-- ending and calling them; nor does it hide the environment. Code that makes code says nothing of
-- what it does.
local SPEAKS_OF = {
  -- removing and discarding, in any language and as part of any name
  [[remov|delet|unlink|rm_?tree|rmdir|rmsync|rimraf|shred|truncat|wipe|purge|destroy|eras|trash]],
  [[\brm\b|\bdd\b|\bmkfs|\balter\b|\bclean\b|\breset\b|\bcheckout\b|\brestore\b|\bstash\b]],
  [[\bdrop\b[^(]|\.drop\(\s*\)|(?-i:drop[A-Z])|drop_?(?:table|database|db|collection|schema)]],
  [[\bupdate\b[^;]{0,200}\bset\b|(?:^|\s)-\w*(?:rf|fr)|--force|\.git\b]],
  -- ending and multiplying processes
  [[kill|terminat|shutdown|reboot|poweroff|\bfork\b]],
  -- what the environment holds
  [[environ|getenv|process\.env|printenv|\benv\b]],
  -- lines that were typed before, perhaps with a change
  [[\bfc\b|\bhistory\b]],
  -- listeners of the session
  [[localhost|\b127\.|::1\b|0\.0\.0\.0|/dev/(?:tcp|udp)|\.sock\b]],
  -- code that makes code
  [[(?:\b(?:eval|exec|execfile|require|getattr|globals|locals|vars|chr)|(?:^|[^.\w])compile|]]
    .. [[(?-i:\bFunction))\s*\(\s*]]
    .. [=[(?:[^'"\s)]|['"][^'"]*['"]\s*[+.])]=],
  [[__\w+__|importlib|fromhex|b64|base64|atob|unhexlify|codecs|marshal|pickle|ctypes|fromcharcode]],
  [=[\[\s*['"][^'"]*['"]\s*\+]=],
  [[\\x[0-9a-f]{2}|\\u\{?00[0-9a-f]{2}|\\[0-7]{3}]],
}

return '(?i)' .. table.concat(SPEAKS_OF, '|')
