-- Perl: which code touches paths, and which is harmless: substitutions, matches and print without
-- embedded code. In a pattern, @{...}, $x[...] and (?{...}) are code.
local LIMITS = [=[(?:[^DELIM\\@$\[({]|\\.|\[[^\]\[@$]*\]|\((?:\?[:=!<>imsx])?|\{[0-9,]*\}|]=]
  .. [=[\$[)|0-9&])*\$?]=]
local TEXT = [[(?:[^DELIM\\@$\[{]|\\.|\$[0-9&])*]]

local function between(delimiter, part)
  return (part:gsub('DELIM', delimiter))
end

local function substitution(delimiter, mark)
  return 's' .. mark .. between(delimiter, LIMITS) .. mark .. between(delimiter, TEXT) .. mark
    .. '[gimsx]*'
end

local MATCH = '/' .. between('/', LIMITS) .. '/i?'
local PRINT = [[(?:print|say)]]
local PIECES = {
  substitution('/', '/'), substitution('|', '\\|'), substitution('#', '#'), substitution(',', ','),
  substitution('!', '!'),
  [[(?:tr|y)/[^/@$`]*/[^/@$`]*/[cds]*]],
  PRINT .. [[(?: \$_| \$[0-9]| "(?:[^"@$\\]|\\[nt]|\$[0-9&])*")?]]
    .. '(?: (?:if|unless) ' .. MATCH .. ')?',
  PRINT .. [[ (?:if|unless) (?:\$\. ?[<>=]=? ?[0-9]+|[0-9]+ ?\.\. ?[0-9]+)]],
  [[print \$\]|print \$\^V|undef \$/|next (?:if|unless) ]] .. MATCH,
}
local PIECE = '(?:' .. table.concat(PIECES, '|') .. ')'

local QUOTED = [=[\s*(?:\(\s*)?\[?\s*["']([^"']+)["']]=]

return {
  calls = {
    { access = 'remove', recursive = true, pattern = '(?:rmtree|remove_tree)' .. QUOTED },
    { access = 'remove', pattern = '(?:unlink|rmdir|rename)' .. QUOTED },
    { access = 'write', pattern = [=[open[^;]*["']\+?>{1,2}["']\s*,\s*["']([^"']+)["']]=] },
    { access = 'write', pattern = [=[open[^;]*["']\+?>{1,2}\s*([^"'>]+)["']]=] },
    { access = 'read', pattern = [=[open[^;]*["']<["']\s*,\s*["']([^"']+)["']]=] },
    { access = 'permission', pattern = [=[(?:chmod|chown)[^;]*["'](/[^"']+)["']]=] },
  },
  harmless = [[(?s)\s*]] .. PIECE .. [[?(?:\s*;\s*]] .. PIECE .. [[)*\s*;?\s*]],
}
