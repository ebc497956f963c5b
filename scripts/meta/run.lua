---@meta
-- The table `run`: executions of commands, and handles to them.

---`queued`, `starting` and `running` are active states; the others are final: `completed` is exit
---code 0, `failed` any other, `killed` is an end by a kill, a limit or the end of its owner,
---`timeout` an end by its time limit, and `lost` means that its keeper was lost.
---@alias RunState 'queued'|'starting'|'running'|'completed'|'failed'|'killed'|'timeout'|'lost'

---What a run may use. The strictest of these limits, the mode's and the configuration's
---`limits.run` holds. A run that reaches a limit ends as `killed`, and `info().limit` names it;
---cpu_share only slows it down, and open_files and file_size_bytes make the program's own calls
---fail.
---@class Limits
---@field memory_bytes? integer for all its processes together
---@field cpu_time_ms? integer processor time of all its processes together
---@field cpu_share? number processors, such as 0.5; the start fails without a cpu control group
---@field pids? integer processes and threads at the same time
---@field open_files? integer for each process
---@field file_size_bytes? integer for each file that it writes
---@field output_bytes? integer both streams together
---@field log_bytes? integer all files of its log together
---@field wall_time_ms? integer from start to end; ends as `timeout`
---@field idle_time_ms? integer without any output

---@class RunLog
---@field path string below the workspace; an absolute path may also lie below the temporary
---directory; directories are created, links are not followed, and {run} becomes the run's id
---@field stream? 'both'|'stdout'|'stderr' default: 'both'
---@field max_bytes? integer 4096 or more; default: 10 MiB; for one file
---@field files? integer 1 to 100; default: 1, which stops at max_bytes; with more, path.1 is the
---previous file
---@field append? boolean default: false

---@class ExecutorSandbox
---@field profile string
---@field network 'on'|'loopback'|'off'
---@field write string[] the only places that may be changed
---@field unwritable string[] in those, what may not
---@field pinned string[] in those, what may be changed but not moved or removed
---@field unreadable string[]

---The argument of an executor's `prepare`.
---@class ExecutorSpec
---@field run string its id
---@field host string names this process, for `run.is_host_alive`
---@field session string
---@field label? string
---@field command? string this or argv
---@field argv? string[]
---@field cwd string absolute
---@field workspace string absolute
---@field shell string of this machine
---@field env table<string, string> only what was set for the run
---@field stdin 'pipe'|'null'|'terminal' terminal: stdin, stdout and stderr of the local process
---@field limits Limits
---@field sandbox? ExecutorSandbox the policy's demand
---@field settings table checked, with defaults
---@field ports { port: integer, host: integer, wanted?: integer }[] `host` is free on this machine;
---`wanted` is the host port of 'HOST_PORT:PORT'

---How a run is executed.
---@class ExecutorPlan
---@field argv string[] the command to start instead of the run's
---@field cwd? string absolute; default: the run's
---@field env? table<string, string> on top of the environment of Gibbous
---@field cleanup? string[] a command that ends whatever runs elsewhere: it runs in '/',
---for at most 10 seconds, when the run was killed, reached a limit, lost its host, or ended and
---`ended` did not report a clean end; its output is discarded
---@field last_wish? string[] deprecated: the name of `cleanup` before 0.2
---@field maps_ports? boolean default: false; true: spec.ports lead to the run
---@field ports_later? boolean default: false; true: `ports` gives the mapping once the run is
---running
---@field address? string the machine that has the ports, when it is not this one
---@field holds? string[] names of limits that the executor enforces itself
---@field sandbox? 'own'|'keeper' default: 'keeper': the keeper puts argv into the sandbox; 'own':
---the executor encloses the command as strictly itself
---@field state? any for `ended`

---The argument of an executor's `ended`: how a run ended by itself.
---@class ExecutorEnd
---@field run string
---@field exit_code? integer exit code of argv
---@field signal? integer that ended argv
---@field limits Limits
---@field state any

---The answer of an executor's `ended`.
---@class ExecutorVerdict
---@field reason? string for people; default: derived from the exit code
---@field limit? 'memory'|'cpu_time'|'pids'|'file_size' the limit that ended the run
---@field clean? boolean default: false; true: nothing is left elsewhere, no cleanup command is
---needed

---The argument of an executor's `ports` and `usage`: a run that is still active.
---@class ExecutorQuestion
---@field run string
---@field state any

---@class ExecutorPorts
---@field ports { port: integer, host: integer }[] the run's ports, and the ports mapped to them

---What a run uses now, where it is executed. One of cpu_percent and cpu_time_ms is required:
---Gibbous computes the percentage since the previous question from the time.
---@class ExecutorUsage
---@field processes integer
---@field threads? integer
---@field rss_bytes integer
---@field cpu_percent? number of one processor
---@field cpu_time_ms? number since the start

