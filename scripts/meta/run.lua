---@meta
-- The table `run`: starts executions of commands and finds them. Its functions give handles.

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
---@field left_behind_ms? integer that processes may live on after its end

---@class RunLog
---@field path string below the workspace; an absolute path may also lie below the temporary
---directory; directories are created, links are not followed, and {run} becomes the run's id
---@field stream? 'both'|'stdout'|'stderr' default: 'both'
---@field max_bytes? integer 4096 or more; default: 10 MiB; for one file
---@field files? integer 1 to 100; default: 1, which stops at max_bytes; with more, path.1 is the
---previous file
---@field append? boolean default: false

---A secret of the configuration, or of the program that embeds Gibbous (docs/secrets.md). Its value
---is in the environment of the run; journals, lists, logs and answers do not show it.
---@class SecretReference
---@field secret string its name

---@class RunStartOptions
---@field command? string a line for the shell (bash, or the configured one); give this or argv
---@field argv? string[] a program and its arguments, without a shell; give this or command
---@field label? string for people
---@field cwd? string default: the workspace; relative paths start there
---@field env? table<string, string|SecretReference> on top of the environment of Gibbous; without a
---terminal also of what scripts/toolsets/environment.lua sets, so that no program waits for a
---person
---@field unset_env? string[] variables that are not inherited
---@field stdin? 'null'|'pipe' default: 'null'
---@field merge_stderr? boolean default: false; stderr joins stdout, in order
---@field timeout_ms? number|'default' 0: no limit; default: limits.default_timeout_ms of the
---configuration or, without it, 5 minutes while the run is attached to its call and no limit once
---it is detached; 'default': the same, and 5 minutes also for one that is detached
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
---@field allow? string[] what the command needs beyond the profile `confined`, where the policy
---runs it so: 'network', 'port:NUMBER' (of this machine's loopback; also beyond `build`),
---'read:PATH', 'write:PATH' (paths begin with '/' or '~/'), 'sign' (commits and tags, in `build`);
---at most 32; a person is asked
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
---@field max_output_bytes? integer 256 to 1 GiB; default: journal.max_output_bytes; limits its
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
---@field max_attempts? integer 1 to 1000000; default: journal.max_attempts; starts at most, when
---Gibbous dies while it runs, again and again
---@field priority? integer -1000 to 1000; default: 0; higher ones start first, also before earlier
---ones of the same queue
---@field request_id? string 1 to 256 bytes that the caller chose; a later call of the same session
---with the same request_id and command starts nothing and returns the run of the first, as long as
---the journal has it

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
---a journal_* code; after such an error the command never runs. When another process holds the
---journal, journal_busy comes after about a second and names it; after ten seconds at most when
---that process is at work, on a slow disk.
---
---Example:
---```lua
---local queued, err = run.queue { command = 'echo tested', label = 'test', safe_to_repeat = true }
---if not queued then tool.error(err.code, err.message) end
---wait { all = { wait.exit(queued.id) }, timeout_ms = 60000 }
---```
---@since 0.1.0
---@param options RunQueueOptions
---@return { id: string, state: RunState, repeated?: true }? queued repeated: an earlier call with
---the request_id has started it
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
---@param filter? { state?: RunState, session?: string, brief?: boolean } brief: only id, pid,
---command, label, session, tool, background, how it stands, times and output_rate
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
