---@meta
-- The table `wait`: waits for conditions; and makes them.

---One thing that can be waited for; a plain table that the functions below make.
---@class Condition
---@field kind 'exit'|'start'|'ready'|'port'|'regex'|'screen'|'http'|'quiet'|'file'|'timer'
---@field run? string|Run required for exit, start, ready, regex, screen and quiet; the others then
---fail when it ends

---@class WaitOptions
---@field any? Condition[] 1 to 64; this or all
---@field all? Condition[] 1 to 64; this or any
---@field timeout_ms? number default: no limit

---@class Fired
---@field kind string
---@field index integer of the condition, from 1
---@field run? string
---@field line? string regex: the line, at most 4 KiB; screen: the row
---@field captures? string[] regex, screen: groups
---@field row? integer screen: of the row that matched, from 1
---@field stream? 'stdout'|'stderr' regex
---@field cursor? integer regex: offset just after the line
---@field status? integer http
---@field url? string http: as it was asked for
---@field mapped_url? string http: what was asked instead, where a mapped port leads to the run
---@field port? integer port
---@field mapped_from? integer port: what the run calls it, where `port` leads to it
---@field pid? integer port: who listens, when that is known
---@field address? string port: what answered
---@field path? string file

---@class WaitAnswer
---@field ok boolean
---@field fired Fired[] in order of firing
---@field elapsed_ms integer
---@field reason? 'timeout'|'impossible' when not ok; impossible: the run ended before
---@field message? string when not ok: which condition, and why
---@field run? string impossible: the run that ended
---@field tail? string when not ok: the last lines of that run

---Waits until any, or all, of some conditions have come true. Output from before the wait counts.
---A wait that cannot come true any more is answered at once. Raises for wrong conditions (a bad
---pattern with its position); returns nil, err with run_not_found.
---
---Example:
---```lua
---local answer = wait {
---  any = { wait.port(3000), wait.regex(server, 'ready in (\\d+) ms'), wait.exit(server) },
---  timeout_ms = 30000,
---}
---if not answer.ok then tool.error(answer.reason, answer.message) end
---```
---@class wait
---@overload fun(options: WaitOptions|Condition[]|Condition): WaitAnswer?, Err?
wait = {}

---The run has ended.
---
---Example: `wait { wait.exit(handle) }`
---@param run Run|string
---@return Condition
function wait.exit(run) end

---The run has started: its command runs, or has run. Cannot come true for one that is killed or
---refused while it is queued.
---
---Example: `wait { wait.start(queued), timeout_ms = 60000 }`
---@param run Run|string
---@return Condition
function wait.start(run) end

---The run is ready: what run.start was given as `ready` has come true or, when it was given none,
---it runs. Cannot come true for a run that has failed; one that is started again is another run.
---
---Example: `wait { wait.ready(server), timeout_ms = 60000 }`
---@param run Run|string
---@return Condition
function wait.ready(run) end

---Somebody listens on a TCP port. With a run whose ports are mapped, a port of this machine is the
---one that the run has: the mapped one is looked at.
---
---Example: `wait { wait.port(8080, { run = server }), timeout_ms = 10000 }`
---@param port integer 1 to 65535
---@param options? { host?: string, run?: Run|string } host: default any address of the loopback,
---IPv4 or IPv6
---@return Condition
function wait.port(port, options) end

---A line of output matches an RE2 pattern.
---
---Example: `wait { wait.regex(server, 'listening on port (\\d+)', { stream = 'stdout' }) }`
---@param run Run|string
---@param pattern string
---@param options? { stream?: 'stdout'|'stderr', since?: integer } since: offset; default: all that
---is kept
---@return Condition
function wait.regex(run, pattern, options) end

---A row of what the run's terminal shows matches an RE2 pattern now. Raises for a run without a
---terminal.
---
---Example: `wait { wait.screen(editor, '-- INSERT --'), timeout_ms = 5000 }`
---@param run Run|string
---@param pattern string found anywhere in a row
---@param options? { absent?: boolean } absent: wait until no row matches
---@return Condition
function wait.screen(run, pattern, options) end

---An HTTP GET is answered with a status. With a run whose ports are mapped, a URL of this machine
---(127.0.0.1, localhost, [::1]) names the port as the run has it: the mapped one is asked.
---
---Example: `wait { wait.http('http://127.0.0.1:3000/health', { status = 200 }) }`
---@param url string http://host[:port]/path
---@param options? { status?: integer, run?: Run|string } status: default any from 200 to 399
---@return Condition
function wait.http(url, options) end

---The run has written nothing for some time.
---
---Example: `wait { wait.quiet(build, 2000) }`
---@param run Run|string
---@param ms number milliseconds, 1 or more
---@return Condition
function wait.quiet(run, ms) end

---A path exists, or does not any more.
---
---Example: `wait { wait.file('/tmp/server.pid') }`
---@param path string absolute
---@param options? { absent?: boolean, run?: Run|string } absent: wait until it is gone
---@return Condition
function wait.file(path, options) end

---Time has passed.
---
---Example: `wait { any = { wait.exit(handle), wait.timer(500) } }`
---@param ms number milliseconds, 0 or more
---@return Condition
function wait.timer(ms) end
