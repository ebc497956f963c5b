-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'own: denied',
    mode = 'auto dangerous',
    deny = {
      'gibbous asks allow aB3xK9mZ', 'gibbous --state /tmp/s asks allow aB3x --always',
      "sh -c 'gibbous asks deny aB3x'", 'echo y | gibbous asks -w',
      'timeout 5 gibbous asks --watch', 'XDG_STATE_HOME=/tmp/s ./gibbous asks list --json',
      'echo x > ~/.config/gibbous/policies/init.lua',
      "sqlite3 ~/.local/state/gibbous/sessions.db 'drop table runs'",
      'echo x > /etc/gibbous/config.lua', 'mv ~/.config/gibbous /tmp/x',
      'ln -sf x ~/.config/gibbous/config.lua', 'gibbous trust --yes',
      'cd app && gibbous trust . --yes', 'cp evil.lua ~/.config/gibbous/policies/init.lua',
      'sed -i s/deny/allow/ ~/.config/gibbous/x', 'yes | gibbous trust',
      'python3 -m gibbous trust --yes', 'python3 -m gibbous asks allow aB3x',
    },
  },
  {
    name = 'own: asked about',
    ask = {
      'cat ~/.local/state/gibbous/sessions.db', 'cp -r ~/.local/state/gibbous copy',
      'gibbous call bg_start \'{"command":"rm -rf x"}\' --mode dangerous',
      'gibbous --mode dangerous mcp', 'gibbous serve --policies /tmp/p',
      'gibbous call bg_start \'{"command":"x"}\' --mode=dangerous',
      'GIBBOUS_MODE=dangerous gibbous mcp',
      "/usr/local/bin/gibbous --mode=dangerous call shell '{}'",
    },
  },
}
