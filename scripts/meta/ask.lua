---@meta
-- The table `ask`: asks the person, or the model, at the client of the running call.

---@class AskOptions
---@field message string what the person reads; at most 8000 characters. Never ask for secrets
---@field form? Schema of type object, made of strings, numbers, integers, booleans, enums and lists
---of strings with an enum; at most 50 fields. Default: no field, just yes or no

---@class ModelOptions
---@field messages PromptAnswer what the model reads
---@field max_tokens integer 1 to 1000000
---@field system? string
---@field temperature? number
---@field stop? string[] texts that end the answer; at most 16

---@class ModelAnswer
---@field text string
---@field content ContentBlock[]
---@field role? string
---@field model? string
---@field stop_reason? string endTurn, maxTokens, stopSequence, ...

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
