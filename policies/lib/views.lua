-- What sandboxed runs see of settings that hold tokens beside what a build needs: without the
-- company's registry, its internal packages would be asked of the public one. Each view is made of
-- what is understood, and of nothing else; nil hides the file. policies/lib/sandbox.lua names the
-- files, and what the redaction of logs still finds in a view hides the file, too.
local M = {}

-- Parts of names that mean a secret. `//host/:_authToken` and `_auth` are npm's.
local SECRET = {
  'auth', 'passw', 'passphrase', 'token', 'secret', 'credential', 'access_key', 'privatekey',
}
local HARMLESS = { ['true'] = true, ['false'] = true }

local function is_secret(name, value)
  name = name:lower()
  if HARMLESS[value] or value:find '^%${[%w_]+%??}$' then
    return false -- a reference holds nothing
  end
  for _, part in ipairs(SECRET) do
    if name:find(part, 1, true) then
      return true
    end
  end
  return name:match '[%w]+$' == 'key'
end

-- Returns the text without user and password of its addresses; nil when it is not certain where
-- they end, or when it speaks of secrets itself.
local function without_users(text)
  local small = text:lower()
  for _, part in ipairs(SECRET) do
    if part ~= 'auth' and small:find(part, 1, true) then
      return text:find '^%${[%w_]+%??}$' and text or nil
    end
  end
  text = text:gsub('(//)[^/?#%s]*@', '%1')
  return not text:find '//.*[^/]@' and not small:find '_auth' and not small:find '[<>]' and text
    or nil
end

-- A setting of several lines goes on in lines that are indented (python's configparser).
local function ini(text, separators, goes_on)
  local made, kept = {}, false
  for line in text:gmatch '[^\r\n]+' do
    local indented = goes_on and line:find '^%s' ~= nil
    line = line:match '^%s*(.-)%s*$'
    local name, value = line:match('^([^' .. separators .. ']-)%s*[' .. separators .. ']%s*(.*)$')
    value = value and without_users((value:gsub('%s[#;].*$', '')))
    local good = name and value and name:find '^@?[%w_./:%[%]-]+$' and not is_secret(name, value)
    if line:find '^%[[%w%s_./-]+%]$' then
      made[#made + 1], kept = line, false
    elseif indented and kept and not line:find '^[#;]' then
      local more = without_users(line)
      made[#made + 1] = more and (good or not name or line:find '^%w+://') and '  ' .. more or nil
    elseif not indented then
      kept = good and not line:find '^[#;%[]'
      made[#made + 1] = kept and name .. ' = ' .. value or nil
    end
  end
  return table.concat(made, '\n') .. '\n'
end

-- Elements of maven's settings in which there is nothing else than secrets and their owners.
local LEFT_OUT = { servers = true, username = true, configuration = true }

-- Reads elements and text alone: what has declarations, CDATA or characters by number is hidden.
local function xml(text)
  text = text:gsub('^\239\187\191', ''):gsub('^%s*<%?xml%s[^<>]*%?>', '')
  text = text:gsub('<!%-%-.-%-%->', '')
  if text:find('<[!?]') or text:find '&#' or text:find '%-%->' then
    return nil
  end
  local made, open, hidden, at = {}, {}, nil, 1
  while true do
    local from, to, close, name, attributes, empty = text:find('<(/?)([%w_.:-]+)([^<>]-)(/?)>', at)
    local between = text:sub(at, (from or 0) - 1)
    if between:find '[<>]' or (#open == 0 and between:find '%S') then
      return nil
    end
    local shown = without_users(between)
    if not hidden then
      made[#made + 1] = shown or ''
    end
    if not from then
      return #open == 0 and #made > 1 and table.concat(made) .. '\n' or nil
    end
    if close == '/' then
      if table.remove(open) ~= name then
        return nil
      end
      made[#made + 1] = not hidden and '</' .. name .. '>' or nil
      hidden = hidden and #open >= hidden and hidden or nil
    else
      local secret = LEFT_OUT[name] or is_secret(name, '?')
      -- Only the root has attributes: its schema.
      attributes = #open == 0 and attributes:gsub('"[^"]*@[^"]*"', '""') or ''
      if not hidden and not secret then
        made[#made + 1] = '<' .. name .. attributes .. empty .. '>'
      end
      if empty == '' then
        open[#open + 1] = name
        hidden = hidden or secret and #open or nil
      end
    end
    at = to + 1
  end
end

local KINDS = {
  { '%.npmrc$', function(text) return ini(text, '=', false) end },
  { 'pip%.conf$', function(text) return ini(text, '=:', true) end },
  { '/%.aws/config$', function(text) return ini(text, '=', true) end },
  { '/settings%.xml$', xml },
}

--- Returns what a sandboxed run may see of a file of settings; nil: nothing of it.
---
--- Example: `views.of('/home/ann/.npmrc', '_authToken=x\nregistry=https://npm.example/\n')` is
--- `'registry = https://npm.example/\n'`
---@param path string
---@param text string
---@return string?
function M.of(path, text)
  for _, kind in ipairs(KINDS) do
    if path:find(kind[1]) then
      return kind[2](text)
    end
  end
end

return M
