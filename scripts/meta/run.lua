---@meta
-- The table `run`: executions of commands, and the handles to them.

---`queued`, `starting` and `running` go on; the others are ends: `completed` is exit code 0,
---`failed` another one, `killed` by bg_kill, by a limit or with its owner, `timeout` by its time
---limit, `lost` when the keeper was lost.
---@alias RunState 'queued'|'starting'|'running'|'completed'|'failed'|'killed'|'timeout'|'lost'

---What a run may use. The stricter of this, the mode's and the configuration's `limits.run` holds.
---A run that reaches one ends as `killed`, and `info().limit` says by which; cpu_share slows down,
---open_files and file_size_bytes make the program's own calls fail.
---@class Limits
---@field memory_bytes? integer all its processes together
---@field cpu_time_ms? integer processor time of all its processes together
---@field cpu_share? number processors, such as 0.5; start fails where there is no cpu control group
---@field pids? integer processes and threads at the same time
---@field open_files? integer of each process
---@field file_size_bytes? integer of each file that it writes
---@field output_bytes? integer both streams together
---@field log_bytes? integer all files of its log together
---@field wall_time_ms? integer from start to end; ends as `timeout`
---@field idle_time_ms? integer without any output

---@class RunLog
---@field path string below the workspace; absolute: below it or the temporary directory, which is
---made; directories are made, links are not followed; {run} in it stands for the run's id
---@field stream? 'both'|'stdout'|'stderr' default: 'both'
---@field max_bytes? integer 4096 or more; default: 10 MiB; of one file
---@field files? integer 1 to 100; default: 1: stops at max_bytes; more: path.1 is the one before
---@field append? boolean default: false

---@class ExecutorSandbox
---@field profile string
---@field network 'on'|'loopback'|'off'
---@field write string[] the only places that may be changed
---@field unwritable string[] in those, what may not
---@field pinned string[] in those, what may be changed but not moved or removed
---@field unreadable string[]

---What an executor's `prepare` is given; `env` is what was set for the run, nothing more.
---@class ExecutorSpec
---@field run string its id
---@field host string names this process; for `run.is_host_alive`
---@field session string
---@field label? string
---@field command? string this or argv
---@field argv? string[]
---@field cwd string absolute
---@field workspace string absolute
---@field shell string of this machine
---@field env table<string, string>
---@field stdin 'pipe'|'null'|'terminal' terminal: stdin, stdout and stderr, of what is started here
---@field limits Limits
---@field sandbox? ExecutorSandbox what the policy demands
---@field settings table checked, with defaults
---@field ports { port: integer, host: integer, wanted?: integer }[] `host` is free on this
---machine; `wanted`: the one that was asked for with 'HOST_PORT:PORT'

---How a run is executed.
---@class ExecutorPlan
---@field argv string[] what is started instead of the run's command
---@field cwd? string absolute; default: the run's
---@field env? table<string, string> on top of the environment of Gibbous
---@field last_wish? string[] a command that ends what lives elsewhere: it runs in '/',
---for at most 10 seconds, when the run was killed, reached a limit, lost its host, or ended and no
---`ended` called that clean; nobody reads its output
---@field maps_ports? boolean default: false; true: spec.ports lead to the run
---@field ports_later? boolean default: false; true: `ports` says which lead to it, once it runs
---@field address? string where the ports are, when that is not this machine
---@field holds? string[] names of limits that it holds itself
---@field sandbox? 'own'|'keeper' default: 'keeper': argv gets the sandbox; 'own': it encloses the
---command as strictly itself
---@field state? any for `ended`

---How a run ended by itself, for an executor's `ended`.
---@class ExecutorEnd
---@field run string
---@field exit_code? integer of argv
---@field signal? integer that ended argv
---@field limits Limits
---@field state any

---What that means.
---@class ExecutorVerdict
---@field reason? string for people; default: what the exit says
---@field limit? 'memory'|'cpu_time'|'pids'|'file_size' the run ended by this limit
---@field clean? boolean default: false; true: nothing is left elsewhere, no last wish is needed

---A run that goes on, for an executor's `ports` and `usage`.
---@class ExecutorQuestion
---@field run string
---@field state any

