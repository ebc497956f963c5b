-- The tool `bg_output`: what is new since the last read, the last lines, or the lines that match,
-- within a budget; what is left out is named, with the call that reads it.
local any_run = require 'toolsets.any_run'
local bg_grep = require 'toolsets.bg.grep'
local bg_read = require 'toolsets.bg.read'
local buffering = require 'toolsets.buffering'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local marks = require 'toolsets.marks'
local reading = require 'toolsets.reading'
local shaped = require 'toolsets.shaped'

local MAX_OFFSET = 2 ^ 53
-- The range of `max_chars`, for both streams together.
local MIN_CHARS = 200
local SHOWN = { 'stdout', 'stderr', 'merged' }
local MAX_CHARS = 100000
local GREP_NOTES_BYTES = 150

-- Reads the part of one stream that the arguments ask for.
local function read(handle, stream, reader, args, max_bytes)
  local lines = args.lines and math.floor(args.lines)
  if args.from then
    return bg_read.from(handle, stream, args.from, max_bytes)
  elseif args.since_last_read then
    return bg_read.new(handle, stream, reader, max_bytes, lines)
  end
  return bg_read.last(handle, stream, reader, max_bytes, lines)
end

-- Returns the streams that the arguments name, the one that printed less first.
local function streams_of(handle, args)
  if args.stream ~= 'both' then
    return { args.stream }
  end
  local info = handle:info()
  local less = info.stdout.bytes < info.stderr.bytes and 'stdout' or 'stderr'
  return { less, less == 'stdout' and 'stderr' or 'stdout' }
end

