-- Splits a command line into words, naively: at spaces and at the shell's separators, with quotes
-- and backslashes taken off. It knows no expansions, no here-documents and no syntax; whoever wants
-- to hide a command from it can. This is all it does until the parsed command policy exists. Used
-- by rules/machine.lua.
local M = {}

local function set(text)
  local members = {}
  for member in text:gmatch('%S+') do
    members[member] = true
  end
  return members
end

local SHELLS = set 'sh bash dash zsh ksh ash busybox'
-- They run what their later words say; where those begin depends on options, so every later word
-- is tried.
local WRAPPERS = set [[sudo doas env nohup setsid nice ionice exec command time timeout stdbuf
  xargs chroot busybox]]
-- Words that stand before a command.
local KEYWORDS = set 'if then else elif while until do ! { time'
local MAX_DEPTH = 6
local MAX_COMMANDS = 5000
local MAX_WRAPPED = 20

M.set = set

--- Gives the last part of a path.
---
--- Example: `words.base('/bin/rm') == 'rm'`
---@param word string
---@return string
function M.base(word)
  return (word:gsub('^.*/', ''))
end

-- Lines are split at runs of these, so that no character is looked at alone without need.
local PLAIN = '^[^%s;&|(){}`<>\'"\\]+'

-- Gives the commands of `line`: lists of words, each with the targets of its redirections.
local function split(line)
  local commands, words, targets = {}, {}, {}
  local word, redirects = nil, false
  local function end_word()
    if word then
      local into = redirects and targets or words
      into[#into + 1] = word
      redirects = false
    end
    word = nil
  end
  local function end_command()
    end_word()
    if #words + #targets > 0 then
      commands[#commands + 1] = { words = words, targets = targets }
    end
    words, targets, redirects = {}, {}, false
  end
  local at = 1
  while at <= #line do
    local char = line:sub(at, at)
    local plain = line:match(PLAIN, at)
    local next_at = at + 1
    if plain then
      word = (word or '') .. plain
      next_at = at + #plain
    elseif char == "'" or char == '"' then
      local close = line:find(char, at + 1, true) or #line + 1
      word = (word or '') .. line:sub(at + 1, close - 1)
      next_at = close + 1
    elseif char == '\\' then
      if line:sub(at + 1, at + 1) ~= '\n' then
        word = (word or '') .. line:sub(at + 1, at + 1)
      end
      next_at = at + 2
    elseif char == '>' then
      if word and word:match('^%d$') then
        word = nil -- 2> names a descriptor
      end
      end_word()
      redirects = true
      next_at = line:find('[^>|&]', at) or #line + 1
    elseif char:match('[;&|\n(){}`]') then
      end_command()
    else
      end_word()
    end
    at = next_at
  end
  end_command()
  return commands
end

local collect

-- Appends { program, arguments, targets } for words[from] and what follows it, and for what they
-- make other programs run.
local function add(words, from, targets, found, depth)
  while words[from] and (words[from]:match('^[%a_][%w_]*=') or KEYWORDS[words[from]]) do
    from = from + 1
  end
  local program = words[from] and M.base(words[from]) or ''
  local arguments = { unpack(words, from + 1, math.min(#words, from + MAX_COMMANDS)) }
  found[#found + 1] = { program = program, arguments = arguments, targets = targets }
  if depth >= MAX_DEPTH or #found > MAX_COMMANDS then
    return
  end
  if SHELLS[program] then
    for at, argument in ipairs(arguments) do
      if argument:match('^%-%a*c$') and arguments[at + 1] then
        collect(arguments[at + 1], found, depth + 1)
        break
      end
    end
  elseif program == 'eval' then
    collect(table.concat(arguments, ' '), found, depth + 1)
  end
  if WRAPPERS[program] then
    for at = 1, math.min(#arguments, MAX_WRAPPED) do
      local inner = M.base(arguments[at])
      -- A wrapper in a wrapper finds its own later words; one that is only an argument finds none.
      if not WRAPPERS[inner] or SHELLS[inner] or at == 1 then
        add(arguments, at, {}, found, depth + 1)
      end
    end
  end
end

collect = function(line, found, depth)
  for _, command in ipairs(split(line)) do
    add(command.words, 1, command.targets, found, depth)
  end
end

--- Gives the commands that a line for a shell, or a list of words, would run.
---
--- Example: `words.commands('sudo rm x; ls')[2].program == 'rm'`
---@param line string?
---@param argv string[]?
---@return { program: string, arguments: string[], targets: string[] }[]
function M.commands(line, argv)
  local found = {}
  if argv then
    add(argv, 1, {}, found, 0)
  end
  if line then
    collect(line, found, 0)
  end
  return found
end

--- Tells whether a command line starts a shell, which takes what it reads for commands.
---
--- Example: `words.is_shell('/bin/bash -i')`
---@param line string
---@return boolean
function M.is_shell(line)
  for _, command in ipairs(M.commands(line)) do
    if SHELLS[command.program] then
      return true
    end
  end
  return false
end

return M