---@class ExecutorPorts
---@field ports { port: integer, host: integer }[] those of the run, and those that lead to them

---What it costs now where it is executed. One of cpu_percent and cpu_time_ms must be there: of the
---time, Gibbous makes the percentage since it asked last.
---@class ExecutorUsage
---@field processes integer
---@field threads? integer
---@field rss_bytes integer
---@field cpu_percent? number of one processor
---@field cpu_time_ms? number since the start

---Scripts that execute runs elsewhere; docs/executors.md. What they start is not asked about, takes
---no place, and is not listed.
---@class Executor
---@field name string what `executor` of run.start names
---@field settings? Schema of type object
---@field remote? boolean it has other files than this machine: a policy judges relative paths of
---its commands as if they began at '/'
---@field prepare fun(spec: ExecutorSpec): ExecutorPlan
---@field ports? fun(event: ExecutorQuestion): ExecutorPorts? of plans with `ports_later`: run.start
---waits for it, at most 60 seconds; then the run has no mapped ports
---@field ended? fun(event: ExecutorEnd): ExecutorVerdict? within 15 seconds
---@field usage? fun(event: ExecutorQuestion): ExecutorUsage? for `run:usage()`, within 3 seconds;
---without it, and when it fails, is late or gives nothing, a run costs what its process here does
---@field sweep? fun(event: { settings: table }) removes what dead hosts left; once a process

---@class RunStartOptions
---@field command? string a line for the configured shell; this or argv
---@field argv? string[] a program and its words, without a shell; this or command
---@field label? string for people
---@field cwd? string default: the workspace; relative paths are below it
---@field env? table<string, string> on top of the environment of Gibbous
---@field unset_env? string[] variables that are not inherited
---@field stdin? 'null'|'pipe' default: 'null'
---@field merge_stderr? boolean default: false; stderr goes into stdout, in order
---@field timeout_ms? number default: limits.default_timeout_ms; 0: no limit
---@field timeout_signal? 'SIGTERM'|'SIGINT'|'SIGKILL' default: 'SIGTERM'; what the time limit sends
---first; a run that was kept and adopted gets SIGTERM
---@field on_host_death? 'kill'|'keep' default: 'kill', or what the configuration's
---kill_on_session_end says of detached runs; 'keep': lives on when Gibbous is gone, and the
---next one with the same state directory takes it over; its stdin ends then
---@field log? RunLog|RunLog[] files that output is copied into as it comes; at most 4
---@field limits? Limits
---@field executor? string|table default: the configuration's `executor`, else 'host'; a table has a
---`name`, and settings that are put over those of the configuration's `executors`
---@field ports? string[] TCP ports that it will listen on, 'PORT' or 'HOST_PORT:PORT', at most 32;
---an executor that maps ports makes a free one of this machine lead to each, or one that its engine
---elsewhere chooses; then the start waits until that is known
---@field sandbox? string|SandboxRequest the name of a profile, or a table; the stricter of this,
---the mode's and the configuration's holds
---@field when_full? 'reject'|'queue' default: 'reject'; at limits.max_concurrent
---@field detach? boolean default: false; true: lives on after the call, belongs to the session
---@field watch? Watcher[] what of its output becomes an event
---@field ready? WaitOptions|Condition[]|Condition what has to come true before others may count on
---it; conditions without a `run` are about this one; default timeout_ms: 60000
---@field restart? boolean|RestartOptions default: false; true: RestartOptions' defaults
---@field after? (string|Run)[] runs that have to be ready before it starts: ids, handles, or labels
---of the session's runs; at most 32. The handle is given at once, of a queued run
---@field background? boolean default: true; false: its caller waits for it, and it takes no
---place of max_concurrent
---@field pty? boolean|Pty default: false; true: in a terminal of its own, which is stdin, stdout
---and stderr, and is read as stdout; not with stdin
---@field max_output_bytes? integer 4096 to 1 GiB; default: journal.max_output_bytes; of its output
---in the journal; above it the beginning and the end are kept

