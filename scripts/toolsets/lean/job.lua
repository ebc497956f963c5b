-- The tool `job` of `lean`: output, input, waiting, stopping and listing of what `run` started.
local any_run = require 'toolsets.any_run'
local bg_grep = require 'toolsets.bg.grep'
local bg_read = require 'toolsets.bg.read'
local buffering = require 'toolsets.buffering'
local checked = require 'toolsets.checked'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local marks = require 'toolsets.marks'
local memory_run = require 'toolsets.memory_run'
local reading = require 'toolsets.reading'
local required = require 'toolsets.required'
local shaped = require 'toolsets.shaped'
local start_until = require 'toolsets.start_until'
local typing = require 'toolsets.typing'
local until_text = require 'toolsets.lean.until_text'

local MAX_TIMEOUT_MS = 600000
local COMMAND_BYTES = 60
-- Lines that were asked for may take this much of an answer, beside notes and the state.
local OUTPUT_BYTES = shaped.MAX_CHARS - 900
-- The list has only the newest of the runs that have ended.
local MAX_ENDED = 10

-- The argument `from`, as one word, because only notes name it and its definition is sent to no
-- model.
local MAX_OFFSET = 2 ^ 53
local STREAMS = { stdout = true, stderr = true, merged = true }

local FROM = schema.string {
  description = 'output: STREAM:OFFSET to read on from, as a note names it', optional = true,
  rare = true,
}

local actions = {}

local function need(args, name)
  return required(args, name, args.action)
end

-- "running 3.2s", "exit 1 after 2.1s".
local function standing(info)
  local took = time.format_duration(info.runtime_ms)
  if info.state == 'queued' then
    return 'queued: ' .. (info.reason or any_run.place_text(info.id))
  elseif not info.ended_ms then
    return ('%s %s'):format(info.state, took)
  elseif info.state == 'completed' then
    return 'exit 0 after ' .. took
  end
  return ('%s after %s'):format(info.reason or info.state, took)
end

-- Returns the output that was not given yet, without notes as well.
local function unread(handle, reader)
  local bytes = shaped.output_bytes(handle:info(), shaped.MAX_CHARS)
  local part = bg_read.new(handle, 'merged', reader, bytes)
  local text = part.text
  if part.skipped then
    text = ('[%d bytes left out: %s]\n%s'):format(
      part.skipped.to - part.skipped.from,
      reading.lean(handle.id, 'merged', part.skipped.from), text)
  end
  if part.lost then
    text = ('[%d bytes not kept: grep finds them]\n%s'):format(
      part.lost.to - part.lost.from, text)
  end
  local cut = part.skipped or part.lost
  return typing.with_note(text, cut and failure.errors(handle, text) or ''), part.text
end

-- Returns the stream and the offset. Ends the call with invalid_arguments when it is none.
local function place_of(given)
  local stream, digits = given:match '^(%a+):(%d+)$'
  local offset = tonumber(digits)
  if not STREAMS[stream] or offset > MAX_OFFSET then
    tool.error('invalid_arguments', ("args.from: expected 'merged:OFFSET', 'stdout:OFFSET' or "
      .. "'stderr:OFFSET', got '%s'"):format(given))
  end
  return stream, offset
end

-- Returns the output from an offset, without notes as well.
local function from_offset(handle, asked)
  local stream, offset = place_of(asked)
  local part = bg_read.from(handle, stream, offset, OUTPUT_BYTES)
  local lost = part.lost and ('[%d bytes not kept: grep finds them]\n'):format(
    part.lost.to - part.lost.from) or ''
  local more = part.more and ('[more: %s]'):format(reading.lean(handle.id, stream, part.to)) or ''
  return typing.with_note(lost .. part.text, more), part.text
end

-- Returns the last lines of a run that only the journal knows, without notes as well.
local function recorded(record)
  local texts = { merged = '' }
  local cut = any_run.add_recorded_tails(texts, record, bg_read.DEFAULT_LINES)
  cut = shaped.clip(texts) > 0 or cut
  local note = cut and ('[earlier lines: %s]\n'):format(reading.lean(record.id)) or ''
  return note .. texts.merged, texts.merged
end

