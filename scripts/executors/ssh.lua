-- Runs commands on another machine by ssh. There a command runs in a session of its own, whose
-- leader writes its pid into a file, and with a variable that marks its processes. A second
-- connection uses both to end the run.
local command = require 'executors.command'
local environment = require 'executors.environment'
local places = require 'executors.places'

-- All remote scripts begin with PIDS NAME: $file is the run's file, in a directory of the user.
-- Beside it can lie $file.env, lines that set variables, and $file.end, the reason of the end.
local FILE = [[
directory=$1-$(id -u) file=$1-$(id -u)/$2
shift 2
]]

-- `own` creates the directory, and refuses one that belongs to another user.
local OWN = FILE .. [[
own() {
  (umask 077; mkdir -p "$directory") 2>/dev/null
  set -- $(ls -ldn "$directory" 2>/dev/null)
  case $1 in d*) [ "$3" = "$(id -u)" ] && chmod 700 "$directory" && return 0 ;; esac
  echo "gibbous: $directory: no directory of its own can be made there" >&2
  return 1
}
]]

-- The inner script of a start, with FILE CWD LIMITS COMMAND. Exit code 255 can also be ssh's own,
-- so the file records when it is the command's.
local INNER = [[
unset inner
file=$1 cwd=$2 limits=$3
shift 3
echo $$ >"$file"
(
  [ -z "$cwd" ] || cd "$cwd" || { echo cwd >"$file.end"; exit 255; }
  for limit in $limits; do
    ulimit ${limit%=*} ${limit#*=} || { echo limits >"$file.end"; exit 255; }
  done
  [ ! -f "$file.env" ] || . "$file.env"
  exec "$@"
)
code=$?
[ $code -ne 255 ] || [ -e "$file.end" ] || echo command >"$file.end"
rm -f "$file"
exit $code
]]

-- The remote script of a start: CWD LIMITS COMMAND. With a terminal, the session is that of the
-- connection.
local START = OWN .. 'own || exit 255\nexec setsid -w sh -c "$inner" sh "$file" "$@"\n'
local START_IN_TERMINAL = OWN .. 'own || exit 255\nexec sh -c "$inner" sh "$file" "$@"\n'

-- The remote script that receives variables as lines on stdin. It removes old files of starts that
-- never happened.
local TAKE_VARIABLES = OWN .. [[
own || exit 1
find "$directory" -name '*.env' -mmin +60 -exec rm -f {} + 2>/dev/null
umask 077
head -c "$1" >"$file.env"
]]

-- The remote script that looks up an end with exit code 255.
local WHY = OWN .. [[
own 2>/dev/null || { echo directory; exit 0; }
if [ -e "$file.end" ]; then cat "$file.end"; elif [ -e "$file" ]; then echo lost; else echo none; fi
[ -e "$file" ] || rm -f "$file.end" "$file.env"
]]

-- `look` puts the living processes of a run into $pids, given its session in $file and its MARK:
-- those in the session, those with the mark, those found before, and all their descendants. It
-- reads no column of ps that programs can choose.
local LOOK = FILE .. [[
mark=$1 session= pids=
look() {
  [ -n "$session" ] || session=$(cat "$file" 2>/dev/null)
  seeds=$(echo $pids $(grep -lsF -- "$mark" /proc/[0-9]*/environ))
  pids=$(ps -e -o pid= -o ppid= -o sid= -o stat= | awk -v session="$session" -v seeds="$seeds" '
    BEGIN { split(seeds, list, /[^0-9]+/); for (i in list) seed[list[i] ""] }
    $4 ~ /^Z/ && $4 !~ /l/ { next }
    { parent[$1] = $2; if ($3 == session || $1 in seed) found[$1] }
    END {
      do {
        more = 0
        for (pid in parent) if (!(pid in found) && parent[pid] in found) { found[pid]; more = 1 }
      } while (more)
      for (pid in found) print pid
    }')
}
]]

-- The remote script of an end: TERM to all, two seconds, then KILL to what is left or was started
-- meanwhile, until nothing is left. At first there may be no process yet, while the start is on its
-- way.
local END = LOOK .. [[
for round in 1 2 3 4 5 6 7 8; do
  look
  [ -n "$pids" ] && break
  sleep 0.3
done
[ -z "$pids" ] || kill -TERM $pids 2>/dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
  look
  [ -z "$pids" ] && break
  sleep 0.2
done
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  [ -z "$pids" ] && break
  kill -KILL $pids 2>/dev/null
  sleep 0.05
  look
done
rm -f "$file" "$file.env" "$file.end"
[ -z "$pids" ]
]]

-- The remote script of a measurement: processes, threads, bytes and milliseconds, without the shell
-- and the setsid of START. It prints nothing where there is no /proc.
local USAGE = LOOK .. [[
look
ours=" $session $(ps -o ppid= -p "$session") "
processes=0 threads=0 pages=0 ticks=0
for pid in $pids; do
  case $ours in *" $pid "*) continue ;; esac
  stat=$(cat "/proc/$pid/stat" 2>/dev/null) || continue
  set -- ${stat##*)}
  processes=$((processes + 1)) threads=$((threads + ${18})) pages=$((pages + ${22}))
  ticks=$((ticks + ${12} + ${13} + ${14} + ${15}))
done
[ $processes -gt 0 ] || exit 1
page=$(getconf PAGESIZE 2>/dev/null || echo 4096)
hertz=$(getconf CLK_TCK 2>/dev/null || echo 100)
echo $processes $threads $((pages * page)) $((ticks * 1000 / hertz))
]]

-- ssh sends one line, which the remote shell splits again.
local quote = environment.quote

local function line(words)
  local quoted = {}
  for index, word in ipairs(words) do
    quoted[index] = quote(word)
  end
  return table.concat(quoted, ' ')
end

local function client(settings, terminal)
  local words = { settings.program, terminal and '-tt' or '-T', '-o', 'BatchMode=yes' }
  if settings.config then
    command.add(words, '-F', settings.config)
  end
  if settings.port then
    command.add(words, '-p', tostring(settings.port))
  end
  if settings.identity then
    command.add(words, '-i', settings.identity)
  end
  command.add(words, unpack(settings.options or {}))
  command.add(words, '--', settings.host)
  return words
end

-- A separate variable, because runs of a Gibbous over there have a GIBBOUS_RUN of their own.
local function mark_of(spec)
  return ('GIBBOUS_REMOTE_RUN=%s@%s'):format(spec.run, spec.host)
end

-- Returns the command that runs a remote script for a run.
local function remote(state, script, ...)
  return command.with(state.client, line {
    'sh', '-c', script, 'sh', state.pids, state.name, ...,
  })
end

-- Returns the remote directory of the command: paths below the workspace map to paths below
-- `directory`.
local function directory_of(spec)
  local directory, workspace = spec.settings.directory, spec.workspace
  local cwd = places.normal(spec.cwd)
  if cwd == workspace then
    return directory or ''
  elseif places.is_below(cwd, workspace) then
    local relative = cwd:sub(workspace == '/' and 2 or #workspace + 2)
    return directory and directory:gsub('/$', '') .. '/' .. relative or './' .. relative
  elseif places.is_below(spec.cwd, workspace) then
    tool.error('invalid_arguments', ('cwd: %s leads out of the workspace; give a path below it, or '
      .. 'an absolute one of the other machine'):format(spec.cwd))
  end
  return cwd
end

-- The limits for each process that the remote shell can set: options of ulimit, with their units.
local ULIMITS = {
  memory_bytes = function(bytes) return '-v', math.ceil(bytes / 1024) end,
  cpu_time_ms = function(ms) return '-t', math.ceil(ms / 1000) end,
  open_files = function(files) return '-n', files end,
  file_size_bytes = function(bytes) return '-f', math.ceil(bytes / 512) end,
}
local HELD = { 'memory_bytes', 'cpu_time_ms', 'open_files', 'file_size_bytes' }
local NOT_HELD = { 'pids', 'cpu_share' }

local function ulimits_of(limits)
  for _, name in ipairs(NOT_HELD) do
    if limits[name] then
      tool.error('invalid_arguments', ('limits.%s: ssh cannot enforce it on another machine; start '
        .. 'the run without it'):format(name))
    end
  end
  local words, held = {}, json.array {}
  for _, name in ipairs(HELD) do
    if limits[name] then
      words[#words + 1] = ('%s=%d'):format(ULIMITS[name](limits[name]))
      held[#held + 1] = name
    end
  end
  return table.concat(words, ' '), held
end

-- Variables travel over a connection of their own, because every user of both machines can read
-- command lines.
local function send_variables(state, env)
  local lines = environment.lines(env)
  if lines == '' then
    return
  end
  lines = 'rm -f "$file.env"\n' .. lines
  local _, problem = command.output(remote(state, TAKE_VARIABLES, tostring(#lines)), nil, lines)
  if problem then
    tool.error('executor_failed', ('ssh: the variables cannot be sent to %s: %s'):format(state.host,
      problem))
  end
end

local function prepare(spec)
  if spec.sandbox then
    tool.error('invalid_arguments', ('sandbox: ssh cannot enforce profile %s on another machine; '
      .. 'run it without one'):format(spec.sandbox.profile))
  end
  environment.names(spec.env)
  local settings = spec.settings
  local terminal = spec.stdin == 'terminal'
  local directory = directory_of(spec)
  local ulimits, held = ulimits_of(spec.limits)
  places.look(settings.program, {})
  local state = {
    host = settings.host, client = client(settings), mark = mark_of(spec),
    pids = settings.pid_directory, name = 'gibbous-' .. spec.run, directory = directory,
  }
  local plain, rest = environment.split(spec.env)
  send_variables(state, rest)
  local start = { 'env' }
  for _, name in ipairs(environment.names(plain)) do
    command.add(start, name .. '=' .. plain[name])
  end
  command.add(start,
    state.mark, 'inner=' .. INNER, 'sh', '-c', terminal and START_IN_TERMINAL or START, 'sh',
    state.pids, state.name, directory, ulimits)
  command.add(start, unpack(command.words(spec, settings.shell)))
  return {
    argv = command.with(client(settings, terminal), line(start)), cwd = '/', sandbox = 'own',
    holds = held, cleanup = remote(state, END, state.mark), state = state,
  }
end

local SSH_FAILED = 255

local function tail_of(id)
  local handle = run.get(id)
  local text = handle and handle:tail({ stream = 'stderr', lines = 3 }).text:gsub('%s+$', '') or ''
  return text ~= '' and ': ' .. text or ''
end

-- Returns why the command did not run there.
local REASONS = {
  cwd = function(state)
    return ('cwd: there is no directory %s on %s'):format(state.directory, state.host)
  end,
  limits = function(state, tail)
    return ('limits: %s cannot enforce them%s'):format(state.host, tail)
  end,
  directory = function(state)
    return ('pid_directory: %s, followed by - and the id of the user, cannot be a directory of its '
      .. 'own on %s; name another one'):format(state.pids, state.host)
  end,
}

-- A lost connection leaves the command behind; then the cleanup command ends it.
local function ended(event)
  local state = event.state
  if event.signal == nil and event.exit_code ~= SSH_FAILED then
    return { clean = true }
  end
  local why = event.signal == nil and (command.output(remote(state, WHY)) or ''):match '%a+'
  local reason = why and REASONS[why]
  if why == 'command' or reason then
    return { reason = reason and reason(state, tail_of(event.run)), clean = true }
  end
  return {
    reason = ('no connection to %s, or it was lost%s'):format(state.host, tail_of(event.run)),
  }
end

local function usage(event)
  local text = command.output(remote(event.state, USAGE, event.state.mark)) or ''
  local processes, threads, bytes, millis = text:match '^(%d+) (%d+) (%d+) (%d+)\n$'
  return processes and {
    processes = tonumber(processes), threads = tonumber(threads), rss_bytes = tonumber(bytes),
    cpu_time_ms = tonumber(millis),
  }
end

return {
  name = 'ssh',
  remote = true,
  settings = schema.object {
    host = command.word { description = 'HOST or USER@HOST, as ssh takes it' },
    port = schema.integer { optional = true, minimum = 1, maximum = 65535 },
    identity = command.word { optional = true, description = 'File of the private key' },
    config = command.word { optional = true, description = "ssh's configuration file" },
    options = schema.array(schema.string {}, { optional = true, description = 'More of ssh' }),
    directory = command.word { optional = true, description = 'Where commands start there' },
    shell = command.word {
      optional = true, description = 'For command lines; default: bash if there, else /bin/sh',
    },
    pid_directory = command.word {
      default = '/tmp/gibbous-runs',
      description = "Where pid files are kept there, followed by '-' and the user's id",
    },
    program = command.word { default = 'ssh' },
  },
  prepare = prepare,
  ended = ended,
  usage = usage,
}
