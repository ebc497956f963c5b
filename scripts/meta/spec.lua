---@meta
-- The module `spec`, which the files that `gibbous test` runs load with `require 'spec'`.

---@class spec
spec = {}

---An answer of a tool, as a model reads it.
---@class Answer
---@field ok boolean
---@field text string the result, or the error's message
---@field bytes integer of the text
---@field data? table<string, any> for programs
---@field content? ContentBlock[] what comes after the text: images, links and so on
---@field code? string of an error: 'denied', 'needs_approval', 'invalid_arguments', ...

---What `spec.expect` returns. Each method ends the spec when it does not hold.
---@class Expectation
---@field never Expectation the same assertions, negated
---@field to_equal fun(self, wanted: any) tables are compared by what they hold
---@field to_contain fun(self, part: any) a string in a string, or a value in a table
---@field to_match fun(self, pattern: string) a Lua pattern
---@field to_be_nil fun(self)
---@field to_be_truthy fun(self)
---@field to_be_at_most fun(self, most: number)
---@field to_be_at_least fun(self, least: number)
---@field to_succeed fun(self) an answer of spec.call
---@field to_fail fun(self, code?: string) an answer of spec.call
---@field to_raise fun(self, part?: string) a function

---A run without a process.
---@class FakeRun
---@field id fun(self): string of its newest run; raises before the command was started
---@field is_started fun(self): boolean
---@field print fun(self, text: string, stream?: 'stdout'|'stderr') what the program prints
---@field listen fun(self, port: integer, status?: integer) it listens, and answers HTTP (200)
---@field exit fun(self, code?: integer, signal?: integer) how it ends; default: exit code 0
---@field typed fun(self): string what was written to its stdin since the last time

---Groups specs. Groups may be nested.
---
---Example:
---```lua
---spec.describe('deploy', function()
---  spec.it('needs a port', function()
---    spec.expect(spec.call('deploy', { port = 0 })):to_fail('invalid_arguments')
---  end)
---end)
---```
---@since 0.2.0
---@param name string
---@param body fun()
function spec.describe(name, body) end

---A spec: it passes when `body` returns.
---
---Example:
---```lua
---spec.it('lists nothing at first', function()
---  spec.expect(spec.call('bg_status').data.processes):to_equal {}
---end)
---```
---@since 0.2.0
---@param name string
---@param body fun()
function spec.it(name, body) end

---Runs before each spec of the group, the outermost group's first.
---
---Example:
---```lua
---spec.before_each(function() spec.fake 'make serve' end)
---```
---@since 0.2.0
---@param fn fun()
function spec.before_each(fn) end

---Runs after each spec of the group, also when it failed, the innermost group's first.
---
---Example:
---```lua
---spec.after_each(function() spec.call('bg_kill', { id = 'web' }) end)
---```
---@since 0.2.0
---@param fn fun()
function spec.after_each(fn) end

---Returns the assertions about a value.
---
---Example:
---```lua
---spec.expect({ 1, 2 }):to_contain(2)
---spec.expect('ready').never:to_contain('error')
---```
---@since 0.2.0
---@param value any
---@return Expectation
function spec.expect(value) end

---Calls a tool as an agent does, with the verdict of the policy.
---
---Example:
---```lua
---local answer = spec.call('bg_start', { command = 'rm -rf /' })
---spec.expect(answer):to_fail('denied')
---```
---@since 0.2.0
---@param name string
---@param args? table<string, any>
---@return Answer
function spec.call(name, args) end

---Runs of this command, or of a longer line that begins with it, have no process from now on.
---
---Example:
---```lua
---spec.fake('make serve', function(fake)
---  fake:print('serving\n')
---  fake:listen(8080)
---end)
---```
---@since 0.2.0
---@param command string
---@param options? { stubborn?: boolean } stubborn: only SIGKILL ends it, after the grace
---@param body? fun(fake: FakeRun) what it does once it is started, while the spec goes on
---@return FakeRun
function spec.fake(command, options, body) end

---Answers the next question of a tool (`ask`, `ask.model`, `ask.roots`) as the client would. They
---are used in the order in which they come; a question without one gets `cannot_ask`.
---
---Example:
---```lua
---spec.answer { name = 'staging', backup = true }
---spec.expect(spec.call 'drop_database'):to_succeed()
---```
---@since 0.2.0
---@param answer table|string|nil the fields of a form, a model's text, a list of URIs; nil: no
function spec.answer(answer) end

---Makes time stand still for tools, waits and limits, until the spec ends.
---
---Example:
---```lua
---spec.clock.stop()
---```
---@since 0.2.0
function spec.clock.stop() end

---Moves time on; what is due then happens before this returns.
---
---Example:
---```lua
---spec.clock.advance(30000)
---```
---@since 0.2.0
---@param ms number
function spec.clock.advance(ms) end

---Lets everything happen that is due now, such as a start that was just answered.
---
---Example:
---```lua
---local waiting = task.spawn(spec.call, 'wait_for', { port = 8080, timeout = 1000 })
---spec.settle()
---```
---@since 0.2.0
function spec.settle() end

---Returns the events that the next result would bring, oldest first: { event = 'run_ended', ... }.
---
---Example:
---```lua
---spec.expect(#spec.events()):to_equal(0)
---```
---@since 0.2.0
---@return table<string, any>[]
function spec.events() end
