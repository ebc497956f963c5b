---@meta
-- Handles to runs: what is known of one, its output, input, costs and end.

---@class StreamInfo
---@field bytes integer so far
---@field lines integer so far, including a partial last line
---@field kept_from integer offset of the oldest byte of the ring; the first 64 KiB are kept, too
---@field origin? integer not of `merged`: bytes that an earlier server read, before offset 0
---@field ended boolean there will be no more output

---@class RunInfo
---@field id string 8 characters
---@field pid integer 0 before it runs
---@field command string as a person would type it
---@field argv? string[] when it was started with argv
---@field label? string
---@field session string
---@field tool string the tool that started it
---@field background boolean the caller did not wait for it
---@field on_host_death 'kill'|'keep'
---@field adopted boolean an earlier process started it
---@field state RunState
---@field exit_code? integer when it exited
---@field signal? integer when a signal ended it
---@field reason? string for people: why it ended as it did or, while queued, what it waits for
---@field readiness? 'pending'|'ready'|'failed' when run.start was given `ready`
---@field readiness_note? string what made it ready, or why it is not ready
---@field next? string the run that replaces it after a restart; queued until the pause is over
---@field restart_of? string the run that it replaces
---@field restarts? integer the number of restarts before it, when there were any
---@field created_ms integer Unix time
---@field started_ms? integer Unix time
---@field ended_ms? integer Unix time
---@field runtime_ms integer from start to end, or to now
---@field profile? string of its sandbox: 'confined', 'build', ...
---@field left_behind integer processes of its tree that are alive after its end
---@field drained boolean its output is complete, or was given up
---@field output_incomplete boolean its output was given up: another process holds the pipe
---@field stdin_open boolean
---@field pty? Pty when it has a terminal; with the current size
---@field stdout StreamInfo
---@field stderr StreamInfo
---@field merged StreamInfo both, in the order in which their lines came; `kept_from` is after every
---byte that is not kept, and after the first 64 KiB where bytes are missing; what is kept before it
---can be read, too
---@field idle_ms? integer since its last output, or its start
---@field output_rate? integer bytes a second, over the last five to ten seconds
---@field time_limit_ms? integer of its runtime; when there is one
---@field limits? Limits those that apply
---@field limits_by? table<string, string> what enforces each: cgroup2, cgroup1, polling, or an
---executor
---@field limit? LimitReached the limit that ended it
---@field executor? string its executor, when that is not the host
---@field ports? { port: integer, host: integer }[] its ports, and the ports of this machine that
---are mapped to them
---@field address? string the machine that has those ports, when it is not this one
---@field sandbox? SandboxInfo
---@field log? RunLogInfo[]

---@class RunLogInfo
---@field path string
---@field stream 'both'|'stdout'|'stderr'
---@field bytes integer output that was written
---@field lost_bytes integer output that will never be written
---@field files integer existing files; 0: it is not open yet
---@field full boolean the quota is used up
---@field error? string why it cannot be written at the moment

---@class SandboxInfo
---@field profile string
---@field network 'on'|'checked'|'loopback'|'off'
---@field landlock_abi? integer in force, once the run is running; 0: none
---@field mount_namespace? boolean
---@field network_namespace? boolean
---@field seccomp? boolean
---@field unprotected? string[] sentences about requested protection that this machine does not
---enforce
---@field withheld? string[] variables with secrets that the run did not inherit
---@field left_out? string[] files of settings that it sees without the secrets in them
---@field caches? string why caches of tools can only be read, or some of them
---@field copied? true what it changes in the workspace is thrown away
---@field copies? string why a workspace that would be copied, or a part of it, can only be read
---@field thrown_away? string what it changed in copies, once it has ended
---@field temporary? string the directory of this machine that the run has as /tmp, where that is
---the session's own
---@field files? { path: string, at: string }[] of a run that has ended: what its line names there
---and it has written, at most 4, and where that lies on this machine
---@field settings? string[] of a run that has ended: what its line names in layers of the session
---(~/.config) and it has changed there, at most 4; nothing of it is kept

---Something that the sandbox refused, as the program reported it.
---@class Refusal
---@field what 'read'|'write'|'network'|'port'|'other' 'port', once the run has ended: a service on
---this machine's loopback
---@field path? string of 'port': its number
---@field line string the program's message
---@field profile string
---@field cache? true it is a cache of tools
---@field never? true no person can be asked for it
---@field way_out? string 'other': what the program meant, and what to do

