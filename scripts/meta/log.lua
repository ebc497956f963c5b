---@meta
-- The table `log`: lines for the people who run Gibbous. They go to the host, never to stdout.

---@class log
log = {}

---Writes a line that helps during development. Raises when message is not a string.
---
---Example:
---```lua
---log.debug('reading the log', { offset = 120 })
---```
---@since 0.1.0
---@param message string at most 16 KiB; the rest is cut
---@param fields? table<string, any> at most 64 KiB as JSON
function log.debug(message, fields) end

---Writes a line about normal operation. Raises when message is not a string.
---
---Example:
---```lua
---log.info('the server is up', { port = 3000 })
---```
---@since 0.1.0
---@param message string at most 16 KiB; the rest is cut
---@param fields? table<string, any> at most 64 KiB as JSON
function log.info(message, fields) end

---Writes a line about a problem that the script has handled. Raises when message is not a string.
---
---Example:
---```lua
---log.warn('the server did not answer, trying again', { attempt = 2 })
---```
---@since 0.1.0
---@param message string at most 16 KiB; the rest is cut
---@param fields? table<string, any> at most 64 KiB as JSON
function log.warn(message, fields) end

---Writes a line about a problem that a person has to look at. Raises when message is not a string.
---
---Example:
---```lua
---log.error('there is no space left', { path = '/tmp' })
---```
---@since 0.1.0
---@param message string at most 16 KiB; the rest is cut
---@param fields? table<string, any> at most 64 KiB as JSON
function log.error(message, fields) end

---Returns a text in which `***` stands for what looks like a secret, as decisions are recorded.
---Raises when text is no string, or longer than 64 KiB.
---
---Example:
---```lua
---log.redact 'curl -u me:hunter2 example.com' -- 'curl -u me:*** example.com'
---```
---@since 0.2.0
---@param text string
---@return string
function log.redact(text) end