---When a run is started again after it has ended by itself: by its exit, by a signal from outside,
---by one of its limits but the wall time, or with its keeper. What it left behind is killed before.
---The policy is asked again, and watchers, limits and `ready` hold for the new run, whose id
---RunInfo.next says. A kill of a run whose next one waits or runs is one of that.
---@class RestartOptions
---@field on_failure? boolean default: true; false: also after exit code 0
---@field max? integer 1 to 1000; default: 3; how often in all
---@field backoff_ms? integer 0 to 60000; default: 500; the pause before the first time; twice as
---long each time, at most a minute

---A terminal. The variable TERM is `term`; COLUMNS and LINES are not inherited.
---@class Pty
---@field rows? integer 2 to 300; default: 24
---@field cols? integer 10 to 500; default: 80
---@field term? string default: 'xterm-256color'

---Something to be told about: a line of output, or a row that a terminal shows, that a regular
---expression is found in becomes an event, which is recorded, told to the host, put into the
---session's backlog, and given to the function `on_EVENT` of scripts/watchers/, if there is one. At
---most 20 at once and 2 a second of one watcher; what is left out is told of once.
---@class Watcher
---@field regex string RE2; found anywhere in a line as a person sees it, without escape sequences
---@field event string letters, digits, _ . and -; the name of the event
---@field once? boolean default: false
---@field scope? 'both'|'stdout'|'stderr'|'screen' default: 'both'; 'screen': each row that the
---terminal shows, once for each text that is new there, looked at when output pauses; needs pty
---@field context_before? integer 0 to 20; default: 0; lines that are told with it
---@field context_after? integer 0 to 20; default: 0

---@class RunQueueOptions: RunStartOptions
---@field session? string default: the call's; whose queue and backlog it is
---@field safe_to_repeat? boolean default: false; true: when Gibbous dies while it runs, it is
---started again

---@class StreamInfo
---@field bytes integer so far
---@field lines integer so far, a partial last line included
---@field kept_from integer offset of the oldest byte of the ring; the first 64 KiB are kept as well
---@field ended boolean nothing more will come

---@class RunInfo
---@field id string 8 characters
---@field pid integer 0 before it runs
---@field command string as a person would type it
---@field argv? string[] when it was started with argv
---@field label? string
---@field session string
---@field tool string the tool that started it
---@field background boolean its caller did not wait for it
---@field on_host_death 'kill'|'keep'
---@field adopted boolean an earlier Gibbous started it
---@field state RunState
---@field exit_code? integer when it exited
---@field signal? integer when a signal ended it
---@field reason? string why it ended as it did, or what it waits for while it is queued, for people
---@field readiness? 'pending'|'ready'|'failed' when run.start was given `ready`
---@field readiness_note? string what made it ready, or why it is not
---@field next? string the run that is started again for it; queued until the pause is over
---@field restart_of? string the run that it was started again for
---@field restarts? integer how many there were before it, when there were any
---@field created_ms integer Unix time
---@field started_ms? integer Unix time
---@field ended_ms? integer Unix time
---@field runtime_ms integer from start to end, or to now
---@field left_behind integer processes of its tree that live on after it ended
---@field drained boolean its output is complete, or given up
---@field output_incomplete boolean its output was given up: another process holds the pipe
---@field stdin_open boolean
---@field pty? Pty when it has a terminal; the size that it has now
---@field stdout StreamInfo
---@field stderr StreamInfo
---@field idle_ms? integer since its last output, or its start
---@field output_rate? integer bytes a second, over the last five to ten seconds
---@field limits? Limits as far as there are any
---@field limits_by? table<string, string> what holds them, by name: cgroup2, cgroup1, polling, or
---an executor
---@field limit? LimitReached the one that it ended by
---@field executor? string who executes it, when that is not the host
---@field ports? { port: integer, host: integer }[] its ports, and those here that lead to them
---@field address? string where those ports are, when that is not this machine
---@field sandbox? SandboxInfo
---@field log? RunLogInfo[]

---@class RunLogInfo
---@field path string
---@field stream 'both'|'stdout'|'stderr'
---@field bytes integer written of the output
---@field lost_bytes integer that will never be written
---@field files integer that there are now; 0: it is not open yet
---@field full boolean the quota is used up
---@field error? string why it cannot be written at the moment

