---@meta
-- The table `tool`: defines tools; a running tool reports through it.

---The row of the mode's permission matrix that a tool belongs to: `read` for tools that only look,
---`write` for tools that change files or state, `execute` for tools that start, feed or end
---programs.
---@alias Permission 'read'|'write'|'execute'

---Hints that clients may show to people. The defaults follow from the permission.
---@class ToolAnnotations
---@field read_only? boolean changes nothing; default: permission is `read`
---@field destructive? boolean may undo or delete something; default: permission is not `read`
---@field idempotent? boolean calling again changes nothing more; default: permission is `read`
---@field open_world? boolean interacts with the outside world; default: permission is `execute`

---@class ToolContext
---@field call integer id of the call
---@field session string the caller's session; '' for callers that name none
---@field mode string permission mode
---@field workspace string absolute path of the directory that runs start in
---@field temp_directory string absolute path; logs of runs may lie there too
---@field settings? table<string, any> of the toolset, from the configuration, with defaults filled
---in; only for a toolset that declares settings

---A tool's result: text for the model, data for programs, and content that is more than text.
---`text` says all that `data` says: over MCP clients get data only from tools with
---`structured = true`, and from servers with --structured. At least one of text, data and content
---is there.
---@class ToolResult
---@field text? string
---@field data? table<string, any> checked against `output` when the tool declares one
---@field content? ContentBlock[] what comes after the text, at most 64; 4 MiB in all, binary data
---counted as base64. Hosts that can show nothing but text get "[image: image/png, 1234 bytes]"
---@field is_error? boolean default: false; true: the tool failed, with the code tool_error

---A part of a result, or of a message of a prompt: a text (a string is short for it), an image, a
---sound, a resource with its content, or a link to a resource.
---@alias ContentBlock string|TextBlock|MediaBlock|ResourceBlock|ResourceLinkBlock

---@class ContentAnnotations
---@field audience? ('user'|'assistant')[] whom it is for; default: both
---@field priority? number 0 (may be left out) to 1 (needed)
---@field last_modified? string a time such as 2026-01-12T15:00:58Z

---@class TextBlock
---@field type 'text'
---@field text string
---@field annotations? ContentAnnotations

---An image or a sound. One of `data` and `base64` is there; tool.call returns `base64`.
---@class MediaBlock
---@field type 'image'|'audio'
---@field mime_type string image/png
---@field data? string the bytes
---@field base64? string the bytes as base64, with padding and without line breaks
---@field annotations? ContentAnnotations

---A resource with its content: one of `text`, `data` and `base64`.
---@class ResourceBlock
---@field type 'resource'
---@field uri string at most 8 KiB; characters outside of ASCII as %XX
---@field mime_type? string
---@field text? string
---@field data? string the bytes
---@field base64? string the bytes as base64
---@field annotations? ContentAnnotations

---A link to a resource that the client can read.
---@class ResourceLinkBlock
---@field type 'resource_link'
---@field uri string as in ResourceBlock
---@field name string
---@field title? string for people
---@field description? string
---@field mime_type? string
---@field size? integer bytes
---@field annotations? ContentAnnotations

---@class ToolDefinition
---@field name string 1 to 64 letters, digits, _ and -
---@field title? string for people
---@field description string what the model reads; here and in descriptions of arguments, `$SHELL`
---becomes the name of the shell that runs command lines, such as bash
---@field permission Permission
---@field input? Schema of type object; default: the tool takes no arguments
---@field output? Schema of type object, for `data`
---@field annotations? ToolAnnotations
---@field command? string name of the argument that is a shell command line: the policy judges it
---before the call runs, and a person who is asked sees it
---@field typed? string name of the argument that the tool types into a run: it is judged and
---recorded when it is typed, not with the call
---@field words? string name of the argument that lists the words after `command`, which is then one
---program: the policy judges a command without a shell
---@field actions? table<string, Permission> for a tool with an argument `action`: the permission of
---calls whose action differs from `permission`
---@field judged_as? string|table<string, string> a tool that does the same, or such tools by the
---argument `action`: where a mode has no row for this tool, it is judged by the row of that one
---@field structured? boolean default: false; true: over MCP results have `data`, which several
---clients then show to models instead of `text`; it must hold every fact, too
---@field asks? ('form'|'model'|'roots')[] what the tool cannot do without: ask, ask.model or
---ask.roots. A call of an MCP client that supports less ends before it runs: with -32021, or
---cannot_ask
---@field enabled? boolean default: true; false: clients neither see nor call the tool until a
---script says tool.enable
---@field task? number|'never'|'required' after how many ms, 0 to 3600000, a call that goes on may
---be answered with a task, whose end wakes the agent (docs/mcp.md; default: --task-after of the
---server); with 0, a question makes a task of it, too. 'never': its result is always waited for.
---'required': clients without tasks get an error
---@field takes_limits? boolean default: false; true: the tool has args.limits (Limits), to pass on
---to run.start, in modes that say `tool_limits = true`
---@field run fun(args: table<string, any>, ctx: ToolContext): string|ToolResult args are checked,
---and defaults are filled in

