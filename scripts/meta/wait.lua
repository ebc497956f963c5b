---@meta
-- The table `wait`: waits for conditions, and makes them.

---@alias ConditionKind
---| 'exit' # the run has ended
---| 'start' # the command of the run is running, or has run
---| 'ready' # the run is ready
---| 'port' # a process listens on a TCP port
---| 'regex' # a line of output matches
---| 'screen' # a row of the terminal matches
---| 'http' # an HTTP GET is answered with a status
---| 'quiet' # the run has written nothing for some time
---| 'input' # the run waits for input
---| 'file' # a path exists, or no longer does
---| 'log' # the files of `log` are open, or written
---| 'timer' # some time has passed

---One thing that can be waited for: a plain table that the functions below make.
---@class Condition
---@field kind ConditionKind
---@field run? string|Run required for exit, start, ready, regex, screen, quiet, input and log; a
---condition of another kind that names a run fails when that run ends

---@class WaitOptions
---@field any? Condition[] 1 to 64; this or all
---@field all? Condition[] 1 to 64; this or any
---@field timeout_ms? number default: no limit

---@class Fired
---@field kind string
---@field index integer of the condition, from 1
---@field run? string
---@field line? string regex: the line, at most 4 KiB around the match; screen: the row; input: the
---prompt
---@field captures? string[] regex, screen: groups
---@field row? integer screen: of the row that matched, from 1
---@field stream? 'stdout'|'stderr' regex
---@field cursor? integer regex: offset just after the line
---@field age_ms? integer regex with offsets of both streams: of a line that was there already
---@field column? integer regex: byte of `line` at which the match begins, from 1
---@field status? integer http
---@field url? string http: as the condition names it
---@field mapped_url? string http: the URL that was requested instead, when a mapped port leads to
---the run
---@field port? integer port
---@field mapped_from? integer port: the run's own port, when `port` is mapped to it
---@field pid? integer port: the process that listens, when that is known; input: the one that
---waits
---@field address? string port: what answered
---@field path? string file

---@class WaitAnswer
---@field ok boolean
---@field fired Fired[] in order of firing
---@field elapsed_ms integer
---@field reason? 'timeout'|'impossible' when not ok; impossible: the run ended before, or another
---program has its port
---@field message? string when not ok: which condition, and why
---@field seen? string when not ok: what was seen instead, such as 'status 503'
---@field older? boolean when not ok: a line matches that does not count, as `seen` says
---@field obstacle? string impossible while the run goes on: which program has its port
---@field run? string impossible: the run that ended, or that cannot get there
---@field tail? string when not ok: the last lines of that run

---Waits until any, or all, of some conditions have come true. Output from before the wait counts. A
---wait that can no longer succeed returns at once. Raises for wrong conditions, and gives the
---position of an error in a pattern. Returns nil, err with run_not_found.
---
---Example:
---```lua
---local server = run.start { command = 'echo ready in 12 ms; sleep 60' }
---local answer = wait {
---  any = { wait.regex(server, 'ready in (\\d+) ms'), wait.exit(server) },
---  timeout_ms = 30000,
---}
---if not answer.ok then tool.error(answer.reason, answer.message) end
---assert(answer.fired[1].captures[1] == '12')
---```
---@class wait
---@since 0.1.0
---@overload fun(options: WaitOptions|Condition[]|Condition): WaitAnswer?, Err?
wait = {}

---Checks options of wait without waiting. Raises for unknown or wrong options, as wait does.
---Returns nil, err with invalid_arguments and the fields of WrongUse for a pattern or a URL that is
---not valid.
---
---Example:
---```lua
---local good, err = wait.check { wait.http('ftp://example.org') }
---assert(good == nil and err.field == 'any[1].url')
---assert(wait.check { wait.timer(50) })
---```
---@since 0.1.0
---@param options WaitOptions|Condition[]|Condition
---@return true? good
---@return WrongUse? err with the field `code`
function wait.check(options) end

---Comes true when the run has ended.
---
---Example:
---```lua
---local build = run.start { command = 'exit 3' }
---wait { wait.exit(build) }
---assert(build:info().exit_code == 3)
---```
---@since 0.1.0
---@param run Run|string
---@return Condition
function wait.exit(run) end

---Comes true when the command of the run is running, or has run. It fails for a run that is killed
---or refused while it is queued.
---
---Example:
---```lua
---local db = run.start { command = 'sleep 60' }
---local web = run.start { command = 'sleep 60', after = { db } }
---wait { all = { wait.start(web) }, timeout_ms = 60000 }
---```
---@since 0.1.0
---@param run Run|string
---@return Condition
function wait.start(run) end

