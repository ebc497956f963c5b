---@meta
-- The table `ask`: asks the person or the model at the client of the running call, or the client
-- itself. What several tasks of a call ask at the same time (task.all) is asked at once.

---@class AskOptions
---@field message string what the person reads; at most 8000 characters. Never ask for secrets
---@field form? Schema of type object, made of strings, numbers, integers, booleans, enums and lists
---of strings with an enum; at most 50 fields. Default: no field, just yes or no
---@field key? string a name for the question that the client sees; 1 to 64 letters, digits, _ and -

---@class ModelOptions
---@field messages PromptAnswer what the model reads
---@field max_tokens integer 1 to 1000000
---@field system? string
---@field temperature? number
---@field stop? string[] texts that end the answer; at most 16
---@field key? string as in AskOptions

---@class ModelAnswer
---@field text string
---@field content ContentBlock[]
---@field role? string
---@field model? string
---@field stop_reason? string endTurn, maxTokens, stopSequence, ...

---@class RootsOptions
---@field key? string as in AskOptions

---A directory, or another place, that the client works in.
---@class Root
---@field uri string
---@field name? string for people
---@field path? string absolute path of a file:// URI. The client's word: check it before you use it

---Shows a form to the person at the client, waits, and returns what they filled in, checked by the
---form. Returns nil, err with declined, dismissed (closed without an answer), invalid_answer, or
---cannot_ask where the client cannot show forms, as hosts other than MCP clients.
---
---Example:
---```lua
---local answer, err = ask {
---  message = 'Which database shall be dropped?',
---  form = schema.object { name = schema.string { enum = { 'test', 'staging' } } },
---}
---log.info(answer and 'dropping ' .. answer.name or 'nothing is dropped: ' .. err.message)
---```
---@class ask
---@since 0.2.0
---@overload fun(options: AskOptions): table<string, any>?
ask = {}

---Asks the client's model (sampling) and waits for its answer. Returns nil, err with cannot_ask
---where the client does not support it, and most do not; or invalid_answer.
---
---Example:
---```lua
---local answer, err = ask.model { messages = 'Name this change: ...', max_tokens = 50 }
---log.info(answer and answer.text or err.message)
---```
---@since 0.2.0
---@param options ModelOptions
---@return ModelAnswer? answer
---@return Err? err
function ask.model(options) end

---Asks the client which directories it works in (roots) and waits for its answer. Returns nil, err
---with cannot_ask where the client does not support it; or invalid_answer.
---
---Example:
---```lua
---local roots, err = ask.roots()
---log.info(roots and #roots .. ' directories' or err.message)
---```
---@since 0.2.0
---@param options? RootsOptions
---@return Root[]? roots at most 1000
---@return Err? err
function ask.roots(options) end