---`memory`, `output`, `file_size`: bytes; `cpu_time`, `idle`: milliseconds.
---@class LimitReached
---@field name 'memory'|'cpu_time'|'pids'|'file_size'|'output'|'idle'|'copies'
---@field limit integer
---@field used integer

---What the whole tree of a run uses now. For a run that is executed elsewhere, the executor may
---measure it (`by`); otherwise the local process is measured, such as a container's client.
---@class RunUsage
---@field by? string the executor that measured it; absent: it was measured here
---@field processes integer for containers and systemd units, this includes all threads
---@field threads? integer absent when the executor does not know it
---@field stopped? integer of the processes: a signal has stopped them, and SIGCONT continues them
---@field left_behind? string of a run that has ended: "sleep (pid 42), node (pid 43)", at most 8
---@field rss_bytes integer the sum of its processes' resident memory; for containers and units, the
---memory that they are charged with
---@field cpu_percent number of one processor, since an earlier question, at least a second
---ago, or the start
---@field cpu_time_ms? integer absent when the executor does not know it
---@field ports UsagePort[] TCP ports that it listens on, or its mapped ports
---@field waiting_for_input? { pid: integer, prompt: string } a process that is blocked reading its
---stdin or terminal, and the text of the last line

---A process that writes the stdout of a run.
---@class RunWriter
---@field pid integer
---@field program string its executable, without the directory
---@field argv string[] its arguments, within 4 KB
---@field direct boolean false: another process of a pipeline is between it and the run's pipe
---@field fed boolean another process of the run writes its stdin
---@field variables string[] those that were asked about and are set
---@field written_bytes? integer what it has written so far, to any file; absent where the kernel
---does not say

---@class UsagePort
---@field port integer the run's own port
---@field pid? integer the process that listens; absent when the port is mapped
---@field host? integer the port that is mapped to it
---@field address string the address that it listens on, or that `host` is at

---@class SendKeysOptions
---@field literal? boolean default: false; true: types '<' as it is instead of key names
---@field paste? boolean default: false; true: pastes text, bracketed when the program asked for it,
---without control characters other than line ends and tabs

---@class KillOptions
---@field signal? string default: 'SIGTERM', or with a terminal 'SIGHUP', which ends interactive
---shells
---@field grace_ms? number time until SIGKILL; default: limits.kill_grace_ms

---@class KillReport
---@field how 'gone'|'signal'|'escalated'|'survivors' had ended before; ended on the signal; ended
---on SIGKILL; or did not end
---@field dead integer number of its processes that ended
---@field survivors integer[] pids of what lives on; when `how` is not 'survivors', of processes
---that hide to which run they belong, so that it may be this one: they end with Gibbous
---@field unseen? boolean /proc cannot be read: what left the process group of the run may live on
---@field cleanup_failed? boolean the cleanup command failed: what it started elsewhere may still be
---active

---A handle to a run. It stays usable after the run has ended, until the run is forgotten; then its
---methods return nil, err with run_not_found.
---@class Run
---@field id string
local Run = {}

---Ties the run to the calling call, as a start without `detach` does: it is killed when the call
---ends, is cancelled or fails, unless `detach` comes first.
---
---Example:
---```lua
---local server = run.start { command = 'echo up; sleep 60', detach = true }
---server:attach() -- a cancelled wait leaves nothing behind
---wait { wait.regex(server, 'up') }
---server:detach()
---```
---@since 0.1.0
---@return true? ok
---@return Err? err
function Run:attach() end

---Lets the run live on after the calling call: it belongs to the session from now on.
---
---Example:
---```lua
---local server = run.start { command = 'sleep 60' }
---server:detach()
---```
---@since 0.1.0
---@return true? ok
---@return Err? err
function Run:detach() end

---Returns the facts about the run. Returns nil, err with run_not_found, as all methods do.
---
---Example:
---```lua
---local handle = run.start { command = 'exit 3' }
---handle:wait { wait.exit(handle) }
---local info = handle:info()
---assert(info.state == 'failed' and info.reason == 'exit code 3')
---```
---@since 0.1.0
---@return RunInfo? info
---@return Err? err
function Run:info() end

