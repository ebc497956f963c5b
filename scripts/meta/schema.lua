---@meta
-- The table `schema`: makes plain JSON Schema tables. A raw JSON Schema may stand anywhere instead.

---A JSON Schema (2020-12): type, properties, required, additionalProperties, enum, const, minimum,
---maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern (RE2),
---items, prefixItems, minItems, maxItems, uniqueItems, anyOf, oneOf, allOf, not, default, and
---`$ref` to `#/$defs/NAME`. Other keywords are a load error.
---@alias Schema table<string, any>

---What every constructor takes.
---@class SchemaOptions
---@field title? string
---@field description? string what the model reads
---@field default? any filled in when the field is missing; makes a property optional
---@field examples? any[]
---@field optional? boolean default: false; a property is required unless this or a default is given

---@class StringSchemaOptions: SchemaOptions
---@field enum? string[] the only values
---@field pattern? string RE2; must match somewhere in the text
---@field format? string for readers only; not checked
---@field min_length? integer characters, 0 or more
---@field max_length? integer characters, 0 or more

---@class NumberSchemaOptions: SchemaOptions
---@field minimum? number
---@field maximum? number
---@field multiple_of? number greater than 0

---@class ArraySchemaOptions: SchemaOptions
---@field min_items? integer 0 or more
---@field max_items? integer 0 or more
---@field unique? boolean no two alike

---@class ObjectSchemaOptions: SchemaOptions
---@field additional? boolean|Schema default: false; what fields that are not named may be

---@class schema
schema = {}

---Makes the schema of a string. Raises for unknown options, as all constructors do.
---
---Example: `schema.string { enum = { 'stdout', 'stderr' }, description = 'Which stream' }`
---@param options? StringSchemaOptions
---@return Schema
function schema.string(options) end

---Makes the schema of a whole number; 5.0 is one.
---
---Example: `schema.integer { minimum = 1, maximum = 65535 }`
---@param options? NumberSchemaOptions
---@return Schema
function schema.integer(options) end

---Makes the schema of a number.
---
---Example: `schema.number { minimum = 0, description = 'Timeout in ms' }`
---@param options? NumberSchemaOptions
---@return Schema
function schema.number(options) end

---Makes the schema of true or false.
---
---Example: `schema.boolean { default = true }`
---@param options? SchemaOptions
---@return Schema
function schema.boolean(options) end

---Makes the schema of a list.
---
---Example: `schema.array(schema.string {}, { max_items = 20 })`
---@param item Schema of every item
---@param options? ArraySchemaOptions
---@return Schema
function schema.array(item, options) end

---Makes the schema of an object. Fields that are not named are refused, with the nearest name.
---
---Example: `schema.object { id = schema.string {}, label = schema.string { optional = true } }`
---@param properties? table<string, Schema>
---@param options? ObjectSchemaOptions
---@return Schema
function schema.object(properties, options) end

---Makes the schema that everything fits.
---
---Example: `schema.any { description = 'Whatever the server answered' }`
---@param options? SchemaOptions
---@return Schema
function schema.any(options) end

---Makes the schema of a value that fits exactly one of several.
---
---Example: `schema.one_of { schema.string {}, schema.array(schema.string {}) }`
---@param schemas Schema[] at least one
---@param options? SchemaOptions
---@return Schema
function schema.one_of(schemas, options) end
