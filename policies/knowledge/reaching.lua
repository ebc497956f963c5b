-- One pattern: what inline code speaks of that reaches further than the workspace, so that a line
-- with it has no network: other machines, other programs, and code that makes code.
local SPEAKS_OF = {
  -- other machines
  [[socket|urllib|requests|https?|fetch|(?-i:\bNet::)|\bnet\b|smtp|\bftp|curl|wget|/inet]],
  [[\bssh|telnet]],
  [[dns|grpc|rpc|axios|\bgot\b|undici|httpx|boto|paramiko|\bnc\b|netcat|socat|\blwp|mechanize]],
  [[open-uri|file_get_contents|fsockopen|mail|webbrowser|tls\b|dgram|connect|listen]],
  -- other programs
  [[subprocess|system|popen|spawn|exec|child_process|shell|\bpty\b|posix_|proc_open]],
  [[passthru|io\.p]],
  [[\$shell|qx|%x|`|\|\s*"|\|\s*getline|\bdeno\.(?:run|command)|\bbun\.|run_command|terminal]],
  [[\bprogram\b|(?:^|[|:\n])\s*!\s*\w|(?:^|[;0-9$/}])\s*e\s+\S|/[gpi0-9]*e[gpi0-9]*\s*(?:$|[;\n])]],
  -- code that makes code
  [[\beval|\bcompile\s*\(|getattr|globals|locals|__import__|__builtins__|importlib|fromhex]],
  [[unhexlify]],
  [[codecs|marshal|pickle|ctypes|fromcharcode|\batob\b|b64|base64|\bffi\b|dlopen|loadstring]],
  [[instance_]],
  [[constructor|\breflect|\\x[0-9a-f]{2}|\\u\{?00[0-9a-f]{2}|\\[0-7]{3}|=~.*/e\b|\(\?\{]],
  [[\bdo\s+file]],
}

return '(?i)' .. table.concat(SPEAKS_OF, '|')
