-- Ending processes. A line may freely end its own background jobs (%1, $!) and what it started.

-- kill: -1 as a target means every process; as the only or first word it is a signal.
local function targets_everybody(command)
  local argv = command.argv
  for at = 2, #argv do
    if argv[at] == '-1' and (at > 2 or #argv == 2) then
      return true
    end
  end
  return false
end

-- Whether a word is $(jobs -p), or $(cat FILE) of a file of ids that the project keeps.
local function prints_own(word)
  local code = word:match('^%$%((.*)%)$') or word:match('^`(.*)`$') or ''
  local file = code:match('^cat%s+([%w_./-]+)$') or code:match('^<%s*([%w_./-]+)$') or ''
  return code == 'jobs -p'
    or file:find('%.pid$') and not file:find('%.%.') and (file:sub(1, 1) ~= '/'
      or file:find('^/tmp/'))
end

-- Operands that are jobs, or that can hold a known id: $!, $PID, $SERVER_PID, $(cat server.pid).
local function has_foreign_target(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    local is_signal = at == 2 and word:match('^%-[%w]') or word:match('^%-[sn]$')
      or command.argv[at - 1]:match('^%-[sn]$') or word:match('^%-%-')
    local own = word:match('^%%') or word == '$!' or word == '0' or word == '$p'
      or prints_own(word)
      or word:match('^%$%{?[%w_]*[Pp][Ii][Dd][%w_]*%}?$') and not word:find('PPID', 1, true)
    if not is_signal and not own then
      return true
    end
  end
  return false
end

return {
  {
    id = 'machine.kill_all',
    decision = 'deny',
    reason = 'This would end every process that you may signal, this one included: '
      .. 'name the process, or use bg_kill.',
    program = 'kill',
    test = targets_everybody,
    match = { 'kill -9 -1', 'kill -1', 'kill -- -1', 'kill -s KILL -1', 'sudo kill -TERM -1' },
    not_match = { 'kill -1 1234', 'kill %1', 'kill -9 $PID' },
  },
  {
    id = 'machine.kill_init',
    decision = 'deny',
    reason = 'Process 1 keeps everything else alive: name the process that is to end.',
    program = 'kill',
    operand = { '1' },
    match = { 'kill -9 1', 'kill 1', 'P=1; kill $P' },
    not_match = { 'kill 1234', 'kill %1' },
  },
  {
    id = 'machine.kill_every',
    decision = 'deny',
    reason = 'This would end every process that you may signal: name the one that is to end, '
      .. 'or use bg_kill.',
    program = 'killall5',
    match = { 'killall5 -9' },
    not_match = { 'pgrep node' },
  },
  {
    id = 'machine.kill_pattern',
    decision = 'deny',
    reason = 'This pattern is one of every process: name the one that is to end, or use bg_kill.',
    program = 'pkill killall skill',
    operand = { '', '.', '^', '$', '-1', 're:\\^?(?:\\.|\\[a-z\\]|\\\\w)?[*+]?\\$?' },
    match = { 'pkill -9 .', "pkill -f '.*'", "killall -r '.*'" },
    not_match = { 'pkill -f vite', 'killall node' },
  },
  {
    id = 'machine.kill_user',
    decision = 'deny',
    reason = 'This would end all processes of a user: name the one that is to end, or use bg_kill.',
    program = 'pkill killall skill',
    flags = '-u -U --user --euid --uid -t --terminal',
    max_operands = 0,
    match = { 'pkill -9 -u user', 'killall -u user', 'pkill -t pts/0' },
    not_match = { 'pkill -u user node', 'killall node' },
  },
  {
    id = 'machine.kill_users_of',
    decision = 'deny',
    reason = 'This would end every process that uses a file system: name the process instead.',
    program = 'fuser',
    flags = { '-k --kill', '-m --mount -M --ismountpoint -c' },
    match = { 'fuser -km /', 'fuser -k -m /home' },
    not_match = { 'fuser -k 3000/tcp', 'fuser 3000/tcp' },
  },
  {
    id = 'processes.kill',
    decision = 'ask',
    reason = 'Ending processes by their id may hit what others need: use bg_kill for what you '
      .. 'started, or %1 and $! for jobs of the same line.',
    program = 'kill',
    without_flags = '-l -L --list --table -0',
    test = has_foreign_target,
    match = { 'kill 1234', 'kill -9 12 13', 'kill $(lsof -ti:3000)', 'kill $(cat /run/nginx.pid)' },
    not_match = { 'kill %1', 'npm start & PID=$!; sleep 5; kill $PID', 'kill $(cat server.pid)' },
  },
  {
    id = 'processes.kill_by_name',
    decision = 'ask',
    reason = 'Ending processes by name may hit what others need: use bg_kill for what you started.',
    program = 'pkill killall skill',
    match = { 'pkill -f "npm start"', 'killall node' },
    not_match = { 'pgrep -f vite', 'ps aux' },
  },
  {
    id = 'processes.kill_by_file',
    decision = 'ask',
    reason = 'This ends every process that uses a file or port: use bg_kill for your own.',
    program = 'fuser',
    flags = '-k --kill',
    match = { 'fuser -k 3000/tcp' },
    not_match = { 'fuser -v 3000/tcp' },
  },
  {
    -- In a sandbox these find no process: open files and ports of other runs are not shown.
    id = 'processes.kill_by_port',
    decision = 'ask',
    reason = 'This ends every process that uses a port or window: use bg_kill for your own.',
    program = 'xkill kill-port fkill kill lsof fuser',
    test = function(command)
      if command.program == 'kill' then
        local words = table.concat(command.argv, ' ')
        return words:find 'lsof' ~= nil or words:find 'fuser' ~= nil
      elseif command.program == 'lsof' or command.program == 'fuser' then
        return table.concat(command.feeds, ' '):find 'kill' ~= nil
      end
      return true
    end,
    unknown = 'tested',
    match = { 'npx kill-port 3000', 'kill $(lsof -ti:3000)', 'lsof -ti:3000 | xargs kill -9' },
    not_match = { 'kill $(pgrep node)', 'lsof -ti:3000 | xargs ps' },
  },
}