---A toolset file returns this.
---@class Toolset
---@field name string 1 to 64 letters, digits, _ and -
---@field description? string
---@field tools? ToolDefinition[]
---@field resources? ResourceDefinition[] what clients can read
---@field prompts? PromptDefinition[] what people choose; one of the three is there
---@field settings? Schema of type object: checks `settings.NAME` of the configuration; an error
---stops the load and names the field

---scripts/init.lua returns this.
---@class Scripts
---@field toolsets Toolset[] loaded by default; when --toolset, or `toolsets` of the configuration,
---names some, only those are loaded
---@field optional? table<string, fun(): Toolset> toolsets by name that are loaded only where they
---are named
---@field watchers? table<string, function>[] tables of handlers: { on_EVENT = function }, of
---matches of watchers, and of questions of the policy: on_ask_opened gets an AskOpened,
---on_ask_answered an AskAnswered

---A question of the policy waits for a person. What looks like a secret is ***.
---@class AskOpened
---@field id string
---@field session string
---@field tool string
---@field effect string call, start, stdin or kill
---@field command string '' when it is about no command
---@field reason string
---@field rule string
---@field rules string[]
---@field workspace string

---A question is over.
---@class AskAnswered
---@field id string
---@field session string
---@field decision string allow, deny, ended (with its call or host) or expired
---@field scope string once, session or always; '' unless it was allowed
---@field who string
---@field reason string

---A run-time error, as the second result of a function.
---@class Err
---@field code string a stable snake_case word
---@field message string a sentence for a person
---@field run? string id of the run concerned

---A function of the API raises this when its options are wrong. Checks that start nothing
---(run.check, wait.check) also return these fields. tostring() and `..` give the message.
---@class WrongUse
---@field message string "FILE:LINE: FUNCTION: FIELD: PROBLEM"
---@field field string such as "ready.any[2].pattern"; "" for the options as a whole
---@field path (string|integer)[] the same, step by step: { 'ready', 'any', 2, 'pattern' }
---@field problem string what is wrong with it: "expected a string, got 3"
---@field expected? string when that is the problem: "a string"
---@field got? string when that is the problem: "3"

---Checks a definition and returns a copy of it; it registers nothing. Raises for unknown fields,
---fields of the wrong type, and invalid names and permissions.
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
---@since 0.1.0
---@overload fun(definition: ToolDefinition): ToolDefinition
tool = {}

---Ends the call with an error that is the tool's answer, not a defect. Never returns.
---
---Example: `tool.error('file_not_found', 'There is no file ' .. args.path)`
---@since 0.1.0
---@param code string small letters, digits and _; at most 64
---@param message string a sentence that says what to do, and all that the model needs
---@param data? table<string, any> data for programs; over MCP in `_meta`
function tool.error(code, message, data) end

---Reports the call's progress to clients that asked for it. While a call waits for longer than a
---second, the runtime reports that by itself, with the last line of the run that it waits for.
---
---Example:
---```lua
---tool.progress(3, 10, 'three of ten files')
---```
---@since 0.1.0
---@param progress number increases with every report
---@param total? number
---@param message? string
function tool.progress(progress, total, message) end

---Says that this call's result reports the state of a run: no event that comes with the result
---repeats it, and no later one does when the run has ended. Matches of watchers still come.
---
---Example: `tool.tells(handle)`
---@since 0.1.0
---@param run string|Run
function tool.tells(run) end

---Says with which arguments this call is made again after the end of the host: for one that goes on
---as an MCP task of a tool with permission 'read', and whose own arguments name something that ends
---with the host, such as a handle in `store`. The last ones count, from the next turn of the loop
---on. In a call that tool.call has made it does nothing. Raises for a list, and for values that
---JSON cannot hold.
---
---Example:
---```lua
---local kept = store.get('search.' .. args.handle)
---tool.repeat_with { pattern = kept.pattern }
---```
---@since 0.2.0
---@param args table<string, any> that fit the tool's input
function tool.repeat_with(args) end

---Lets clients see and call a tool that was disabled, or defined with `enabled = false`. They are
---told that the list has changed. It holds for all clients, until tool.disable or the end of the
---host; a reload that keeps the tool keeps it. Raises outside of a call, and for an unknown tool.
---
---Example: `tool.enable(args.name)`
---@since 0.2.0
---@param name string
function tool.enable(name) end

---Hides a tool: its calls, also by tool.call, end with unknown_tool. Those that run go on.
---Otherwise like tool.enable.
---
---Example: `tool.disable(args.name)`
---@since 0.2.0
---@param name string
function tool.disable(name) end

---Calls another tool in the same session and waits for it. The policy judges it like any call.
---Returns nil, err with the tool's own code, or unknown_tool, invalid_arguments, denied,
---needs_approval, cancelled.
---
---Example:
---```lua
---local result, err = tool.call('bg_start', { command = 'echo hello' })
---if not result then tool.error(err.code, err.message) end
---log.info(result.text)
---```
---@since 0.1.0
---@param name string
---@param args? table<string, any>
---@return ToolResult? result
---@return Err? err
function tool.call(name, args) end
