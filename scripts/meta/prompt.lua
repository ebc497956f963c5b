---@meta
-- The table `prompt`: defines what people choose in a client, to begin a conversation with.

---@class PromptArgument
---@field name string 1 to 64 letters, digits, _ and -
---@field title? string for people; at most 200 characters
---@field description? string at most 500 characters
---@field optional? boolean default: false; true: args.NAME may be nil
---@field complete? Completion what clients suggest while a person types it

---What is suggested: words, of which those are shown that begin with what was typed; or a function
---of what was typed and of the other values that are known. Clients get the first 100.
---@alias Completion string[]|CompletionFunction

---@alias CompletionFunction fun(value: string, args: table<string, string>, ctx: ToolContext): any

---A message of the conversation. A string is short for a text of the user.
---@class PromptMessage
---@field role? 'user'|'assistant' default: user
---@field content ContentBlock

---@class PromptMessages
---@field description? string default: the prompt's
---@field messages (string|PromptMessage)[] 1 to 64; 4 MiB of text and base64 in all

---@class PromptDefinition
---@field name string 1 to 64 letters, digits, _ and -; no other prompt's. The policy judges it as a
---call of the tool `prompt.NAME`
---@field title? string for people; at most 200 characters
---@field description? string at most 4000 characters
---@field arguments? PromptArgument[] in the order in which people are asked for them; at most 20
---@field permission? Permission default: read
---@field enabled? boolean default: true; false: clients neither see nor get the prompt until a
---script says prompt.enable
---@field run fun(args: table<string, string>, ctx: ToolContext): PromptAnswer args are strings

---A string is short for a text of the user, and a list for its messages.
---@alias PromptAnswer string|(string|PromptMessage)[]|PromptMessages

---Checks a definition and returns a copy of it, for `prompts` of a toolset. Raises for unknown
---fields and fields of the wrong type.
---
---Example:
---```lua
---local review = prompt {
---  name = 'review',
---  description = 'Reviews what has changed since a commit.',
---  arguments = { { name = 'since', description = 'A commit or a branch' } },
---  run = function(args)
---    local handle, err = run.start { argv = { 'git', 'diff', args.since } }
---    if not handle then tool.error(err.code, err.message) end
---    handle:wait { wait.exit(handle) }
---    return {
---      'Review this change. Name what is wrong, with file and line.',
---      { content = { type = 'resource', uri = 'diff://' .. args.since, mime_type = 'text/x-diff',
---        text = handle:read({ max_bytes = 200000 }).text } },
---    }
---  end,
---}
---return { name = 'reviews', prompts = { review } }
---```
---@class prompt
---@since 0.2.0
---@overload fun(definition: PromptDefinition): PromptDefinition
prompt = {}

---Lets clients see and get a prompt that was disabled, or defined with `enabled = false`; otherwise
---like tool.enable.
---
---Example: `prompt.enable(args.name)`
---@since 0.2.0
---@param name string
function prompt.enable(name) end

---Hides a prompt: clients neither see nor get it; otherwise like tool.disable.
---
---Example: `prompt.disable(args.name)`
---@since 0.2.0
---@param name string
function prompt.disable(name) end
