-- awk: which code touches paths, and which is harmless: all without system(), pipes and files that
-- it writes. A > is a comparison in parentheses, before the first brace, and before a number.
local pattern = require 'knowledge.code.pattern'

local NAME = pattern.other_than 'system getline close fflush'
local CALLS = pattern.one_of [[if while for printf print in return switch length substr index
  split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos rand srand
  strftime systime mktime asort asorti delete else]]
local STRING = [["(?:[^"\\]|\\.)*"]]
local REGEX = [[/(?:[^/\\\n]|\\.)+/]]
-- Without quotes, braces, pipes and @.
local PLAIN = [=[[^()"{}|@`]*]=]
local BEFORE = [=[[-+*%<=!,:;?~&^\[({]]=]

return {
  calls = {
    { access = 'write', pattern = [[>{1,2}\s*"([^"]+)"]] },
    { access = 'read', pattern = [[<\s*"([^"]+)"]] },
  },
  harmless = '(?:[^{}"|@`]*>[^{}"|@`]*\\{)?' .. pattern.made_of {
    [[\s]], STRING,
    [[(?:^|[~(,{!&|;}]|\n)\s*]] .. REGEX,
    [[\|\|]],
    [[>=|>\s*[0-9.]+|>{1,2}\s*"/dev/std(?:err|out)"]],
    [[\(]] .. PLAIN .. [[>]] .. PLAIN .. [[\)]],
    CALLS .. [[\s*\(]],
    BEFORE .. [[\s*\(]],
    BEFORE .. [=[|[\]/{}$).\\]]=],
    [[\b]] .. NAME, [[\b_\w*|[0-9.]+|#[^\n]*]],
  },
}