---Reads output from an offset, or from where a named reader stopped. Reading removes nothing.
---
---`merged` has both streams, in the order in which their lines came: no line is cut by one of the
---other stream, and offsets count the bytes of both. What a program writes to both within about a
---millisecond may change places, and what it buffers comes when it writes it. What a reader reads
---merged it has read of both streams; what it reads of one alone may come again merged. Where one
---stream has lost bytes, merged text has a line that says so, and what the other one printed
---meanwhile; it begins with the oldest of the last 8192 changes between the streams.
---
---Example:
---```lua
---local handle = run.start { command = 'echo one; sleep 0.2; echo two' }
---wait { wait.regex(handle, 'one') }
---assert(handle:read({ reader = 'mine' }).text == 'one\n')
---wait { wait.exit(handle) }
---assert(handle:read({ reader = 'mine' }).text == 'two\n')
---```
---@since 0.1.0
---@param options? ReadOptions
---@return ReadResult? result
---@return Err? err
function Run:read(options) end

---Returns the last lines of a stream.
---
---Example: `log.info(handle:tail({ lines = 5 }).text)`
---@since 0.1.0
---@param options? TailOptions
---@return TailResult? result
---@return Err? err
function Run:tail(options) end

---Returns where a named reader is in both streams, after it has moved on to other places. It never
---moves back.
---
---Example:
---```lua
---local watcher = run.start { command = 'echo Found 0 errors; sleep 60' }
---wait { wait.regex(watcher, 'Found') }
---local known = watcher:place { reader = 'mine', to = 'lines' }
---assert(known.stdout == 15 and known.stderr == 0)
---local answer = wait { any = { wait.regex(watcher, 'Found', { since = known }) }, timeout_ms = 0 }
---assert(not answer.ok and answer.older)
---```
---@since 0.2.0
---@param options { reader: string, to?: Places|'lines' } 'lines': behind the last whole line
---@return Places? places
---@return Err? err
function Run:place(options) end

---Returns as much of the output as a token budget allows, with the parts that matter most.
---
---Example: `local short = handle:excerpt { stream = 'stderr', budget_tokens = 500 }`
---@since 0.1.0
---@param options? ExcerptOptions
---@return ExcerptResult? result
---@return Err? err
function Run:excerpt(options) end

---Returns why a run may have failed: the first lines of both streams that look like errors, each
---with the two lines after it, and the last three lines, with line numbers as `grep -n -A 2` gives
---them ("12:" before an error, "13-" before others). "" when there is no output.
---
---Example: `local why = handle:error_excerpt { max_bytes = 300 }`
---@since 0.1.0
---@param options? { max_bytes?: integer } 40 to 8000; default: 600
---@return string? text
---@return Err? err
function Run:error_excerpt(options) end

---Returns the lines of a stream that match a pattern, as far as they are kept. Returns nil, err
---with invalid_arguments for a wrong pattern.
---
---Example:
---```lua
---local handle = run.start { command = 'printf "one\\nError: two\\nthree\\n"' }
---wait { wait.exit(handle) }
---local found = handle:grep { pattern = '(?i)error', context = 1 }
---assert(found.text == '1-one\n2:Error: two\n3-three\n')
---```
---@since 0.1.0
---@param options GrepOptions
---@return GrepResult? result
---@return Err? err
function Run:grep(options) end

---Ends the whole tree of the run, and waits for its end: the signal, the grace period, SIGKILL. The
---policy is asked. Returns nil, err with denied.
---
---Example:
---```lua
---local handle = run.start { command = 'setsid sleep 60 & sleep 60' }
---local report = handle:kill { grace_ms = 1000 }
---assert(#report.survivors == 0)
---```
---@since 0.1.0
---@param options? KillOptions
---@return KillReport? report
---@return Err? err
function Run:kill(options) end

---Returns what its sandbox refused, as far as its recent output shows. Empty without a sandbox.
---
---Example: `for _, refusal in ipairs(handle:refusals()) do log.warn(refusal.line) end`
---@since 0.1.0
---@return Refusal[]? refusals
---@return Err? err
function Run:refusals() end

---Measures its processes now; an executor has at most 3 seconds to answer. Returns nil, err with
---not_running when there are none.
---
---Example: `log.info('memory', { bytes = handle:usage().rss_bytes })`
---@since 0.1.0
---@return RunUsage? usage
---@return Err? err
function Run:usage() end

---Returns the processes whose stdout is the pipe of the run's stdout, or leads to it through a
---pipeline, those next to the pipe first; at most 16. There are none when the run has a terminal,
---its shell has redirected its own stdout, or it does not run. A run that its idle limit ended has
---those that it had then. Returns nil, err with run_not_found.
---
---Example:
---```lua
---local piped = run.start { command = 'sleep 60 | cat' }
---wait { wait.start(piped) }
---for _, writer in ipairs(piped:writers()) do
---  log.info(writer.program, { pid = writer.pid })
---end
---```
---@since 0.1.0
---@param options? { variables?: string[] } variables of the environment to look for; at most 16
---@return RunWriter[]? writers
---@return Err? err
function Run:writers(options) end

