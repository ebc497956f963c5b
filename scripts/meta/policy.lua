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
---@field limits? Limits start: what was asked for
---@field sandbox? SandboxRequest start: what was asked for
---@field configured? { sandbox?: SandboxRequest } start: what the configuration demands at least
---@field run? string stdin, kill: id of the run
---@field text? string stdin: what would be written
---@field signal? string kill

---@class Verdict
---@field decision 'allow'|'ask'|'deny'
---@field reason? string required for ask and deny: a sentence that says what to do instead
---@field rule string an id for logs
---@field limits? Limits start: what the run gets, whatever was asked for; none: what was asked for
---@field sandbox? Sandbox start: what the run gets; none although one was asked for or configured:
---the start is denied
---@field where? function of the rule that decided; its file and line go into the log

---@class SandboxRequest
---@field profile? string of policies/sandbox.lua: 'none', 'workspace', 'readonly'; default: 'none'
---@field network? 'on'|'loopback'|'off' default: 'on'; loopback is the run's own, private one
---@field min_landlock_abi? integer the start fails where the kernel has less

---A whole profile. Paths begin with '/', '~/' or a variable, see policies/sandbox.lua.
---@class Sandbox: SandboxRequest
---@field read? string[] trees that may be read and executed
---@field write? string[] trees that may be read, executed and changed
---@field unreadable? string[] in those, what nobody may read
---@field unwritable? string[] in `write`, what may not be changed, moved or replaced
---@field pinned? string[] in `write`, what may be changed but not moved

---A permission mode, for policies/matrix.lua.
---@class Mode
---@field description? string
---@field permissions table<Permission, 'allow'|'ask'|'deny'> for tools that are not named
---@field tools? table<string, 'allow'|'ask'|'deny'> for named tools
---@field instead? string completes "X is denied in mode M: ..."
---@field limits? Limits what a run gets when it asks for nothing, and at most
---@field sandbox? SandboxRequest the least that every run gets
---@field tool_limits? boolean default: false; true: tools take limits as an argument

---What policies/init.lua returns.
---@class Policy
---@field modes table<string, any> by name; the decision function gives them their meaning
---@field decide fun(effect: Effect): Verdict has 50 ms; whatever goes wrong in it denies