---@class SandboxInfo
---@field profile string
---@field network 'on'|'loopback'|'off'
---@field landlock_abi? integer in force, from running on; 0: none
---@field mount_namespace? boolean
---@field network_namespace? boolean
---@field seccomp? boolean
---@field unprotected? string[] sentences: what was asked for and is not enforced on this machine

---Something that the sandbox refused, as the program told it.
---@class Refusal
---@field what 'read'|'write'|'network'
---@field path? string
---@field line string what the program said
---@field profile string

---`memory`, `output`, `file_size`: bytes; `cpu_time`, `idle`: milliseconds.
---@class LimitReached
---@field name 'memory'|'cpu_time'|'pids'|'file_size'|'output'|'idle'
---@field limit integer
---@field used integer

---What the whole tree of a run costs now. Of a run that is executed elsewhere an executor may know
---that (`by`); else it is what the process here costs, such as the client of a container.
---@class RunUsage
---@field by? string the executor that measured it; absent: it was measured here
---@field processes integer of containers and units of systemd: with all their threads
---@field threads? integer absent: the executor does not know
---@field rss_bytes integer resident memory of each process, added up; of containers and units what
---they are charged with
---@field cpu_percent number of one processor, since it was asked last, or since the start
---@field cpu_time_ms? integer absent: the executor does not know
---@field ports UsagePort[] TCP ports that it listens on; of a run whose ports are mapped, those
---@field waiting_for_input? { pid: integer, prompt: string } a process that is blocked reading its
---stdin or terminal, and what stands on the last line

---@class UsagePort
---@field port integer as the run has it
---@field pid? integer that listens; absent: the port is mapped, and that is not known
---@field host? integer when it is mapped: the port that leads to it
---@field address string that it listens on; when it is mapped: where `host` is

---Bytes that were asked for and are not kept any more.
---@class Gap
---@field from integer offset
---@field to integer offset

---@class ReadOptions
---@field stream? 'stdout'|'stderr' default: 'stdout'
---@field since? integer offset to read from; default: 0
---@field reader? string reads on where this reader stopped, and remembers; not with since
---@field max_bytes? integer 1 to 2 MiB; default: 64 KiB
---@field raw? boolean default: false; true: escape sequences and carriage returns stay

---@class ReadResult
---@field text string valid UTF-8
---@field from integer offset of the first byte
---@field to integer offset to go on from
---@field gap? Gap
---@field more boolean more is there already
---@field ended boolean this is the end, nothing more will come

---@class TailOptions
---@field stream? 'stdout'|'stderr' default: 'stdout'
---@field lines? integer 0 or more; default: 50
---@field max_bytes? integer 1 to 2 MiB; default: 64 KiB
---@field reader? string the reader of this name has then read everything

---@class TailResult
---@field text string
---@field from integer offset of the first byte
---@field to integer offset of the end
---@field first_line integer number of the first line, from 0
---@field count integer lines
---@field gap? Gap what is missing before `from` of the lines that were asked for

---@class ExcerptOptions
---@field stream? 'stdout'|'stderr' default: 'stdout'
---@field budget_tokens? integer 20 to 200000; default: 2000

---@class ExcerptResult
---@field text string head, tail, and what looks like errors
---@field complete boolean nothing was left out
---@field cut Gap[] what was left out

---@class ScreenOptions
---@field since? integer a version: `changed` says which rows have changed since then
---@field attributes? boolean default: false; true: with `styles`
---@field scrollback? integer 0 to 2000; default: 0; newest lines that have scrolled off the top

---Where a row is not plain text. Colours are 'red', 'bright_red', 'color208' or '#ff8700'.
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

---What a terminal shows.
---@class Screen
---@field lines string[] all rows, without the blanks at their ends
---@field rows integer
---@field cols integer
---@field cursor { row: integer, col: integer, visible: boolean } from 1
---@field title string
---@field alternate boolean the screen of a full-screen program; what was there before comes back
---@field version integer rises with every change of rows
---@field changed? integer[] rows, with `since`
---@field styles? ScreenStyle[] with `attributes`
---@field scrolled integer lines that have scrolled off the top so far; the newest 2000 are kept
---@field scrollback? string[] with `scrollback`, the oldest first

