-- SQL and the commands of sqlite3 and psql: which code touches paths, and which is harmless:
-- queries.
local pattern = require 'knowledge.code.pattern'

local CHANGING = [[writefile edit load_extension readfile into outfile dumpfile load_file
  pg_read_file pg_write_file lo_export lo_import pg_terminate_backend pg_cancel_backend
  pg_reload_conf pg_read_binary_file pg_ls_dir pg_stat_file pg_rotate_logfile setval set_config
  pg_switch_wal
  query_to_xml dblink delete update insert drop copy program
  truncate alter create grant call exec execute replace attach]]
local NAME = [[\b]] .. pattern.other_than(CHANGING, true)
local DOT = [[\.(?:tables|schema|headers|mode|indexes|databases|timer|width|show|help|quit)]]
  .. [[(?: \w+)?]]
local BACKSLASH = [[\\(?:d|dt|dn|du|l|q|conninfo|timing)\+?(?: [\w.]+)?]]
local QUESTION = pattern.one_of 'select explain pragma show describe desc with values'

return {
  calls = {
    {
      access = 'write',
      pattern = [[(?i)(?:outfile|dumpfile|writefile\(|\.output|\.once|\bto)\s*["']?(/[^\s"']+)]],
    },
    {
      access = 'read',
      pattern = [[(?i)(?:load_file\(|readfile\(|\.read|infile)\s*["']?(/[^\s"']+)]],
    },
  },
  harmless = [[(?is)\s*(?:]] .. DOT .. '|' .. BACKSLASH .. '|' .. QUESTION .. [[\b(?:]] .. NAME
    .. [[|\b_\w*|'[^'\\]*'|"[^"]*"|[0-9]+|[\s(),.*=<>!+/%-])*)\s*;?\s*]],
}