---A script that executes runs elsewhere; see docs/executors.md. The policy is not asked about the
---commands that it starts; max_concurrent does not count them, and they are not listed.
---@class Executor
---@field name string the name for `executor` of run.start
---@field settings? Schema of type object
---@field remote? boolean its files are not this machine's: a policy judges relative paths of its
---commands as if they began at '/'
---@field prepare fun(spec: ExecutorSpec): ExecutorPlan
---@field ports? fun(event: ExecutorQuestion): ExecutorPorts? for plans with `ports_later`:
---run.start waits for it for at most 60 seconds, then continues without mapped ports
---@field ended? fun(event: ExecutorEnd): ExecutorVerdict? within 15 seconds
---@field usage? fun(event: ExecutorQuestion): ExecutorUsage? for `Run:usage()`, within 3 seconds;
---without it, and when it fails, is late or returns nil, the local process is measured
---@field sweep? fun(event: { settings: table }) removes what dead hosts left behind; called once in
---each process

---A secret of the configuration, or of the program that embeds Gibbous (docs/secrets.md). Its value
---is in the environment of the run; journals, lists, logs and answers do not show it.
---@class SecretReference
---@field secret string its name

---@class RunStartOptions
---@field command? string a line for the configured shell; give this or argv
---@field argv? string[] a program and its arguments, without a shell; give this or command
---@field label? string for people
---@field cwd? string default: the workspace; relative paths start there
---@field env? table<string, string|SecretReference> on top of the environment of Gibbous
---@field unset_env? string[] variables that are not inherited
---@field stdin? 'null'|'pipe' default: 'null'
---@field merge_stderr? boolean default: false; stderr joins stdout, in order
---@field timeout_ms? number default: limits.default_timeout_ms; 0: no limit
---@field timeout_signal? 'SIGTERM'|'SIGINT'|'SIGKILL' default: 'SIGTERM'; the first signal of the
---time limit; a run that a later process took over gets SIGTERM
---@field on_host_death? 'kill'|'keep' default: 'kill', or for detached runs the configuration's
---kill_on_session_end; 'keep': the run outlives Gibbous, and the next process with the same state
---directory takes it over; its stdin is then closed
---@field log? RunLog|RunLog[] files that receive the output as it comes; at most 4
---@field limits? Limits
---@field executor? string|table default: the configuration's `executor`, else 'host'; a table has a
---`name`, and settings that override those of the configuration's `executors`
---@field ports? string[] TCP ports that it will listen on, 'PORT' or 'HOST_PORT:PORT', at most 32;
---an executor that maps ports maps a free port of this machine to each; a remote engine chooses the
---port itself, and the start waits until it is known
---@field sandbox? string|SandboxRequest the name of a profile, or a table; the stricter of this,
---the mode's and the configuration's holds
---@field when_full? 'reject'|'queue' default: 'reject'; at limits.max_concurrent
---@field detach? boolean default: false; true: lives on after the call, belongs to the session
---@field watch? Watcher[] which lines of its output become events
---@field ready? WaitOptions|Condition[]|Condition conditions that must come true before the run
---counts as ready; those without a `run` refer to this one; default timeout_ms: 60000
---@field restart? boolean|RestartOptions default: false; true: RestartOptions' defaults
---@field after? (string|Run)[] runs that must be ready before it starts: ids, handles, or labels of
---the session's runs; at most 32. run.start returns at once, with the handle of a queued run
---@field background? boolean default: true; false: the caller waits for it, and max_concurrent does
---not count it
---@field pty? boolean|Pty default: false; true: in a terminal of its own, which is stdin, stdout
---and stderr, and is read as stdout; cannot be combined with stdin
---@field max_output_bytes? integer 4096 to 1 GiB; default: journal.max_output_bytes; limits its
---output in the journal, which then keeps the beginning and the end

---How a run is restarted after it has ended by itself: by its exit, by a signal from outside, by a
---limit other than the wall time, or by the loss of its keeper. What it left behind is killed
---first. The policy is asked again. Watchers, limits and `ready` apply to the new run, whose id is
---in RunInfo.next. Killing the old run kills the one that has replaced it, or ends the pause.
---@class RestartOptions
---@field on_failure? boolean default: true; false: restarts after exit code 0, too
---@field max? integer 1 to 1000; default: 3; number of restarts
---@field backoff_ms? integer 0 to 60000; default: 500; the pause before the first restart; it
---doubles each time, up to a minute

---A terminal. The variable TERM is `term`; COLUMNS and LINES are not inherited.
---@class Pty
---@field rows? integer 2 to 300; default: 24
---@field cols? integer 10 to 500; default: 80
---@field term? string default: 'xterm-256color'

