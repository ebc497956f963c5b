---@meta
-- The table `json`: values to text and back. A table with keys 1..n is a list; an empty table is an
-- object unless json.array made it.

---@class json
---@field null userdata stands for null, where nil would remove the field
json = {}

---Stands for null.
---
---Example: `json.encode { name = json.null } == '{"name":null}'`
json.null = {}

---Gives the JSON text of a value. Raises for functions, cycles, keys that are no strings, and more
---than 64 levels.
---
---Example: `json.encode({ a = 1 }, { pretty = true })`
---@param value any
---@param options? { pretty?: boolean } pretty: indented; default: false
---@return string
function json.encode(value, options) end

---Gives the value of a JSON text. Returns nil, err with invalid_json; the message has the position.
---
---Example: `local config, err = json.decode(text)`
---@param text string
---@return any value
---@return Err? err
function json.decode(text) end

---Marks a table as a list, so that it stays one when it is empty.
---
---Example: `json.encode { tags = json.array {} } == '{"tags":[]}'`
---@generic T: table
---@param list? T
---@return T
function json.array(list) end

---Marks a table as an object.
---
---Example: `json.encode(json.object { ['1'] = 'one' }) == '{"1":"one"}'`
---@generic T: table
---@param object? T
---@return T
function json.object(object) end
