-- Commands that a running program takes in what is typed into it, by program: the first capture of
-- `pattern` is code for a shell, or in `language`. Patterns look anywhere in a line, because keys
-- that came before leave no trace in it. A line that begins with a command holds no other code.
local function shell(...)
  local list = {}
  for index, pattern in ipairs { ... } do
    list[index] = { pattern = pattern }
  end
  return list
end

-- Begins a line of commands of vi: `:`, then perhaps a range.
local RANGE = [[:[\s:]*[0-9,.$%'<>a-z/?+-]*?\s*]]

local VI = shell(
  RANGE .. [[(?:sil(?:ent?)?!?\s+)?(?:r|re|rea|read|w|wr|wri|writ|write)?]]
    .. [[(?:\s+|\+\+\S+\s+)*!([^\n]*)]],
  [[:[^\n]*\br(?:ead?)?!([^\n]*)]],
  [[:[^\n]*[^A-Za-z\s!]\s*!([^\n]*)]],
  RANGE .. [[(?:ter|term|termi|termin|termina|terminal|te)\b\S*\s+([^\n]*)]],
  [[(?:^|[^!:\w])!(?:!|[GHLMwWbBeE}{)(^$0jk]|[ia][wWspbB(){}])([^\n!][^\n]*)]],
  [[(?:system|systemlist|termopen|jobstart|job_start|term_start)\(\s*["']([^"'\n]*)]]
)
VI[#VI + 1] = {
  language = 'vim',
  pattern = RANGE .. [[((?:py|pyt|pyth|pytho|python|py3|python3|pyx|lua|perl|pe|ruby|rub|tcl|mz]]
    .. [[|exe|exec|execu|execut|execute|cal|call|so|sou|sour|sourc|source|ru|run|runt|runti|runtim]]
    .. [[|runtime|let|mak|make|gr|gre|grep|au|autocmd|map|nmap|imap|nn|nnoremap|norm|normal)\b]]
    .. [[[^\n]*)]],
}

-- `!command`, and `|` with a mark: the rest goes into a command.
local PAGER = shell([[!([^\n]*)]], [[(?:^|[^|\w])\|[A-Za-z^$.]([^\n]*)]])
local BANG = shell([[^\s*!([^\n]*)]])

local MYSQL = shell([[\\!\s*([^\n]*)]], [[^\s*(?:system|\\P|pager)\s+([^\n;]*)]])

return {
  ['vi vim nvim gvim view vimdiff rvim evim ex nex'] = VI,
  ['less more most man info zless zmore lesspipe'] = PAGER,
  ['ed red'] = shell([[^[^!\n]*!([^\n]*)]]),
  ['psql pgcli'] = shell(
    [[\\!\s*([^\n]*)]],
    [[\\(?:g|gx|o|out|w|write|watch)\b[^|\n]*\|\s*([^\n]*)]],
    [[(?i)\bprogram\s+'([^'\n]*)]]),
  ['mysql mariadb mycli'] = MYSQL,
  sqlite3 = shell(
    [[^\s*\.(?:shell|system)\s+([^\n]*)]],
    [[^\s*\.(?:once|output|import|open|read|log|excel)[^|\n]*\|\s*([^\n"']*)]]),
  gdb = {
    { pattern = [[^\s*(?:shell|make|!)\s*([^\n]*)]] },
    { pattern = [[^\s*(?:pipe|\|)[^|\n]*\|\s*([^\n]*)]] },
    { pattern = [[^\s*(?:py|python|python-interactive|pi)\s+([^\n]+)]], language = 'python' },
  },
  lldb = {
    { pattern = [[^\s*(?:platform\s+shell|shell)\s*(?:-h\s+)?(?:--\s+)?([^\n]*)]] },
    { pattern = [[^\s*script\s+([^\n]+)]], language = 'python' },
  },
  ['ipython ipython3'] = shell([[!{1,2}([^\n]*)]], [[^\s*%%?(?:sx|system|bash|sh)\s+([^\n]*)]]),
  ['ftp sftp lftp tftp telnet'] = BANG,
  ['mail mailx mutt neomutt'] = shell([[(?:~|^|:)!([^\n]*)]]),
  ['dc octave gnuplot'] = BANG,
  ['ranger nnn lf'] = shell([[!([^\n]*)]], [[:\s*shell\s+(?:-\w+\s+)?([^\n]*)]]),
}
