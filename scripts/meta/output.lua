---@meta
-- What handles read: pieces of output, lines, excerpts and screens.

---Requested bytes that are no longer kept.
---@class Gap
---@field from integer offset
---@field to integer offset

---Offsets in both streams.
---@class Places
---@field stdout? integer default: 0
---@field stderr? integer default: 0

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
---@field bytes integer that were searched
---@field long_lines integer lines of more than 64 KiB, of which the beginning alone was searched

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
