---@meta
-- The table `resource`: defines what clients can read, and says when it has changed.

---@class ResourceContext: ToolContext
---@field uri string that is read

---What a resource holds: a text, or one of these.
---@class ResourceContents
---@field text? string
---@field data? string the bytes of something that is no text
---@field base64? string the same as base64, with padding and without line breaks
---@field mime_type? string default: the resource's
---@field uri? string default: the one that is read; for parts of it

---A string is short for a text. At most 64 contents, and 4 MiB of text and base64 in all.
---@alias ResourceAnswer string|ResourceContents|ResourceContents[]

---A resource, or a template of resources that are made when they are read.
---@class ResourceDefinition
---@field name string 1 to 64 letters, digits, _ and -; no other resource's. The policy judges
---reading as a call of the tool `resource.NAME`
---@field uri? string such as notes://today; any scheme but gibbous. Either this or a template
---@field uri_template? string such as notes://{day}: `{name}` stands for text without / ? #, and
---`{+name}` for any text; at most 8 variables
---@field title? string for people; at most 200 characters
---@field description? string what a model or a person reads; at most 4000 characters
---@field mime_type? string text/markdown
---@field size? integer bytes, if they are known
---@field annotations? ContentAnnotations
---@field permission? Permission default: read
---@field complete? table<string, Completion> of a template: what clients suggest for each variable
---@field read fun(args: table<string, string>, ctx: ResourceContext): ResourceAnswer? args has the
---variables of the template, without %XX. nil: there is no such resource; nil, err is an error

---Checks a definition and returns a copy of it, for `resources` of a toolset. Raises for unknown
---fields, fields of the wrong type, and templates that cannot be read.
---
---Example:
---```lua
---local note = resource {
---  name = 'note',
---  uri_template = 'notes://{day}',
---  description = 'What was noted on a day.',
---  mime_type = 'text/markdown',
---  read = function(args) return store.get(args.day) end,
---}
---return { name = 'notes', resources = { note } }
---```
---@class resource
---@since 0.2.0
---@overload fun(definition: ResourceDefinition): ResourceDefinition
resource = {}

---Says that a resource is another now: clients that subscribed to it are told. For running tools,
---handlers of watchers and the like.
---
---Example:
---```lua
---store.set('2026-01-12', 'Shipped it.')
---resource.updated('notes://2026-01-12')
---```
---@since 0.2.0
---@param uri string at most 8 KiB
function resource.updated(uri) end