---Turns matching output into events: a line of output, or a row of a terminal, that matches a
---regular expression becomes an event. The event is recorded, sent to the host, added to the
---session's backlog, and passed to the handler `on_EVENT`, if there is one. One watcher makes at
---most 20 events at once and 2 a second; one more event counts those that were left out.
---@class Watcher
---@field regex string RE2; matches anywhere in a line as a person sees it, without escape sequences
---@field event string letters, digits, _ . and -; the name of the event
---@field once? boolean default: false
---@field scope? 'both'|'stdout'|'stderr'|'screen' default: 'both'; 'screen': the rows of the
---terminal, each new text once, examined when output pauses; needs pty
---@field context_before? integer 0 to 20; default: 0; lines before it that the event includes
---@field context_after? integer 0 to 20; default: 0

---@class RunQueueOptions: RunStartOptions
---@field session? string default: the call's; a queue of this name inside the caller's session
---@field safe_to_repeat? boolean default: false; true: the run is started again when Gibbous dies
---while it runs

---@class StreamInfo
---@field bytes integer so far
---@field lines integer so far, including a partial last line
---@field kept_from integer offset of the oldest byte of the ring; the first 64 KiB are kept, too
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
---@field network 'on'|'loopback'|'off'
---@field landlock_abi? integer in force, once the run is running; 0: none
---@field mount_namespace? boolean
---@field network_namespace? boolean
---@field seccomp? boolean
---@field unprotected? string[] sentences about requested protection that this machine does not
---enforce

---Something that the sandbox refused, as the program reported it.
---@class Refusal
---@field what 'read'|'write'|'network'
---@field path? string
---@field line string the program's message
---@field profile string

---`memory`, `output`, `file_size`: bytes; `cpu_time`, `idle`: milliseconds.
---@class LimitReached
---@field name 'memory'|'cpu_time'|'pids'|'file_size'|'output'|'idle'
---@field limit integer
---@field used integer

---What the whole tree of a run uses now. For a run that is executed elsewhere, the executor may
---measure it (`by`); otherwise the local process is measured, such as a container's client.
---@class RunUsage
---@field by? string the executor that measured it; absent: it was measured here
---@field processes integer for containers and systemd units, this includes all threads
---@field threads? integer absent when the executor does not know it
---@field rss_bytes integer the sum of its processes' resident memory; for containers and units, the
---memory that they are charged with
---@field cpu_percent number of one processor, since the previous question or the start
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

---Requested bytes that are no longer kept.
---@class Gap
---@field from integer offset
---@field to integer offset

---@class ReadOptions
---@field stream? 'stdout'|'stderr'|'merged' default: 'stdout'
---@field since? integer offset to read from; default: 0
---@field reader? string continues where this reader stopped; cannot be combined with since
---@field max_bytes? integer 1 to 2 MiB; default: 64 KiB
---@field raw? boolean default: false; true: escape sequences and carriage returns stay

---@class ReadResult
---@field text string valid UTF-8
---@field from integer offset of the first byte
---@field to integer offset to continue from
---@field gap? Gap
---@field gaps? Gap[] those inside of merged text, where a line such as "[4096 bytes of stdout not
---kept]" stands for each
---@field more boolean more output is already there
---@field ended boolean the stream has ended here

---@class TailOptions
---@field stream? 'stdout'|'stderr'|'merged' default: 'stdout'
---@field lines? integer 0 or more; default: 50
---@field max_bytes? integer 1 to 2 MiB; default: 64 KiB
---@field reader? string marks everything as read for this reader

---@class TailResult
---@field text string
---@field from integer offset of the first byte
---@field to integer offset of the end
---@field first_line integer number of the first line, from 0
---@field count integer lines
---@field gap? Gap the part of the requested lines that is missing before `from`
---@field gaps? Gap[] those inside of merged text, where a line such as "[4096 bytes of stdout not
---kept]" stands for each

---@class ExcerptOptions
---@field stream? 'stdout'|'stderr' default: 'stdout'
---@field budget_tokens? integer 20 to 200000; default: 2000

---@class ExcerptResult
---@field text string the head, the tail, and what looks like errors
---@field complete boolean nothing was left out
---@field cut Gap[] the parts that were left out

---@class ScreenOptions
---@field since? integer a version: `changed` lists the rows that have changed since
---@field attributes? boolean default: false; true: the result has `styles`
---@field scrollback? integer 0 to 2000; default: 0; number of lines to include that have scrolled
---off the top

---@class GrepOptions
---@field pattern string RE2; matches anywhere in a line
---@field stream? 'stdout'|'stderr'|'merged' default: 'stdout'
---@field context? integer 0 to 20; default: 0; lines before and after each match
---@field max_bytes? integer 1 to 1 MiB; default: 8000; of the text

