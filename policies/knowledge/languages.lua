-- Code in other languages within a command line. Patterns find calls that touch paths. Code that is
-- `harmless` as a whole needs no approval; all other code raises the doubt inline_code.
local pattern = require 'knowledge.code.pattern'

local NUMBERS = '[0-9+*/ .-]+'

-- A call whose first argument is a path.
local QUOTED = [=[\s*\(?\s*\[?\s*["']([^"']+)["']]=]

return {
  python = require 'knowledge.code.python',
  javascript = require 'knowledge.code.javascript',
  perl = require 'knowledge.code.perl',
  awk = require 'knowledge.code.awk',
  sed = require 'knowledge.code.sed',
  sql = require 'knowledge.code.sql',
  ruby = {
    calls = {
      {
        access = 'remove', recursive = true,
        pattern = '(?:rm_rf|rm_r|remove_dir|remove_entry)' .. QUOTED,
      },
      {
        access = 'remove',
        pattern = [[(?:File\.(?:delete|unlink)|rmdir|Dir\.delete|FileUtils\.rm)]] .. QUOTED,
      },
      {
        access = 'write',
        pattern = [[(?:File\.(?:write|binwrite)|IO\.write|touch|mkdir_p)]] .. QUOTED,
      },
      { access = 'write', pattern = [[File\.open]] .. QUOTED .. [=[\s*,\s*["'][wa]]=] },
      { access = 'read', pattern = [[(?:File|IO)\.(?:read|readlines|open|foreach)]] .. QUOTED },
      { access = 'permission', pattern = [=[(?:chmod|chown)[^;]*["'](/[^"']+)["']]=] },
    },
    harmless = [[\s*(?:(?:puts|p|print) (?:RUBY_[A-Z]+|Gem::VERSION|]] .. NUMBERS
      .. [[)|(?:File|IO)\.write\(\s*]] .. pattern.FILE .. [[\s*,\s*(?:'[^'\\]*'|]]
      .. [["[^"\\#]*")\s*\))\s*]],
  },
  php = {
    calls = {
      { access = 'remove', pattern = '(?:unlink|rmdir|rename)' .. QUOTED },
      { access = 'write', pattern = 'file_put_contents' .. QUOTED },
      { access = 'write', pattern = 'fopen' .. QUOTED .. [=[\s*,\s*["'][waxc]]=] },
      { access = 'read', pattern = '(?:file_get_contents|readfile|file|fopen)' .. QUOTED },
      { access = 'permission', pattern = '(?:chmod|chown|chgrp)' .. QUOTED },
    },
    harmless = [[\s*(?:(?:echo|print) )?(?:PHP_[A-Z_]+|phpversion\(\)|phpinfo\(\)|]] .. NUMBERS
      .. [[|[.,; ])*\s*]],
  },
  lua = {
    calls = {
      { access = 'remove', pattern = [[os\.(?:remove|rename)]] .. QUOTED },
      { access = 'write', pattern = [[io\.(?:open|output)]] .. QUOTED .. [=[\s*,\s*["'][wa]]=] },
      { access = 'read', pattern = [[io\.(?:open|lines|input)]] .. QUOTED },
    },
    harmless = [[\s*print\((?:_VERSION|jit\.version|package\.c?path|]] .. NUMBERS .. [[)\)\s*]],
  },
  vim = {
    calls = { { access = 'write', pattern = [[(?:^|\|)\s*:?w(?:rite)?!?\s+(\S+)]] } },
    harmless = [[:?(?:(?:q|qa|wq|wqa|x|xa|w|wa|qall|wqall)!?|set? [a-z]+(?:=[a-z0-9]+)?|[0-9]+]]
      .. [[|syntax (?:on|off)|%?s/[^/|\\]*/[^/|\\]*/[gec]*)]],
  },
  gdb = {
    harmless = [[\s*(?:bt|backtrace|bt full|run|r|start|continue|c|next|step|finish|quit|q]]
      .. [[|where|up|down|list|l|info [a-z ]+|thread apply all bt(?: full)?|frame [0-9]+]]
      .. [[|set (?:pagination|confirm|width|print [a-z-]+) ?[a-z0-9]*]]
      .. [[|(?:print|p|break|b) [A-Za-z0-9_.:>*-]+)\s*]],
  },
  r = {
    harmless = [[\s*(?:(?:print|cat)\()?(?:sessionInfo\(\)|R\.version\.string|]] .. NUMBERS
      .. [[)\)?\s*]],
  },
  julia = { harmless = [[\s*(?:println|print)\((?:VERSION|]] .. NUMBERS .. [[)\)\s*]] },
  powershell = {
    harmless = [[\s*(?:\$PSVersionTable(?:\.PSVersion)?]]
      .. [[|Get-(?:Location|ChildItem|Date|Process))\s*]],
  },
  make = {}, tcl = {}, lisp = {}, haskell = {}, ocaml = {}, elixir = {}, jvm = {}, applescript = {},
  ed = {}, redis = {}, gnuplot = {},
  -- Shells whose grammar is another one. What looks alike may mean something else there.
  fish = {}, nu = {}, xonsh = {}, elvish = {}, csh = {}, rc = {}, other_shell = {}, cmd = {},
  -- zsh reads plain commands as bash does; they are analysed as well.
  -- What only reads a database of MongoDB.
  mongo = {
    harmless = [[\s*(?:show (?:dbs|databases|collections)|db\.(?:[\w-]+\.)?(?:find|findOne|count|]]
      .. [[countDocuments|estimatedDocumentCount|distinct|stats|getIndexes|version|hello|]]
      .. [[getCollectionNames|serverStatus)\([^$();]*\)(?:\.(?:pretty|limit|count|sort|toArray|]]
      .. [[skip)\([^$();]*\))*)\s*;?\s*]],
  },
  zsh = { harmless = require 'knowledge.code.zsh' },
}
