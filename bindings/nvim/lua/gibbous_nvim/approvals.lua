-- Questions of the policy, one after the other: with the vim.ui.select() of the user or, instead of
-- the built-in one, which would stop the editor, in a window. Typed text must not answer a
-- question: it is shown in normal mode only.
-- luacheck: std luajit, globals vim
local chooser = require 'gibbous_nvim.chooser'

local M = {}

local CHOICES = {
  { text = 'Allow once', answer = { allow = true } },
  { text = 'Allow for this session', answer = { allow = true, remember = 'session' } },
  { text = 'Always allow', answer = { allow = true, remember = 'always' } },
  { text = 'Deny', answer = { allow = false, reason = 'The user denied it.' } },
}
local DISMISSED = { allow = false, reason = 'The user dismissed the question.' }

---@class gibbous_nvim.Question
---@field ask table
---@field answer fun(answer: gibbous.AskAnswer)

---@type gibbous_nvim.Question[] the first one is shown, or waits for normal mode
local waiting = {}
local shown ---@type gibbous_nvim.Question?
local close_shown ---@type fun()? closes the window of the plugin's own

-- Returns a text without control characters: what a model wrote may hold any.
local function one_line(text)
  return (text:gsub('%c', ' '))
end

--- Returns the question as a person reads it.
---@param ask table
---@return string
function M.prompt(ask)
  local subject = ask.command ~= '' and ask.command or ask.tool .. ' ' .. vim.json.encode(
    ask.arguments or {})
  return ('Gibbous: %s\n%s\nAllow it? '):format(one_line(ask.reason), one_line(subject))
end

local show_next

-- Puts the choice into force, unless the question was withdrawn meanwhile.
local function choose(question, choice)
  if shown ~= question then
    return vim.notify('Gibbous: the question was withdrawn; nothing was allowed.')
  end
  shown, close_shown = nil, nil
  table.remove(waiting, 1)
  question.answer(choice and choice.answer or DISMISSED)
  vim.schedule(show_next)
end

local function text_of(choice)
  return choice.text
end

local function is_built_in(select)
  return type(select) == 'function'
    and debug.getinfo(select, 'S').source:find('vim/ui', 1, true) ~= nil
end

local function is_normal()
  return vim.api.nvim_get_mode().mode == 'n'
end

-- Has show_next() called as soon as the editor is in normal mode.
local function wait_for_normal()
  vim.notify('Gibbous has a question, once you leave this mode.', vim.log.levels.WARN)
  vim.api.nvim_create_autocmd('ModeChanged', {
    group = vim.api.nvim_create_augroup('gibbous_approvals', {}), pattern = '*:n', once = true,
    callback = function() vim.schedule(show_next) end,
  })
end

-- Shows a question with the vim.ui.select() of the user. One that raises an error dismisses it, so
-- that the others are still asked.
local function select_choice(question, prompt)
  local options = { prompt = prompt, kind = 'gibbous', format_item = text_of }
  local good, trace = xpcall(vim.ui.select, debug.traceback, CHOICES, options, function(choice)
    choose(question, choice)
  end)
  if not good then
    require('gibbous_nvim.host').report('vim.ui.select', trace)
    if shown == question then
      choose(question, nil)
    end
  end
end

function show_next()
  local question = waiting[1]
  if not question or shown then
    return
  elseif not is_normal() then
    return wait_for_normal()
  end
  shown = question
  local prompt = M.prompt(question.ask)
  if is_built_in(vim.ui.select) then
    local texts = vim.tbl_map(text_of, CHOICES)
    close_shown = chooser.open(prompt, texts, function(index)
      choose(question, CHOICES[index])
    end)
    return
  end
  select_choice(question, prompt)
end

--- Shows a question, once those before it are answered.
---@param ask table
---@param answer fun(answer: gibbous.AskAnswer)
function M.ask(ask, answer)
  table.insert(waiting, { ask = ask, answer = answer })
  vim.schedule(show_next)
end

--- Takes back a question whose call has ended. A choice that is made all the same does nothing.
---@param ask table
function M.withdraw(ask)
  for index, question in ipairs(waiting) do
    if question.ask == ask then
      table.remove(waiting, index)
      if shown == question then
        if close_shown then
          close_shown()
        end
        shown, close_shown = nil, nil
        vim.schedule(show_next)
      end
      return
    end
  end
end

return M