---Sends a signal to the run's process group, without waiting for an effect. The policy is asked, as
---for a kill. Raises for an unknown signal. Returns nil, err with not_running, denied.
---
---Example:
---```lua
---local server = run.start {
---  command = 'trap "echo reloaded" HUP; echo up; while :; do sleep 0.1; done',
---}
---wait { wait.regex(server, 'up') }
---server:signal('SIGHUP')
---local answer = wait { all = { wait.regex(server, 'reloaded') }, timeout_ms = 10000 }
---assert(answer.ok)
---```
---@since 0.1.0
---@param signal string
---@return true? sent
---@return Err? err
function Run:signal(signal) end

---Writes to its stdin, and waits until the program's pipe has taken everything. The policy is
---asked. Returns nil, err with stdin_closed, stdin_full, denied and, in a terminal that would cut a
---line, line_too_long.
---
---Example:
---```lua
---local sort = run.start { command = 'sort', stdin = 'pipe' }
---sort:write('b\na\n')
---sort:close_stdin()
---wait { wait.exit(sort) }
---assert(sort:read().text == 'a\nb\n')
---```
---@since 0.1.0
---@param text string
---@return true? ok
---@return Err? err
function Run:write(text) end

---Types into its terminal, and waits until the terminal has taken everything: characters, and keys
---by name: `<Enter>`, `<Tab>`, `<BS>`, `<Esc>`, `<Space>`, `<Up>`, `<Down>`, `<Left>`, `<Right>`,
---`<Home>`, `<End>`, `<PageUp>`, `<PageDown>`, `<Insert>`, `<Del>`, `<F1>` to `<F12>`, and `<lt>`
---for '<'. The modifiers `C-`, `M-` and `S-` precede a key or a character, as in `<C-c>`, `<M-x>`,
---`<S-Tab>`. One call takes at most 64 KiB. A run without a terminal gets the bytes on its stdin,
---for keys that have any. The policy is asked as for write; keys that edit a line of a shell make
---the line unknown to it. Text that the terminal does not show is not recorded. Returns nil, err
---with invalid_arguments (the message names the nearest key), no_terminal, stdin_closed,
---stdin_full, line_too_long, denied.
---
---Example: `handle:send_keys('ls -l<Enter>')`
---@since 0.1.0
---@param keys string
---@param options? SendKeysOptions
---@return true? ok
---@return Err? err
function Run:send_keys(keys, options) end

---Returns what its terminal shows now; after the run has ended, what it showed last. Returns nil,
---err with no_terminal, not_running.
---
---Example:
---```lua
---local handle = run.start { command = 'echo hello; sleep 60', pty = true }
---wait { all = { wait.screen(handle, 'hello') }, timeout_ms = 10000 }
---assert(handle:screen().lines[1] == 'hello')
---```
---@since 0.1.0
---@param options? ScreenOptions
---@return Screen? screen
---@return Err? err
function Run:screen(options) end

---Changes the size of its terminal; programs in the foreground get SIGWINCH. Returns nil, err with
---no_terminal, not_running.
---
---Example: `handle:resize { rows = 40, cols = 120 }`
---@since 0.1.0
---@param size { rows: integer, cols: integer } 2 to 300, 10 to 500
---@return true? ok
---@return Err? err
function Run:resize(size) end

---Closes its stdin after pending writes. Returns nil, err with is_terminal.
---
---Example: `handle:close_stdin()`
---@since 0.1.0
---@return true? ok
---@return Err? err
function Run:close_stdin() end

---Adds watchers. They examine the output that is still kept, or the current screen, first. Raises
---for a wrong pattern, and for scope 'screen' without a terminal. Returns nil, err with
---too_many_watchers.
---
---Example:
---```lua
---local server = run.start { command = 'echo listening on 3000; sleep 60', detach = true }
---server:watch { { regex = 'listening on (\\d+)', event = 'listening', once = true } }
---server:kill()
---```
---@since 0.1.0
---@param watchers Watcher[]
---@return true? ok
---@return Err? err
function Run:watch(watchers) end

---Waits with this run filled into the conditions; see `wait`.
---
---Example:
---```lua
---local handle = run.start { command = 'true' }
---local answer = handle:wait { any = { { kind = 'exit' } }, timeout_ms = 5000 }
---assert(answer.ok)
---```
---@since 0.1.0
---@param options WaitOptions
---@return WaitAnswer? answer
---@return Err? err
function Run:wait(options) end
