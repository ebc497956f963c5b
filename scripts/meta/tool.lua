---@meta
-- The table `tool`: defines tools, and is what a running tool speaks through.

---Which row of the mode's permission matrix a tool belongs to: `read` looks at things, `write`
---changes files or state, `execute` starts, feeds or ends programs.
---@alias Permission 'read'|'write'|'execute'

---What clients may tell a person about a tool. Each has a default that follows from the permission.
---@class ToolAnnotations
---@field read_only? boolean changes nothing; default: permission is `read`
---@field destructive? boolean may undo or delete something; default: permission is not `read`
---@field idempotent? boolean calling again changes nothing more; default: permission is `read`
---@field open_world? boolean reaches things outside; default: permission is `execute`

---@class ToolContext
---@field call integer id of the call
---@field session string whose call it is; '' for callers that name none
---@field mode string permission mode
---@field workspace string absolute path of the directory that runs start in
---@field temp_directory string absolute path; logs of runs may lie there besides
---@field settings? table<string, any> of the toolset, from the configuration; only where it takes
---some, and then with every default filled in

---What a tool gives: text for the model, data for programs. `text` repeats what `data` says.
---@class ToolResult
---@field text string
---@field data? table<string, any> checked against `output` when the tool declares one

---@class ToolDefinition
---@field name string 1 to 64 letters, digits, _ and -
---@field title? string for people
---@field description string what the model reads
---@field permission Permission
---@field input? Schema of type object; none: the tool takes no arguments
---@field output? Schema of type object; what `data` looks like
---@field annotations? ToolAnnotations
---@field command? string name of the argument that is a command line for a shell: the policy judges
---it before the call runs, and a person who is asked sees it
---@field typed? string name of the argument that the tool types into a run: what is typed is judged
---and recorded when it is typed, not with the call
---@field words? string name of the argument that is the list of words for `command`, which is then
---one program and no line: what is judged has no shell
---@field actions? table<string, Permission> of a tool with an argument `action`: the permission of
---a call by its action, where it is not `permission`
---@field takes_limits? boolean default: false; true: args.limits (Limits) where the mode says
---`tool_limits = true`; to be passed on to run.start
---@field run fun(args: table<string, any>, ctx: ToolContext): string|ToolResult args are checked,
---and defaults are filled in

---What a toolset file returns.
---@class Toolset
---@field name string 1 to 64 letters, digits, _ and -
---@field description? string
---@field tools ToolDefinition[]
---@field settings? Schema of type object; what `settings.NAME` of the configuration may say; a
---configuration that says something else stops the load and names the field

---What scripts/init.lua returns.
---@class Scripts
---@field toolsets Toolset[] loaded by default; where --toolset, or `toolsets` of the configuration,
---names some, only those
---@field on_request? table<string, fun(): Toolset> toolsets by name that are read only where they
---are named
---@field watchers? table<string, function>[] tables of handlers: { on_EVENT = function }

---What goes wrong at run time, as the second result of a function.
---@class Err
---@field code string a stable snake_case word
---@field message string a sentence for a person
---@field run? string id of the run that it is about

---Checks a definition and gives a copy of it; nothing is registered. Raises for unknown fields,
---fields of another type, names and permissions that do not exist.
---
---Example:
---```lua
---local greet = tool {
---  name = 'greet',
---  description = 'Says hello.',
---  permission = 'read',
---  input = schema.object { name = schema.string { min_length = 1 } },
---  run = function(args) return 'Hello, ' .. args.name end,
---}
---return { name = 'hello', tools = { greet } }
---```
---@class tool
---@overload fun(definition: ToolDefinition): ToolDefinition
tool = {}

---Ends the call with an error that is the tool's answer, not a defect. Never returns.
---
---Example: `tool.error('file_not_found', 'There is no file ' .. args.path)`
---@param code string small letters, digits and _; at most 64
---@param message string a sentence that says what to do
---@param data? table<string, any> structured data for programs
function tool.error(code, message, data) end

---Reports how far the call is, to clients that asked for it.
---
---Example: `tool.progress(3, 10, 'three of ten files')`
---@param progress number grows with every report
---@param total? number
---@param message? string
function tool.progress(progress, total, message) end

---Calls another tool in the same session and waits for it. The policy is asked as for any call.
---Returns nil, err with the tool's own code, or unknown_tool, invalid_arguments, denied,
---needs_approval, cancelled.
---
---Example: `local result, err = tool.call('bg_start', { command = 'npm test' })`
---@param name string
---@param args? table<string, any>
---@return ToolResult? result
---@return Err? err
function tool.call(name, args) end