-- Returns the lines that match; of both streams apart where the journal cannot be asked.
local function found_text(found)
  local lines, left = {}, 0
  for _, stream in ipairs { 'merged', 'stdout', 'stderr' } do
    local of = found[stream]
    if of then
      local name = stream == 'stderr' and of.text ~= '' and 'stderr:\n' or ''
      lines[#lines + 1] = name .. of.text
      left = left + of.matches - of.shown
    end
  end
  return table.concat(lines) .. (left > 0 and ('[%d more matches]\n'):format(left) or '')
end

function actions.output(args, ctx)
  if args.from and args.grep then
    tool.error('invalid_arguments', 'args.grep: searches all output; leave out from')
  end
  local handle, record = any_run.find(need(args, 'id'))
  local info = handle and handle:info() or any_run.info_of(record)
  local text, bare
  if args.grep then
    local search = { grep = args.grep, context = args.context, stream = 'merged' }
    local _, found, caveats = bg_grep.answer(handle, info.id, search, OUTPUT_BYTES)
    text = found_text(found)
    bare, text = text, text .. caveats
  elseif args.from and not handle then
    tool.error('invalid_arguments', 'args.from: only the journal knows it any more; use grep')
  elseif args.from then
    text, bare = from_offset(handle, args.from)
  elseif handle and info.pty and handle:screen() and handle:screen().alternate then
    text = table.concat(handle:screen().lines, '\n'):gsub('\n+$', '\n')
  elseif handle then
    text, bare = unread(handle, marks.reader(ctx.session))
  else
    text, bare = recorded(record)
  end
  local why, hint = '', nil
  if info.ended_ms then
    tool.tells(info.id)
  end
  -- What is read once more, or searched, has been told why it failed.
  if not (args.from or args.grep) and text ~= '' then
    why = failure.beyond(text, info, reading.lean)
      .. (info.ended_ms and handle and format.sandbox_note(handle) or '')
  elseif not (args.from or args.grep) and handle then
    hint = buffering.hint(handle)
  end
  return {
    text = typing.with_note(text, ('[%s]%s'):format(standing(info), format.below(hint or why))),
    data = {
      id = info.id, state = info.state, output = bare or text, exit_code = info.exit_code,
      hint = hint,
      error_excerpt = failure.field(why),
    },
  }
end

function actions.keys(args)
  local text, note, data = typing.type(need(args, 'id'), need(args, 'keys'), reading.lean)
  return {
    text = typing.with_note(text, note),
    data = {
      id = data.id, state = data.state, output = text, exit_code = data.exit_code,
      waiting_for_input = data.waiting_for_input, error_excerpt = data.error_excerpt,
    },
  }
end

function actions.wait(args, ctx)
  local asked = until_text.read(args['until'] or 'exit', args.timeout, ctx.session)
  local handle, record = any_run.find(need(args, 'id'))
  local text, outcome
  if handle then
    text, outcome = start_until.wait_more(handle, asked, args.since)
  elseif record.state == 'queued' then
    text, outcome = start_until.wait_queued(record.id, asked)
  else
    local info = any_run.info_of(record)
    local output = failure.of(info, reading.lean)
    text = ('%s: %s%s'):format(record.id, standing(info), format.below(output))
    outcome = {
      outcome = asked.exit and 'ready' or 'failed', state = info.state, reason = info.reason,
      exit_code = info.exit_code, elapsed_ms = 0, output = failure.field(output),
    }
  end
  local id = handle and handle.id or record.id
  return { text = text, data = { id = id, state = outcome.state, ['until'] = outcome } }
end

-- Stops one run; returns how many processes ended and those that could not be ended.
local function stop(handle)
  local report = checked(memory_run.newest(handle):kill())
  tool.tells(handle.id)
  return report
end

local function processes(count)
  return count == 1 and '1 process' or ('%d processes'):format(count)
end

-- Stops every run of the session that has processes, after those that wait for their turn.
local function stop_all()
  local kills, ids, dead, survivors, unseen = {}, {}, 0, {}, false
  for _, record in ipairs(any_run.queued()) do
    if journal.kill(record.id) then
      ids[#ids + 1] = record.id
    end
  end
  for _, info in ipairs(run.list { brief = true }) do
    if info.background and (not info.ended_ms or info.left_behind > 0) and not info.next then
      ids[#ids + 1] = info.id
      kills[#kills + 1] = function()
        return stop(run.get(info.id))
      end
    end
  end
  for _, report in ipairs(task.all(kills)) do
    dead = dead + report.dead
    unseen = unseen or report.unseen
    for _, pid in ipairs(report.survivors) do
      survivors[#survivors + 1] = pid
    end
  end
  return ids, dead, survivors, unseen
end

function actions.stop(args)
  local ids, dead, survivors, unseen
  if args.id then
    local handle, record = any_run.find(args.id)
    if not handle then
      local how = checked(journal.kill(record.id))
      return { text = ('%s: %s'):format(record.id, how), data = { stopped = { record.id } } }
    end
    local report = stop(handle)
    ids, dead, survivors, unseen = { handle.id }, report.dead, report.survivors, report.unseen
  else
    ids, dead, survivors, unseen = stop_all()
  end
  local left = unseen and 'what left its process group may live on (no /proc)' or 'nothing left'
  local text = ('stopped %s, %s; %s'):format(table.concat(ids, ' '), processes(dead), left)
  if dead == 0 and args.id then
    text = ids[1] .. ' had ended'
  elseif #ids == 0 then
    text = 'nothing runs'
  end
  if #survivors > 0 then
    text = ('stopped %s; these live on: %s'):format(
      table.concat(ids, ' '), table.concat(survivors, ', '))
  end
  return { text = text, data = { stopped = json.array(ids), dead = dead,
    survivors = json.array(survivors) } }
end

-- The line of one run in a list.
local function list_line(info, usage)
  local ports = {}
  for index, port in ipairs(usage and usage.ports or {}) do
    ports[index] = ('port %d'):format(port.host or port.port)
  end
  local parts = { info.id, standing(info) }
  parts[#parts + 1] = info.profile ~= 'build' and info.profile or nil -- most run there
  parts[#parts + 1] = #ports > 0 and table.concat(ports, ', ') or nil
  parts[#parts + 1] = usage and usage.waiting_for_input and 'waits for input' or nil
  parts[#parts + 1] = info.readiness == 'pending' and 'not ready' or nil
  parts[#parts + 1] = info.left_behind > 0 and ('%d left behind'):format(info.left_behind) or nil
  parts[#parts + 1] = info.label or format.cut(format.one_line(info.command), COMMAND_BYTES)
  return table.concat(parts, '  ')
end

function actions.list(_, ctx)
  local newest, infos, ended = {}, {}, 0
  local all = any_run.infos(ctx.session)
  for index = #all, 1, -1 do
    local over = all[index].ended_ms and all[index].left_behind == 0
    ended = ended + (over and 1 or 0)
    if not over or ended <= MAX_ENDED then
      newest[#newest + 1] = all[index]
    end
  end
  for index = #newest, 1, -1 do
    infos[#infos + 1] = newest[index]
  end
  any_run.tell(infos)
  local usages, data = format.usages(infos), json.array {}
  local function line_of(index)
    return list_line(infos[index], usages[index])
  end
  local text = #infos > 0 and shaped.list(line_of, infos, 'output') or 'nothing was started'
  if ended > MAX_ENDED then
    text = ('[%d older ones that ended are left out: output tells of one]\n%s'):format(
      ended - MAX_ENDED, text)
  end
  for index, info in ipairs(infos) do
    data[index] = format.status_into_data(info, usages[index])
  end
  return { text = text, data = { processes = data } }
end

return tool {
  name = 'job',
  title = 'Job',
  description = 'Of what run started. output: what is new. stop without id: all.',
  permission = 'execute',
  actions = { output = 'read', wait = 'read', list = 'read' },
  judged_as = {
    output = 'bg_output', wait = 'wait_for', list = 'bg_status',
    keys = 'bg_input', stop = 'bg_kill',
  },
  annotations = { destructive = true, idempotent = false, open_world = true },
  typed = 'keys',
  input = schema.object {
    action = schema.string { enum = { 'output', 'keys', 'wait', 'stop', 'list' } },
    id = schema.string { description = 'or label', optional = true },
    grep = schema.string { description = 'RE2, in all output', optional = true },
    context = schema.integer { minimum = 0, maximum = 20, optional = true, rare = true },
    from = FROM,
    keys = schema.string { description = 'ls<Enter>, <C-c>; < is <lt>', optional = true },
    ['until'] = until_text.schema(),
    timeout = schema.number { minimum = 0, maximum = MAX_TIMEOUT_MS, optional = true },
    since = marks.SCHEMA,
  },
  output = schema.object {
    id = schema.string { optional = true },
    state = schema.string { optional = true },
    output = schema.string { optional = true },
    exit_code = schema.integer { optional = true },
    waiting_for_input = schema.boolean { optional = true },
    hint = buffering.FIELD,
    error_excerpt = failure.FIELD,
    ['until'] = start_until.OUTCOME,
    stopped = schema.array(schema.string {}, { optional = true }),
    dead = schema.integer { optional = true },
    survivors = schema.array(schema.integer {}, { optional = true }),
    processes = schema.array(format.STATUS, { optional = true }),
  },
  run = function(args, ctx)
    return actions[args.action](args, ctx)
  end,
}