---@class SendKeysOptions
---@field literal? boolean default: false; true: no names of keys, '<' is typed as it is
---@field paste? boolean default: false; true: text to paste, bracketed when the program asked for
---that; control characters but line ends and tabs are left out

---@class KillOptions
---@field signal? string default: 'SIGTERM'; with a terminal 'SIGHUP', which interactive shells heed
---@field grace_ms? number until SIGKILL; default: limits.kill_grace_ms

---@class KillReport
---@field how 'gone'|'signal'|'escalated'|'survivors' was gone before; ended on the signal; on
---SIGKILL; or not at all
---@field dead integer processes of its tree that ended
---@field survivors integer[] pids
---@field last_wish_failed? boolean what it started elsewhere may live on

---A handle to a run. It stays usable after the run ended, until the run is forgotten: then its
---methods return nil, err with run_not_found.
---@class Run
---@field id string
local Run = {}

---@class run
run = {}

---Starts a command and waits until it runs. The policy is asked. Raises for unknown or wrong
---options. Returns nil, err with start_failed (the step and why), too_many_runs, denied,
---needs_approval, unknown_executor, no_free_port, executor_failed, or what its executor says.
---
---Example: `local server, err = run.start { command = 'npm run dev', detach = true }`
---@param options RunStartOptions
---@return Run? handle
---@return Err? err
function run.start(options) end

---Checks what run.start would take, as far as that can be known before: nothing is started, nobody
---is asked. Raises for unknown or wrong options. Returns nil, err with invalid_arguments,
---unknown_executor, or what is wrong with the executor's settings.
---
---Example: `local good, err = run.check { command = 'npm run dev', executor = 'docker' }`
---@param options RunStartOptions
---@return true? good
---@return Err? err
function run.check(options) end

---Queues a command: it starts when no other queued run of its session runs and there is a place,
---here or, when this process dies before, in the next one with the same state directory. Waits
---until the queue is on disk. The policy is asked now, and again when it starts. Takes what
---run.start does, but `after`. Returns nil, err with denied, needs_approval, no_journal, or
---journal_*.
---
---Example: `local queued, err = run.queue { command = 'make test' }`
---@param options RunQueueOptions
---@return { id: string, state: 'queued' }? queued
---@return Err? err
function run.queue(options) end

---Gives the handle of a run. Returns nil, err with run_not_found; the message names a similar id.
---
---Example: `local handle, err = run.get(args.id)`
---@param id string
---@return Run? handle
---@return Err? err
function run.get(id) end

---Gives the facts about all runs that are remembered, oldest first.
---
---Example: `for _, info in ipairs(run.list { state = 'running' }) do log.info(info.command) end`
---@param filter? { state?: RunState, session?: string }
---@return RunInfo[]
function run.list(filter) end

---Tells whether the process that an ExecutorSpec's `host` names is alive; nil: that cannot be seen
---from this machine.
---
---Example: `if run.is_host_alive(label) == false then remove(id) end`
---@param host string
---@return boolean? alive
function run.is_host_alive(host) end

---Gives the facts about the run. Returns nil, err with run_not_found, as all methods do.
---
---Example: `if handle:info().state == 'failed' then log.warn(handle:info().reason) end`
---@return RunInfo? info
---@return Err? err
function Run:info() end

---Reads output from an offset, or where a named reader stopped. Reading takes nothing away.
---
---Example: `local part = handle:read { stream = 'stderr', reader = 'mine' }`
---@param options? ReadOptions
---@return ReadResult? result
---@return Err? err
function Run:read(options) end

---Gives the last lines.
---
---Example: `log.info(handle:tail({ lines = 5 }).text)`
---@param options? TailOptions
---@return TailResult? result
---@return Err? err
function Run:tail(options) end

---Gives as much of the output as a budget of tokens allows, chosen for meaning.
---
---Example: `local short = handle:excerpt { stream = 'stderr', budget_tokens = 500 }`
---@param options? ExcerptOptions
---@return ExcerptResult? result
---@return Err? err
function Run:excerpt(options) end

