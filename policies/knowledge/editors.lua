-- Editors: they write the files that they open, and their commands can run programs.
local VIM = {
  values = '-c --cmd -S -s -w -W -u -U -i -T -t -p -o -O --servername --remote-send '
    .. '--remote-expr -r',
  writes = { 'operands', '-w -W' },
  executes = '-S -s -u -U',
  runs = {
    { how = 'code', from = '-c --cmd --remote-send --remote-expr', language = 'vim' },
    -- ! starts a shell command
    { how = 'shell', from = '-c --cmd', strip_prefix = '!' },
    { how = 'shell', from = '-c --cmd', strip_prefix = ':!' },
    { how = 'shell', from = 'operands', strip_prefix = '+!' },
    { how = 'shell', from = 'operands', strip_prefix = '+:!' },
  },
}

return {
  ['vi vim nvim gvim view vimdiff rvim evim vim.*'] = VIM,
  ['ex nex'] = { -- -s is silent here
    values = '-c --cmd -t -w',
    writes = 'operands',
    runs = {
      { how = 'stdin', language = 'vim', skip = 1 },
      { how = 'code', from = '-c --cmd', language = 'vim' },
      { how = 'shell', from = '-c --cmd', strip_prefix = '!' },
    },
  },
  ['emacs emacsclient xemacs'] = {
    single_dash_long = true,
    values = '-f --funcall -l --load --eval --execute -e --script -L -u --user -a '
      .. '--alternate-editor -s --socket-name -eval -execute',
    writes = 'operands',
    executes = '-l --load --script',
    runs = {
      { how = 'code', from = '--eval --execute -eval -execute', language = 'lisp' },
      { how = 'shell', from = '-a --alternate-editor' },
    },
  },
  ['ed red'] = {
    values = '-p --prompt',
    writes = 'first',
    runs = { { how = 'stdin', language = 'ed', skip = 1 } },
  },
  ['sudoedit visudo vipw vigr'] = { privileged = true, values = '-f --file', writes = 'operands' },
}
