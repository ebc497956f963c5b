-- Gibbous's own files: what it remembers (output of all sessions, decisions, approvals), its
-- configuration, its scripts and its policies. A program that can write there decides for itself.
local GIBBOUS = { 'gibbous', 'gibbous-*', 'python', 'python3', 'python3.*' }

-- Options may stand before the command of Gibbous, and their values look like one.
local function names(command, word)
  local first = 2
  if command.program:find('^python') then
    if command.argv[2] ~= '-m' or command.argv[3] ~= 'gibbous' then
      return false
    end
    first = 4
  end
  for at = first, #command.argv do
    if command.argv[at] == word then
      return true
    end
  end
  return false
end

return {
  {
    id = 'own.change',
    decision = 'deny',
    reason = 'Gibbous keeps its records, approvals, policies or configuration there, which no '
      .. 'command of an agent may change: ask a person to do it.',
    access = 'write remove permission',
    path = 'own_state own_rules',
    not_path = 'home system_root holds_workspace workspace_root',
    remote = false,
    match = { 'echo x >> ~/.local/state/gibbous/approvals.jsonl', 'rm -rf ~/.local/state/gibbous' },
    not_match = { 'echo x > notes.txt', 'rm -rf ~/.local/state/other' },
  },
  {
    id = 'own.read',
    decision = 'ask',
    reason = 'What other sessions have printed, and what was decided about them, is kept there: '
      .. 'use the tools that show your own runs.',
    access = 'read execute',
    path = 'own_state',
    not_path = 'home system_root holds_workspace workspace_root',
    remote = false,
    match = { 'cat ~/.local/state/gibbous/sessions.db', 'cp -r ~/.local/state/gibbous copy' },
    not_match = { 'cat ~/.local/state/other', 'cat README.md' },
  },
  {
    id = 'own.trust',
    decision = 'deny',
    reason = 'What a project may configure is trusted by a person, who has looked at it: ask them '
      .. 'to run `gibbous trust` themselves.',
    program = GIBBOUS,
    test = function(command)
      local last = command.argv[#command.argv]
      return names(command, 'trust') and last ~= '--help' and last ~= '--list'
    end,
    match = { 'gibbous trust', 'gibbous trust --yes .', './build/gibbous trust --yes' },
    not_match = { 'gibbous trust --list', 'gibbous doctor', 'python3 -m pytest trust' },
  },
  {
    id = 'own.answer',
    decision = 'deny',
    reason = 'A person answers the questions of this policy, in a terminal of their own: tell them '
      .. 'that one waits.',
    program = GIBBOUS,
    test = function(command)
      return names(command, 'asks') and command.argv[#command.argv] ~= '--help'
    end,
    match = { 'gibbous asks allow aB3xK9mZ', 'gibbous asks', 'gibbous asks --watch' },
    not_match = { 'gibbous asks --help', 'gibbous ps', 'grep asks README.md' },
  },
  {
    id = 'own.start',
    decision = 'ask',
    reason = 'This starts Gibbous itself, perhaps in another mode or with another state, or '
      .. 'changes what it decides: use the tools of the session that you are in.',
    program = { 'gibbous', 'gibbous-*', 'gibbousd', 'python', 'python3', 'python3.*' },
    test = function(command)
      local first, second = command.argv[2], command.argv[3]
      if command.program:find('^python') then
        return first == '-m' and second == 'gibbous'
      end
      local looks = {
        ['--version'] = true, ['--help'] = true, ['-h'] = true, version = true, doctor = true,
      }
      if #command.argv == 2 and looks[first] then
        return false
      end
      -- policy check, explain, test and log only print; they load no state.
      local prints = { check = true, explain = true, test = true, diff = true, log = true }
      if first == 'policy' and prints[second] and #command.assignments == 0 then
        return false
      end
      -- In top, a key answers a question.
      local shows = { ps = true, logs = true, events = true, report = true }
      if shows[first] then
        for at = 2, #command.argv do
          if command.argv[at]:find('^%-%-') and not command.argv[at]:find('^%-%-json') then
            return true
          end
        end
        return #command.assignments > 0
      end
      return command.argv[#command.argv] ~= '--help'
    end,
    match = { "gibbous call bg_start '{}' --mode dangerous", 'gibbous mcp', 'gibbous top' },
    not_match = { 'gibbous --version', "gibbous policy check --mode auto 'ls'", 'gibbous doctor' },
  },
}