---Ends the whole tree of the run, and waits for it: the signal, the grace, SIGKILL. The policy is
---asked. Returns nil, err with denied.
---
---Example: `local report = handle:kill { grace_ms = 1000 }`
---@param options? KillOptions
---@return KillReport? report
---@return Err? err
function Run:kill(options) end

---Gives what its sandbox refused, as far as its output of late tells. Empty without a sandbox.
---
---Example: `for _, refusal in ipairs(handle:refusals()) do log.warn(refusal.line) end`
---@return Refusal[]? refusals
---@return Err? err
function Run:refusals() end

---Looks at its processes now; an executor is asked for at most 3 seconds. Returns nil, err with
---not_running when there are none.
---
---Example: `log.info(handle:usage().rss_bytes)`
---@return RunUsage? usage
---@return Err? err
function Run:usage() end

---Sends a signal to the run's process group, and nothing more. The policy is asked, as for a kill.
---
---Example: `handle:signal('SIGHUP')`
---@param signal string
---@return true? sent
---@return Err? err
function Run:signal(signal) end

---Writes to its stdin, and waits until the program's pipe has taken it. The policy is asked.
---Returns nil, err with stdin_closed, stdin_full, denied.
---
---Example: `local ok, err = handle:write('yes\n')`
---@param text string
---@return true? ok
---@return Err? err
function Run:write(text) end

---Types into its terminal, and waits until that has taken it: characters, and keys by name:
---`<Enter>`, `<Tab>`, `<BS>`, `<Esc>`, `<Space>`, `<Up>`, `<Down>`, `<Left>`, `<Right>`, `<Home>`,
---`<End>`, `<PageUp>`, `<PageDown>`, `<Insert>`, `<Del>`, `<F1>` to `<F12>`, `<lt>` for '<'; before
---a key or a character `C-`, `M-` and `S-`, as in `<C-c>`, `<M-x>`, `<S-Tab>`. At most 64 KiB. A
---run without a terminal gets the bytes on its stdin, where there are any. The policy is asked as
---for write; keys that change a line of a shell make it one that nobody knows. What is typed while
---the terminal shows none of it is recorded nowhere. Returns nil, err with invalid_arguments (a key
---that does not exist, and the nearest that does), no_terminal, stdin_closed, stdin_full, denied.
---
---Example: `handle:send_keys('ls -l<Enter>')`
---@param keys string
---@param options? SendKeysOptions
---@return true? ok
---@return Err? err
function Run:send_keys(keys, options) end

---Gives what its terminal shows now; after the run ended, what it showed last. Returns nil, err
---with no_terminal, not_running.
---
---Example: `log.info(handle:screen().lines[1])`
---@param options? ScreenOptions
---@return Screen? screen
---@return Err? err
function Run:screen(options) end

---Changes the size of its terminal; programs in its foreground are told (SIGWINCH). Returns nil,
---err with no_terminal, not_running.
---
---Example: `handle:resize { rows = 40, cols = 120 }`
---@param size { rows: integer, cols: integer } 2 to 300, 10 to 500
---@return true? ok
---@return Err? err
function Run:resize(size) end

---Closes its stdin after what is being written. Returns nil, err with is_terminal.
---
---Example: `handle:close_stdin()`
---@return true? ok
---@return Err? err
function Run:close_stdin() end

---Adds watchers; what is still kept of its output, or shown by its terminal, is looked at first.
---Raises for a wrong pattern, and for scope 'screen' without a terminal. Returns nil, err with
---too_many_watchers.
---
---Example: `handle:watch { { regex = 'listening on', event = 'ready', once = true } }`
---@param watchers Watcher[]
---@return true? ok
---@return Err? err
function Run:watch(watchers) end

---Waits with this run filled into the conditions; see `wait`.
---
---Example: `local answer = handle:wait { any = { { kind = 'exit' } }, timeout_ms = 5000 }`
---@param options WaitOptions
---@return WaitAnswer? answer
---@return Err? err
function Run:wait(options) end
