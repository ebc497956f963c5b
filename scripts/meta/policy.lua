---@meta
-- What a policy is asked, and what it answers. A policy sees string, table, math, bit, json, log
-- and require, and no other table of these files.

---Something that wants to happen. `call` is a tool call; the others are what a running call does.
---@class Effect
---@field kind 'call'|'start'|'stdin'|'kill'
---@field tool string
---@field permission Permission of the tool
---@field mode string
---@field session string
---@field workspace string absolute path
---@field args? table<string, any> call: the arguments
---@field argv? string[] start: a program and its words
---@field command? string start: a line for the shell; stdin, kill: the command of the run
---@field cwd? string start: '' is the workspace
---@field env? table<string, string> start: what is set on top
---@field run? string stdin, kill: id of the run
---@field text? string stdin: what would be written
---@field signal? string kill

---@class Verdict
---@field decision 'allow'|'ask'|'deny'
---@field reason? string required for ask and deny: a sentence that says what to do instead
---@field rule string an id for logs
---@field where? function of the rule that decided; its file and line go into the log

---A permission mode, for policies/matrix.lua.
---@class Mode
---@field description? string
---@field permissions table<Permission, 'allow'|'ask'|'deny'> for tools that are not named
---@field tools? table<string, 'allow'|'ask'|'deny'> for named tools
---@field instead? string completes "X is denied in mode M: ..."

---What policies/init.lua returns.
---@class Policy
---@field modes table<string, any> by name; the decision function gives them their meaning
---@field decide fun(effect: Effect): Verdict has 50 ms; whatever goes wrong in it denies
