---@meta
-- The table `journal`: what was recorded of runs, also of other processes with the same state
-- directory, and of earlier ones. Only inside a tool call: its functions wait for the disk.

---One recorded thing of a run. `stdout`, `stderr`, `terminal`: payload is output. `event`: payload
---is its name, meta the event. `state`: payload is the state, meta has reason and exit_code.
---`note`: payload says what of the output is not recorded.
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
---@field reason? string why it ended as it did
---@field queued_ms integer Unix time
---@field started_ms? integer Unix time
---@field ended_ms? integer Unix time; no item comes any more
---@field last_seq integer of its newest item
---@field output_bytes integer recorded or not
---@field not_kept_items integer each is named in a note
---@field meta? table label, cwd, argv, tool, mode, pid, signal, limit, sandbox

---@class RecordedItems
---@field run RecordedRun as it was just before the items were read
---@field items RecordedItem[]
---@field next_seq integer the since_seq to go on from
---@field more boolean there are more already

---@class journal
journal = {}

---Gives what was recorded of a run from a cursor on, up to this moment. Returns nil, err with
---run_not_found, no_journal, or journal_* and why it cannot be read.
---
---Example: `local new = journal.items(id, { since_seq = 41 })`
---@param run Run|string
---@param options? { since_seq?: integer, limit?: integer, max_bytes?: integer, clean?: boolean }
---default: 0, 200, 64 KiB, false; clean: what a terminal got without its escape sequences
---@return RecordedItems? recorded
---@return Err? err
function journal.items(run, options) end

---Ends a run that is queued, or that another process executes: its owner is asked, and ends it.
---The policy is asked. Returns nil, err with run_not_found, run_ended, denied, no_journal.
---
---Example: `local how = journal.kill(id)`
---@param run Run|string
---@param options? { signal?: string } default: SIGTERM, then SIGKILL
---@return 'killed'|'asked'? how it was queued and has ended; or its owner knows
---@return Err? err
function journal.kill(run, options) end

---Gives the recorded runs of a session, or of all, newest first. Returns nil, err as above.
---
---Example: `for _, each in ipairs(journal.runs { limit = 10 }) do log.info(each.command) end`
---@param options? { session?: string, limit?: integer } default: all, 50
---@return RecordedRun[]? runs
---@return Err? err
function journal.runs(options) end