-- Reads them within the budget: of two, each gets half, and what the other leaves.
local function read_all(handle, reader, args)
  local left, excerpt_bytes = shaped.output_bytes(handle:info(), args.max_chars)
  local parts = {}
  local streams = streams_of(handle, args)
  for index, stream in ipairs(streams) do
    local share = math.floor(left / (#streams - index + 1))
    parts[stream] = read(handle, stream, reader, args, math.max(1, share))
    left = left - #parts[stream].text
  end
  return parts, excerpt_bytes
end

-- Answers for a run that is not in memory: queued, or known to the journal alone.
local function recorded_output(record, args)
  if args.from then
    tool.error('invalid_arguments', 'args.from: only the journal knows this process any more; '
      .. 'leave it out')
  end
  local lines = args.lines and math.floor(args.lines) or bg_read.DEFAULT_LINES
  local texts, cut = {}, false
  for _, stream in ipairs(args.stream == 'both' and shaped.STREAMS or { args.stream }) do
    texts[stream] = ''
  end
  if record.state ~= 'queued' then
    cut = any_run.add_recorded_tails(texts, record, lines) and not args.lines
  end
  local left_out = shaped.clip(texts)
  local data = {
    id = record.id, state = record.state, truncated = left_out > 0, skipped = json.array {},
    gaps = json.array {}, more = false,
  }
  local sections = {}
  for _, stream in ipairs(SHOWN) do
    if texts[stream] then
      data[stream] = texts[stream]
      sections[#sections + 1] = format.section(stream, { text = texts[stream] })
    end
  end
  if buffering.ended_silent(any_run.info_of(record)) then
    sections[#sections + 1] = ('[%s]\n'):format(record.reason)
  end
  if record.state == 'queued' then
    sections[#sections + 1] = ('[it is queued: %s]\n'):format(any_run.place_text(record.id))
  end
  if left_out > 0 then
    local note = '[%d bytes before these left out: fewer lines or grep finds them]\n%s'
    sections[#sections + 1] = note:format(left_out, failure.of(record, reading.bg))
  elseif cut then
    sections[#sections + 1] = ('[earlier lines: %s]\n'):format(reading.bg(record.id))
  end
  return { text = table.concat(sections), data = data }
end

-- Answers with the lines that match.
local function matching(handle, record, args)
  local id = handle and handle.id or record.id
  local text, found = bg_grep.answer(handle, id, args, args.max_chars - GREP_NOTES_BYTES)
  local data = {
    id = id, state = handle and handle:info().state or record.state, matches = 0,
    truncated = false, skipped = json.array {}, gaps = json.array {}, more = false,
  }
  for stream, part in pairs(found) do
    data[stream] = part.text
    data.matches = data.matches + part.matches
    data.truncated = data.truncated or part.shown < part.matches
  end
  return { text = text, data = data }
end

local GAP = schema.object {
  stream = schema.string {},
  from = schema.integer { description = 'Offset' },
  to = schema.integer { description = 'Offset' },
}

local function add_gap(list, stream, gap)
  if gap then
    list[#list + 1] = { stream = stream, from = gap.from, to = gap.to }
  end
end

-- Adds why nothing new has come, and whether that has ended the run.
local function add_silence(handle, data, sections)
  local info = handle:info()
  local is_over = buffering.ended_silent(info)
  if is_over then
    sections[#sections + 1] = ('[%s]\n'):format(info.reason)
  end
  if is_over or (data.stdout or '') .. (data.stderr or '') .. (data.merged or '') == '' then
    data.hint = buffering.hint(handle)
    sections[#sections + 1] = data.hint and data.hint .. '\n'
  end
end

return tool {
  name = 'bg_output',
  title = 'Output of a background process',
  description = 'Get stdout/stderr from a background process. '
    .. 'Defaults to new output since last read.',
  permission = 'read',
  annotations = { idempotent = false },
  input = schema.object {
    id = schema.string { description = 'Process ID from bg_start' },
    lines = schema.number {
      description = 'Number of lines to return from the end (default: 50)',
      minimum = 0,
      maximum = bg_read.MAX_LINES,
      optional = true,
    },
    stream = schema.string {
      enum = { 'stdout', 'stderr', 'both', 'merged' },
      description = 'Which output stream (default: both)',
      default = 'both',
    },
    since_last_read = schema.boolean {
      description = 'Only return output since last bg_output call (default: true)',
      default = true,
    },
    grep = schema.string {
      description = 'RE2: matching lines',
      optional = true,
    },
    context = schema.integer {
      description = 'grep: lines before and after', minimum = 0, maximum = 20, default = 0,
      rare = true,
    },
    max_chars = schema.integer {
      description = 'Of the answer (default: 8000)', minimum = MIN_CHARS, maximum = MAX_CHARS,
      default = shaped.MAX_CHARS, rare = true,
    },
    from = schema.integer {
      description = 'Instead: offset of one stream to read on from, as a note about skipped '
        .. 'output names it',
      minimum = 0,
      maximum = MAX_OFFSET,
      optional = true,
      rare = true,
    },
  },
  output = schema.object {
    id = schema.string {},
    state = schema.string {},
    stdout = schema.string { optional = true },
    stderr = schema.string { optional = true },
    merged = schema.string { optional = true, description = 'Both, as their lines came' },
    truncated = schema.boolean { description = 'Something is missing: skipped, gaps, more' },
    skipped = schema.array(GAP, { description = 'Left out; can be read with from' }),
    gaps = schema.array(GAP, { description = 'Not kept any more' }),
    matches = schema.integer { optional = true, description = 'grep: lines that match' },
    more = schema.boolean { description = 'More is waiting: read again' },
    hint = buffering.FIELD,
    next = schema.integer { optional = true, description = 'from of the next call' },
    refusals = schema.array(schema.object {
      what = schema.string {}, path = schema.string { optional = true },
      profile = schema.string {}, line = schema.string {},
      cache = schema.boolean { optional = true }, never = schema.boolean { optional = true },
      way_out = schema.string { optional = true },
    }, { optional = true, description = 'What its sandbox refused' }),
    thrown_away = schema.string { optional = true },
  },
  run = function(args, ctx)
    if args.from and args.stream == 'both' then
      tool.error('invalid_arguments', "args.stream: expected 'stdout', 'stderr' or 'merged', "
        .. 'which `from` is an offset of')
    elseif args.grep and (args.from or args.lines) then
      tool.error('invalid_arguments', 'args.grep: searches all output; leave out lines and from')
    elseif args.from and args.lines then
      tool.error('invalid_arguments', 'args.lines: counts from the end; leave it out with `from`')
    end
    local handle, record = any_run.find(args.id)
    if args.grep then
      return matching(handle, record, args)
    elseif not handle then
      return recorded_output(record, args)
    end
    local data = {
      id = handle.id, state = handle:info().state, truncated = false, skipped = json.array {},
      gaps = json.array {}, more = false,
    }
    local sections = {}
    local parts, excerpt_bytes = read_all(handle, marks.reader(ctx.session), args)
    for _, stream in ipairs(SHOWN) do
      local part = parts[stream]
      if part then
        data[stream] = part.text
        data.more = data.more or part.more
        data.next = args.from and part.to
        add_gap(data.skipped, stream, part.skipped)
        add_gap(data.gaps, stream, part.lost)
        for _, gap in ipairs(part.gaps or {}) do
          add_gap(data.gaps, stream, gap)
        end
        sections[#sections + 1] = format.section(stream, part)
      end
    end
    if #data.skipped > 0 then
      sections[#sections + 1] = failure.errors(
        handle, table.concat(sections), excerpt_bytes)
    end
    if not args.from then
      add_silence(handle, data, sections)
    end
    data.truncated = data.more or #data.gaps > 0 or #data.skipped > 0
    data.refusals = handle:refusals()
    if #data.refusals > 0 then
      sections[#sections + 1] = format.refusal_note(data.refusals, handle)
        .. format.kept_note(handle)
    elseif handle:info().ended_ms then
      sections[#sections + 1] = format.ended(format.sandbox_note(handle))
    end
    data.refusals = #data.refusals > 0 and data.refusals or nil
    data.thrown_away = (handle:info().sandbox or {}).thrown_away
    return { text = table.concat(sections), data = data }
  end,
}

