---@meta
-- The table `journal`: what was recorded of runs, including those of earlier processes and of other
-- processes with the same state directory. Works only inside a tool call, because its functions
-- wait for the disk.

---One recorded thing of a run. For `stdout`, `stderr` and `terminal`, the payload is output; a
---`terminal` without one is a change of its size, to the rows and cols of meta; for `event` it is
---the event's name, and meta is the event; for `state` it is the state, and meta has reason and
---exit_code; for `note` it says which output was not recorded.
---@class RecordedItem
---@field seq integer from 1 on, in the order of the run
---@field type 'stdout'|'stderr'|'terminal'|'event'|'state'|'note'
---@field payload string
---@field meta? table
---@field created_ms integer Unix time

---@class RecordedRun
---@field id string
---@field session string
---@field state RunState
---@field command string
---@field exit_code? integer when it exited
---@field reason? string why it ended as it did; while queued, why the last process that took it
---from the queue did not start it
---@field queued_ms integer Unix time
---@field started_ms? integer Unix time
---@field ended_ms? integer Unix time; no item follows
---@field last_seq integer of its newest item
---@field output_bytes integer whether recorded or not
---@field not_kept_items integer a note names each
---@field meta? table label, cwd, argv, tool, mode, pid, signal, limit, sandbox

---@class RecordedItems
---@field run RecordedRun as it was just before the items were read
---@field items RecordedItem[]
---@field next_seq integer pass it as since_seq to continue
---@field more boolean more items are already there
---@field open boolean the run has ended, and items may still follow: its last output, or what the
---handler of an event adds

---@class journal
journal = {}

---Reads what was recorded of a run, from a cursor up to now. Returns nil, err with run_not_found,
---no_journal, or a journal_* code whose message says why the journal cannot be read.
---
---Example:
---```lua
---local build = run.start { command = 'echo compiling; echo linking', detach = true }
---build:wait { wait.exit(build) }
---local recorded = journal.items(build, { clean = true })
---for _, item in ipairs(recorded.items) do
---  log.info(item.type .. ' ' .. item.payload)
---end
---local newer = journal.items(build, { since_seq = recorded.next_seq })
---assert(#newer.items == 0 or newer.items[1].seq > recorded.next_seq)
---```
---@since 0.1.0
---@param run Run|string
---@param options? { since_seq?: integer, limit?: integer, max_bytes?: integer, clean?: boolean }
---default: 0, 200, 64 KiB, false; clean: removes escape sequences from terminal output
---@return RecordedItems? recorded
---@return Err? err
function journal.items(run, options) end

---@class GrepResults
---@field run RecordedRun
---@field stdout? GrepResult
---@field stderr? GrepResult
---@field merged? GrepResult
---@field lost string[] the first three notes on output that was not recorded

---Returns the recorded lines of a run that match a pattern. Returns nil, err with run_not_found,
---no_journal, invalid_arguments for a wrong pattern, or a journal_* code.
---
---Example:
---```lua
---local build = run.start { command = 'echo built; echo warning >&2' }
---wait { wait.exit(build) }
---local found = journal.grep(build, { pattern = 'warn' })
---assert(found.stderr.matches == 1 and found.stderr.text == '1:warning\n')
---```
---@since 0.1.0
---@param run Run|string
---@param options GrepOptions with `stream = 'merged'` the answer has `merged`; otherwise it has
---`stdout` and `stderr`
---@return GrepResults? found
---@return Err? err
function journal.grep(run, options) end

---Returns why a recorded run may have failed, as `Run:error_excerpt` does; for a run that is no
---longer in memory. Returns nil, err with run_not_found, no_journal, or a journal_* code.
---
---Example:
---```lua
---local build = run.start { command = 'echo "error: no space"; exit 1' }
---wait { wait.exit(build) }
---assert(journal.error_excerpt(build.id) == 'error: no space\n')
---```
---@since 0.1.0
---@param run Run|string
---@param options? { max_bytes?: integer } 40 to 8000; default: 600
---@return string? text
---@return Err? err
function journal.error_excerpt(run, options) end

---Says where a run is in the queue of its session. With `wait_ms`, waits at most that long until
---the run has left the queue, because it started or ended. Returns nil, err with run_not_found,
---no_journal, or a journal_* code.
---
---Example:
---```lua
---local first = run.queue { command = 'sleep 60' }
---local second = run.queue { command = 'make test' }
---assert(journal.queue(first.id, { wait_ms = 60000 }).state ~= 'queued')
---local place = journal.queue(second.id)
---assert(place.state == 'queued' and place.before.id == first.id)
---```
---@since 0.1.0
---@param run Run|string
---@param options? { wait_ms?: integer } default 0, at most 600000
---@return { state: RunState, before?: RecordedRun, reason?: string }? place before: the run of its
---session that it waits for; nil when it is next and waits for a place. reason: what it waits
---for and how many come first, why the last process that took it from the queue did not start
---it, or why it ended
---@return Err? err
function journal.queue(run, options) end

---Ends a run that is queued, or that another process executes; that process is asked to end it. The
---policy is asked. Returns nil, err with run_not_found, run_ended, denied, no_journal.
---
---Example:
---```lua
---local first = run.queue { command = 'sleep 60' }
---local second = run.queue { command = 'make test' }
---assert(journal.kill(second.id) == 'killed')  -- it was still queued
---journal.kill(first.id)
---```
---@since 0.1.0
---@param run Run|string
---@param options? { signal?: string } default: SIGTERM, then SIGKILL
---@return 'killed'|'asked'? how killed: it was queued and has ended; asked: its owner was asked
---@return Err? err
function journal.kill(run, options) end

---Lists the recorded runs of the calling session, or of one of its queues, newest first. Returns
---nil, err with no_journal, or a journal_* code.
---
---Example:
---```lua
---for _, recorded in ipairs(journal.runs { limit = 10 }) do
---  log.info(recorded.id .. ' ' .. recorded.state .. ' ' .. recorded.command)
---end
---```
---@since 0.1.0
---@param options? { session?: string, state?: 'queued', limit?: integer } default: the whole
---session, in all states, 50
---@return RecordedRun[]? runs
---@return Err? err
function journal.runs(options) end
