-- Lines that zsh reads as bash does: plain words, quotes, pipes and lists. Everything that zsh
-- alone
-- has is left out: patterns with qualifiers, =program, &!, <file alone, parameters and their flags.
local pattern = require 'knowledge.code.pattern'

local WORD = [=[(?:[\w./:,+%@*?-]|[\w-]=|'[^'\n]*'|"[^"$`\\!\n]*")+]=]
local REDIRECTION = [[(?:(?:[0-9]?>>?|&>) ?]] .. WORD .. [[|[0-9]>&[0-9])]]
-- Built into zsh, and able to do more than their names say.
local SPECIAL = 'zmodload autoload emulate functions aliases commands sched vared zle zcompile '
  .. 'bindkey setopt unsetopt repeat coproc noglob nocorrect print alias fc ztcp zsocket source '
  .. 'eval set typeset declare export local integer float readonly hash disable enable trap zstyle '
  .. 'compdef add zf_rm zf_mv zf_ln zf_chmod sysopen sysread syswrite zselect zpty zprof function '
  .. 'for while until if case select time foreach exec precmd preexec chpwd'
local NAME = [[(?:\.{0,2}/)?]] .. pattern.other_than(SPECIAL) .. [[(?:[./:+-][\w./:+-]*)?]]
local COMMAND = [[(?:[A-Za-z_]\w*=[\w./:,-]* +)*]] .. NAME .. [[(?: +]] .. WORD .. [[| *]]
  .. REDIRECTION .. [[)*]]

return [[\s*]] .. COMMAND .. [[(?:\s*(?:&&|\|\||\||;|\n)\s*]] .. COMMAND .. [[)*\s*;?\s*]]
