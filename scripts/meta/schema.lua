---@meta
-- The table `schema`: makes plain JSON Schema tables. A raw JSON Schema may replace any of them.

---A JSON Schema (2020-12): type, properties, required, additionalProperties, enum, const, minimum,
---maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern (RE2),
---items, prefixItems, minItems, maxItems, uniqueItems, anyOf, oneOf, allOf, not, if, then, else,
---default, and `$ref` to `#/$defs/NAME`. Any other keyword is a load error.
---@alias Schema table<string, any>

---Options of every constructor.
---@class SchemaOptions
---@field title? string
---@field description? string what the model reads
---@field default? any filled in when the field is missing; makes a property optional
---@field examples? any[]
---@field optional? boolean default: false; a property is required unless this or a default is
---given; an argument of a call that is null counts as absent
---@field rare? boolean|'unconfined' default: false; true: an optional property that definitions for
---models leave out unless Gibbous is started with --all-parameters; it is accepted all the same;
---'unconfined': left out only in modes that confine no commands

---@class StringSchemaOptions: SchemaOptions
---@field enum? string[] the only values
---@field pattern? string RE2; matches anywhere in the text
---@field format? string for readers; not checked
---@field min_length? integer characters, 0 or more
---@field max_length? integer characters, 0 or more

---@class NumberSchemaOptions: SchemaOptions
---@field minimum? number
---@field maximum? number
---@field multiple_of? number greater than 0

---@class ArraySchemaOptions: SchemaOptions
---@field min_items? integer 0 or more
---@field max_items? integer 0 or more
---@field unique? boolean no two items are equal

---@class ObjectSchemaOptions: SchemaOptions
---@field additional? boolean|Schema default: false; whether other fields are allowed, or their
---schema

---@class SandboxSchemaOptions: SchemaOptions
---@field profiles? string[] the only profiles; default: any name

---@class schema
schema = {}

---Makes the schema of a string. Raises for unknown options, as all constructors do.
---
---Example:
---```lua
---local stream = schema.string { enum = { 'stdout', 'stderr' }, description = 'Which stream' }
---```
---@since 0.1.0
---@param options? StringSchemaOptions
---@return Schema
function schema.string(options) end

---Makes the schema of a whole number; 5.0 is one.
---
---Example:
---```lua
---local port = schema.integer { minimum = 1, maximum = 65535 }
---```
---@since 0.1.0
---@param options? NumberSchemaOptions
---@return Schema
function schema.integer(options) end

---Makes the schema of a number.
---
---Example:
---```lua
---local timeout = schema.number { minimum = 0, default = 2.5, description = 'Seconds' }
---assert(timeout.type == 'number')
---```
---@since 0.1.0
---@param options? NumberSchemaOptions
---@return Schema
function schema.number(options) end

---Makes the schema of true or false.
---
---Example:
---```lua
---local follow = schema.boolean { default = true, description = 'Wait for more output' }
---assert(follow.default == true)
---```
---@since 0.1.0
---@param options? SchemaOptions
---@return Schema
function schema.boolean(options) end

---Makes the schema of a list.
---
---Example:
---```lua
---local paths = schema.array(schema.string { min_length = 1 }, { max_items = 20, unique = true })
---assert(paths.type == 'array')
---```
---@since 0.1.0
---@param item Schema of every item
---@param options? ArraySchemaOptions
---@return Schema
function schema.array(item, options) end

---Makes the schema of an object. A field that is not declared is an error that names the nearest
---declared one.
---
---Example:
---```lua
---local input = schema.object { id = schema.string {}, label = schema.string { optional = true } }
---```
---@since 0.1.0
---@param properties? table<string, Schema>
---@param options? ObjectSchemaOptions
---@return Schema
function schema.object(properties, options) end

---Makes a schema that accepts every value.
---
---Example:
---```lua
---local output = schema.object {
---  status = schema.integer {},
---  body = schema.any { description = 'Whatever the server answered' },
---}
---```
---@since 0.1.0
---@param options? SchemaOptions
---@return Schema
function schema.any(options) end

---Makes the schema of a value that matches exactly one of several schemas.
---
---Example:
---```lua
---local names = schema.one_of { schema.string {}, schema.array(schema.string {}) }
---```
---@since 0.1.0
---@param schemas Schema[] at least one
---@param options? SchemaOptions
---@return Schema
function schema.one_of(schemas, options) end

---Makes the schema of the limits of a run: memory_bytes, cpu_time_ms, pids and so on, with their
---ranges (docs/limits.md).
---
---Example:
---```lua
---local mode = schema.object { limits = schema.limits { optional = true } }
---```
---@since 0.1.0
---@param options? SchemaOptions
---@return Schema
function schema.limits(options) end

---Makes the schema of the sandbox that a mode, the configuration or a start requests: profile,
---network and min_landlock_abi.
---
---Example:
---```lua
---local mode = schema.object { sandbox = schema.sandbox { optional = true } }
---```
---@since 0.1.0
---@param options? SandboxSchemaOptions
---@return Schema
function schema.sandbox(options) end

---Checks a value. Raises an error that names the owner, the field, what was expected and what came,
---and the nearest known name of an unknown field. Policies have it too.
---
---Example:
---```lua
---local shape = schema.object { host = schema.string {}, port = schema.integer {} }
---schema.check({ host = 'db', port = 5432 }, shape, 'settings')
---local good, err = pcall(schema.check, { host = 'db', prt = 5432 }, shape, 'settings')
---assert(not good and tostring(err):find('did you mean "port"?', 1, true))
---```
---@since 0.1.0
---@param value any
---@param shape Schema
---@param owner string how errors begin
function schema.check(value, shape, owner) end
