---@meta
-- The table `log`: lines for the people who run Gibbous. They go to the host, never to stdout.

---@class log
log = {}

---Writes a line that helps while developing. Raises when message is no string.
---
---Example: `log.debug('reading', { offset = 120 })`
---@param message string at most 16 KiB; the rest is cut
---@param fields? table<string, any> at most 64 KiB as JSON
function log.debug(message, fields) end

---Writes a line about the normal course of things.
---
---Example: `log.info('server is up', { port = 3000 })`
---@param message string
---@param fields? table<string, any>
function log.info(message, fields) end

---Writes a line about something that went wrong and was dealt with.
---
---Example: `log.warn('trying again', { attempt = 2 })`
---@param message string
---@param fields? table<string, any>
function log.warn(message, fields) end

---Writes a line about something that a person has to look at.
---
---Example: `log.error('no space left', { path = '/tmp' })`
---@param message string
---@param fields? table<string, any>
function log.error(message, fields) end
