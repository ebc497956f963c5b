-- The command :Gibbous. Nothing is loaded before it is used.
-- luacheck: std luajit, globals vim
if vim.g.loaded_gibbous then
  return
end
vim.g.loaded_gibbous = true

vim.api.nvim_create_user_command('Gibbous', function(options)
  require('gibbous_nvim.command').run(options.args, options.bang)
end, {
  nargs = '+',
  bang = true,
  desc = 'Start, show and end programs that Gibbous runs',
  complete = function(lead, line)
    return require('gibbous_nvim.command').complete(lead, line)
  end,
})