---Comes true when the run is ready: its `ready` conditions have come true or, without any, it is
---running. It fails when the run fails; a restart is another run.
---
---Example:
---```lua
---local server = run.start {
---  command = 'echo up; sleep 60',
---  ready = { kind = 'regex', pattern = '^up$' },
---}
---wait { all = { wait.ready(server) }, timeout_ms = 60000 }
---```
---@since 0.1.0
---@param run Run|string
---@return Condition
function wait.ready(run) end

---Comes true when a process listens on a TCP port. With a run, when a process of the run does: the
---wait fails at once, with `obstacle`, while another program has the port. With a run whose ports
---are mapped, a port of this machine means the run's own, and the port mapped to it is watched.
---
---Example: `wait { any = { wait.port(8080, { run = server }) }, timeout_ms = 10000 }`
---@since 0.1.0
---@param port integer 1 to 65535
---@param options? { host?: string, run?: Run|string } host default: any loopback address, IPv4 or
---IPv6
---@return Condition
function wait.port(port, options) end

---Comes true when a line of output matches an RE2 pattern.
---
---Example: `wait { wait.regex(server, 'listening on port (\\d+)', { stream = 'stdout' }) }`
---@since 0.1.0
---@param run Run|string
---@param pattern string
---@param options? { stream?: 'stdout'|'stderr', since?: integer|Places } since: an offset in
---`stream`; default: all output that is kept. With offsets of both streams, as Run:place returns
---them, the newest line counts that is there already, and `age_ms` says how old it is
---@return Condition
function wait.regex(run, pattern, options) end

---Comes true when a row of the run's terminal matches an RE2 pattern. Raises for a run without a
---terminal.
---
---Example: `wait { any = { wait.screen(editor, '-- INSERT --') }, timeout_ms = 5000 }`
---@since 0.1.0
---@param run Run|string
---@param pattern string matches anywhere in a row
---@param options? { absent?: boolean } absent: waits until no row matches
---@return Condition
function wait.screen(run, pattern, options) end

---Comes true when an HTTP GET is answered with a status; with a run, by a process of the run, as
---for wait.port. With a run whose ports are mapped, a URL of this machine (127.0.0.1, localhost,
---[::1]) names the run's own port, and the request goes to the port mapped to it.
---
---Example: `wait { wait.http('http://127.0.0.1:3000/health', { run = server }) }`
---@since 0.1.0
---@param url string http://host[:port]/path or https://; the certificate of a loopback address, or
---of a mapped port, need not be trusted, others must be
---@param options? { status?: integer, run?: Run|string } status default: any from 200 to 399
---@return Condition
function wait.http(url, options) end

---Comes true when the run has written nothing for some time; fails when nothing of the run lives.
---
---Example:
---```lua
---local build = run.start { command = 'echo working; sleep 60' }
---wait { wait.quiet(build, 100) }
---```
---@since 0.1.0
---@param run Run|string
---@param ms number milliseconds, 1 or more
---@return Condition
function wait.quiet(run, ms) end

---Comes true when a process of the run is blocked reading its stdin or terminal, and the run has
---written nothing for 100 ms: it waits for an answer, and for nothing else. `line` of the answer is
---the prompt. A program that also watches sockets or timers cannot be recognised. Fails when the
---run ends.
---
---Example:
---```lua
---local asking = run.start { command = 'printf "name? "; read name; echo $name', pty = true }
---local answer = wait { any = { wait.input(asking) }, timeout_ms = 10000 }
---assert(answer.ok and answer.fired[1].line == 'name?')
---```
---@since 0.1.0
---@param run Run|string
---@return Condition
function wait.input(run) end

---Comes true when a path exists, or when it no longer does.
---
---Example:
---```lua
---local file = '/tmp/gibbous-example-' .. time.now_ms()
---run.start { argv = { 'touch', file } }
---wait { wait.file(file) }
---run.start { argv = { 'rm', file } }
---wait { wait.file(file, { absent = true }) }
---```
---@since 0.1.0
---@param path string absolute
---@param options? { absent?: boolean, run?: Run|string } absent: waits until the path is gone
---@return Condition
function wait.file(path, options) end

---Comes true when all files of `log` (run.start) are open, or one cannot be written: then
---run:info().log says why. With `written`, when the run has ended and they have all its output.
---
---Example:
---```lua
---local build = run.start { command = 'echo built', log = { path = 'build.log' } }
---wait { all = { wait.exit(build), wait.log(build, { written = true }) } }
---assert(build:info().log[1].bytes == 6)
---```
---@since 0.1.0
---@param run Run|string
---@param options? { written?: boolean }
---@return Condition
function wait.log(run, options) end

---Comes true after some time.
---
---Example:
---```lua
---local build = run.start { command = 'sleep 60' }
---local answer = wait { any = { wait.exit(build), wait.timer(50) } }
---assert(answer.fired[1].kind == 'timer')
---```
---@since 0.1.0
---@param ms number milliseconds, 0 or more
---@return Condition
function wait.timer(ms) end