---@class GrepResult
---@field text string the first matches, as `grep -n -C` prints them
---@field matches integer lines that match
---@field shown integer of those, the ones in the text
---@field lines integer in the stream

---A styled part of a row. Colours are 'red', 'bright_red', 'color208' or '#ff8700'.
---@class ScreenStyle
---@field row integer from 1
---@field from integer first column, from 1
---@field to integer last column
---@field bold? boolean
---@field italic? boolean
---@field underline? boolean
---@field blink? boolean
---@field reverse? boolean
---@field strike? boolean
---@field foreground? string
---@field background? string

---The contents of a terminal.
---@class Screen
---@field lines string[] all rows, without trailing blanks
---@field rows integer
---@field cols integer
---@field cursor { row: integer, col: integer, visible: boolean } from 1
---@field title string
---@field alternate boolean it is the alternate screen, which full-screen programs use
---@field version integer increases with every change of a row
---@field changed? integer[] rows, with `since`
---@field styles? ScreenStyle[] with `attributes`
---@field scrolled integer lines that have scrolled off the top so far; the newest 2000 are kept
---@field scrollback? string[] with `scrollback`, oldest first

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
---@field survivors integer[] pids
---@field cleanup_failed? boolean the cleanup command failed: what it started elsewhere may still be
---active
---@field last_wish_failed? boolean deprecated: the name of `cleanup_failed` before 0.2

---A handle to a run. It stays usable after the run has ended, until the run is forgotten; then its
---methods return nil, err with run_not_found.
---@class Run
---@field id string
local Run = {}

---@class run
run = {}

---Starts a command and waits until it is running. The policy is asked. Raises for unknown or wrong
---options. Returns nil, err with start_failed (the message names the step and the cause),
---too_many_runs, denied, needs_approval, unknown_executor, no_free_port, executor_failed, or a code
---of the executor's own.
---
---Example:
---```lua
---local server, err = run.start { command = 'sleep 60', label = 'web', detach = true }
---if not server then tool.error(err.code, err.message) end
---server:kill()
---```
---@since 0.1.0
---@param options RunStartOptions
---@return Run? handle
---@return Err? err
function run.start(options) end

---Checks options of run.start as far as possible in advance. It starts nothing and asks no policy.
---Raises for unknown or wrong options. Returns nil, err with invalid_arguments, unknown_executor,
---or an error in the executor's settings.
---
---Example:
---```lua
---assert(run.check { command = 'npm run dev', label = 'web' })
---local good, err = run.check { command = 'npm run dev', executor = 'no-such-executor' }
---assert(good == nil and err.code == 'unknown_executor')
---```
---@since 0.1.0
---@param options RunStartOptions
---@return true? good
---@return Err? err
function run.check(options) end

---Queues a command. It starts when no other run of its queue is running and there is a place; if
---this process dies first, the next one of the same session and workspace starts it. Waits
---until the queue is on disk. The policy is asked now, and again when the command starts. Takes the
---options of run.start except `after`. Returns nil, err with denied, needs_approval, no_journal, or
---a journal_* code.
---
---Example:
---```lua
---local queued, err = run.queue { command = 'echo tested', label = 'test', safe_to_repeat = true }
---if not queued then tool.error(err.code, err.message) end
---wait { all = { wait.exit(queued.id) }, timeout_ms = 60000 }
---```
---@since 0.1.0
---@param options RunQueueOptions
---@return { id: string, state: 'queued' }? queued
---@return Err? err
function run.queue(options) end

---Returns the handle of a run of the calling session. Returns nil, err with run_not_found; the
---message names a similar id.
---
---Example: `local handle, err = run.get(args.id)`
---@since 0.1.0
---@param id string
---@return Run? handle
---@return Err? err
function run.get(id) end

---Returns the facts about the remembered runs of the calling session, oldest first. A call without
---a session is the host's and sees all but those of sessions that a process owns.
---
---Example:
---```lua
---for _, info in ipairs(run.list { state = 'running' }) do log.info(info.command) end
---```
---@since 0.1.0
---@param filter? { state?: RunState, session?: string }
---@return RunInfo[]
function run.list(filter) end

---Says whether the process that `host` of an ExecutorSpec names is alive. Returns nil when this
---machine cannot tell. An executor's `sweep` uses it to find what dead hosts left behind.
---
---Example:
---```lua
---assert(run.is_host_alive('a-label-of-another-machine') == nil)
---```
---@since 0.1.0
---@param host string
---@return boolean? alive
function run.is_host_alive(host) end

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
---asked. Returns nil, err with stdin_closed, stdin_full, denied.
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
---stdin_full, denied.
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
