-- sed: which code touches paths, and which is harmless: all commands except e, w and r, and
-- substitutions without the flags e and w.
local function substitution(delimiter, mark)
  local part = '(?:[^' .. delimiter .. [[\\\n]|\\(?:.|\n))*]]
  return 's' .. mark .. part .. mark .. part .. mark .. '[gpiIMm0-9]*'
end

local ADDRESS = [[(?:[0-9]+(?:~[0-9]+)?|\$|/(?:[^/\\\n]|\\.)+/[IM]*|\\\|(?:[^|\\\n]|\\.)+\|I?]]
  .. [[|\\#(?:[^#\\\n]|\\.)+#I?|\\,(?:[^,\\\n]|\\.)+,I?)]]
local COMMANDS = {
  [=[[pdDgGhHxnNPlqQz=]\s*[0-9]*]=],
  [=[[btT]\s*\w*]=],
  [[:\s*\w+]],
  [=[[aic](?:\\\n|\\| )?(?:[^\n\\]|\\(?:.|\n))*]=],
  [[y/(?:[^/\\]|\\.)*/(?:[^/\\]|\\.)*/]],
  [[#[^\n]*]],
  substitution('|', '\\|'),
  substitution('+', '\\+'),
}
for delimiter in ('/,#@!:;%_~'):gmatch('.') do
  COMMANDS[#COMMANDS + 1] = substitution(delimiter, delimiter)
end
local COMMAND = '(?:' .. ADDRESS .. [[(?:\s*,\s*(?:]] .. ADDRESS .. [[|[+~][0-9]+))?\s*!?\s*)?]]
  .. [[(?:\{\s*(?:]] .. ADDRESS .. [[\s*!?\s*)?)*(?:]] .. table.concat(COMMANDS, '|') .. ')'

return {
  calls = {
    { access = 'write', pattern = [[(?:^|[;}{\n0-9$/])\s*[wW]\s+([^\s;}]+)]] },
    { access = 'write', pattern = [[(?:^|[;}{\n0-9$/])\s*[wW]([/~][^\s;}]+)]] },
    { access = 'write', pattern = [[s[/|#,@][^\n]*[/|#,@][gpIi0-9]*w\s+([^\s;}]+)]] },
    { access = 'read', pattern = [[(?:^|[;}{\n0-9$/])\s*[rR]\s*([^\s;}]+)]] },
  },
  harmless = [[(?s)\s*(?:]] .. COMMAND .. [[)?(?:\s*[;\n}]\s*(?:]] .. COMMAND .. [[)?)*\s*]],
}
