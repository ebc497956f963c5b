-- Runs commands on another machine, by ssh. There they run in a session of their own, whose leader
-- writes its pid into a file, with a variable that marks them; who ends the run looks for both by a
-- second connection.
local command = require 'executors.command'

-- The remote side of a start: `sh -c START sh PIDFILE COMMAND`.
local START = [[
mkdir -p "${1%/*}" && chmod 700 "${1%/*}" || exit 255
exec setsid -w sh -c 'echo $$ >"$1"; shift; "$@"; code=$?; rm -f "$0"; exit $code' "$1" "$@"
]]

-- The same with a terminal, whose session is that of the connection.
local START_IN_TERMINAL = [[
mkdir -p "${1%/*}" && chmod 700 "${1%/*}" || exit 255
echo $$ >"$1"
file=$1
shift
"$@"
code=$?
rm -f "$file"
exit $code
]]

-- `look` puts into $pids what lives there of a run, with its session in FILE and its MARK: who is
-- in the session or has the mark, who was there before, and all their descendants. Of what ps
-- shows, it reads nothing that programs choose.
local LOOK = [[
file=$1 mark=$2 session= pids=
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

-- The remote side of an end: TERM to all, two seconds, KILL to what is left or was made meanwhile,
-- until nothing is. At first nothing may be there yet, while the start is on its way.
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
rm -f "$file"
[ -z "$pids" ]
]]

-- The remote side of a question: processes, threads, bytes and milliseconds of all but the shell
-- and the setsid of START. Nothing where there is no /proc.
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

-- ssh sends one line, which the shell there takes apart again.
local function quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

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

-- The command with its directory and variables, for `env`.
local function inner(spec)
  local words = { 'env' }
  for name, value in pairs(spec.env) do
    words[#words + 1] = name .. '=' .. value
  end
  local directory = spec.settings.directory
  local run_it = line(command.words(spec, spec.settings.shell))
  command.add(words, 'sh', '-c', directory and ('cd %s && exec %s'):format(
    quote(directory), run_it) or 'exec ' .. run_it)
  return words
end

-- A variable of its own: what a Gibbous there starts has its GIBBOUS_RUN.
local function mark_of(spec)
  return ('GIBBOUS_REMOTE_RUN=%s@%s'):format(spec.run, spec.host)
end

-- The command that does something about a run there.
local function remote(state, script)
  return command.with(state.client, line { 'sh', '-c', script, 'sh', state.pid_file, state.mark })
end

local function prepare(spec)
  if spec.sandbox then
    tool.error('invalid_arguments', ('sandbox: ssh cannot hold the profile %s on another machine; '
      .. 'run it without one'):format(spec.sandbox.profile))
  end
  local terminal = spec.stdin == 'terminal'
  local state = {
    host = spec.settings.host, client = client(spec.settings), mark = mark_of(spec),
    pid_file = ('%s/gibbous-%s'):format(spec.settings.pid_directory, spec.run),
  }
  local start = {
    'env', state.mark, 'sh', '-c', terminal and START_IN_TERMINAL or START, 'sh', state.pid_file,
  }
  command.add(start, unpack(inner(spec)))
  return {
    argv = command.with(client(spec.settings, terminal), line(start)), cwd = '/', sandbox = 'own',
    last_wish = remote(state, END), state = state,
  }
end

local NO_CONNECTION = 255

-- A connection that was lost leaves the command behind: then the last wish ends it.
local function ended(event)
  if event.exit_code == NO_CONNECTION or event.signal then
    return { reason = 'no connection to ' .. event.state.host .. ', or it was lost' }
  end
  return { clean = true }
end

local function usage(event)
  local text = command.output(remote(event.state, USAGE)) or ''
  local processes, threads, bytes, millis = text:match '^(%d+) (%d+) (%d+) (%d+)\n$'
  return processes and {
    processes = tonumber(processes), threads = tonumber(threads), rss_bytes = tonumber(bytes),
    cpu_time_ms = tonumber(millis),
  }
end

return {
  name = 'ssh',
  settings = schema.object {
    host = command.word { description = 'HOST or USER@HOST, as ssh takes it' },
    port = schema.integer { optional = true, minimum = 1, maximum = 65535 },
    identity = command.word { optional = true, description = 'File of the private key' },
    config = command.word { optional = true, description = "ssh's configuration file" },
    options = schema.array(schema.string {}, { optional = true, description = 'More of ssh' }),
    directory = command.word { optional = true, description = 'Where commands start there' },
    shell = command.word { default = '/bin/sh', description = 'Shell there for command lines' },
    pid_directory = command.word {
      default = '/tmp/gibbous-runs', description = 'Where pid files are kept there',
    },
    program = command.word { default = 'ssh' },
  },
  prepare = prepare,
  ended = ended,
  usage = usage,
}
