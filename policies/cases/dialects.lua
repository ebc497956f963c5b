-- Lines that shells read differently: each is judged as the shell that runs it reads it.
return {
  {
    name = 'what only dash runs', shell = 'dash',
    deny = {
      "echo $'\\'; rm -rf / #'", 'echo $[1; rm -rf / ]', '[[ a || rm -rf / ]]',
      "cat <<$'E'\n$E\nrm -rf /\nE\n", '((rm -rf /))',
      "false && : $(( ' )); rm -rf / #' ))", "echo \"${v:-'}; \"; rm -rf / #'}\"",
    },
    asked_or_denied = {
      'cd build &> /dev/null && rm -rf *', 'declare d=build; rm -rf "$d"/*',
      'x=/a; x+=b; rm -rf $x',
    },
  },
  {
    name = 'what only dash runs, in a shell of the line',
    deny = {
      "dash -c '[[ a || rm -rf / ]]'", "sh -c '[[ a || rm -rf / ]]'",
      "sh <<'E'\necho $'\\'; rm -rf / #'\nE\n", "echo '((rm -rf /))' | sh",
      "busybox sh -c '((rm -rf /))'", "ssh host '((rm -rf /))'",
    },
    allow = { 'cd build &> /dev/null && rm -rf *', '[[ -d build ]] && ls build' },
  },
  {
    name = 'what only a busybox runs', shell = 'busybox',
    deny = { 'echo $[1; rm -rf / ]', '((rm -rf /))' },
  },
  {
    name = 'what stands before the call of a function goes with it',
    deny = { 'd=/; g() { d=build; }; d=x g; rm -rf $d', "d=/; d=x eval 'd=build'; rm -rf $d" },
    allow = { 'g() { d=build; }; d=x g; ls' },
  },
  {
    name = 'a line for zsh', shell = '/usr/bin/zsh',
    deny = { 'rm -rf /' },
    not_free = { "ls *(e:'id':)", 'ls', 'git status' },
  },
}
