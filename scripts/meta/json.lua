---@meta
-- The table `json`: converts values to text and back. A table with keys 1..n is a list; an empty
-- table is an object unless json.array made it.

---@class json
---@field null userdata represents null, where nil would remove the field
json = {}

---Represents null.
---
---Example:
---```lua
---assert(json.encode { name = json.null } == '{"name":null}')
---```
---@since 0.1.0
json.null = {}

---Returns the JSON text of a value. Raises for functions, cycles, keys that are not strings, and
---more than 64 levels.
---
---Example:
---```lua
---assert(json.encode { a = 1 } == '{"a":1}')
---log.info(json.encode({ a = 1 }, { pretty = true }))
---```
---@since 0.1.0
---@param value any
---@param options? { pretty?: boolean } pretty: indented; default: false
---@return string
function json.encode(value, options) end

---Returns the value of a JSON text. Returns nil, err with invalid_json; the message has the
---position.
---
---Example:
---```lua
---local config = json.decode('{"port":8080}')
---assert(config.port == 8080)
---local nothing, err = json.decode('{"port":')
---assert(nothing == nil and err.code == 'invalid_json')
---```
---@since 0.1.0
---@param text string
---@return any value
---@return Err? err
function json.decode(text) end

---Marks a table as a list, so that it stays a list when it is empty.
---
---Example:
---```lua
---assert(json.encode { tags = json.array {} } == '{"tags":[]}')
---```
---@since 0.1.0
---@generic T: table
---@param list? T
---@return T
function json.array(list) end

---Marks a table as an object, so that keys which look like 1..n stay names.
---
---Example:
---```lua
---assert(json.encode(json.object { ['1'] = 'one' }) == '{"1":"one"}')
---```
---@since 0.1.0
---@generic T: table
---@param object? T
---@return T
function json.object(object) end
