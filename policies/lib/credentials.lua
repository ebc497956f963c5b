-- Places that hold secrets. The sandbox hides these paths from a run (sandbox.lua), and the rules
-- deny commands that read or change them (knowledge/paths.lua). In the sandbox the files and
-- directories are empty, which breaks what needs them: git over ssh, signing, publishing. Maven,
-- composer and docker reject an empty file of theirs as broken (`mvn -s FILE` names another).
return {
  -- keys and passwords
  '~/.ssh', '~/.gnupg', '~/.netrc', '~/.password-store', '~/.pgpass', '~/.my.cnf', '~/.vault-token',
  '~/.config/sops', '~/.config/op', '~/.config/1Password', '~/.config/Bitwarden',
  '~/.config/Bitwarden CLI', '~/.config/keepassxc', '~/.local/share/keyrings',
  '~/.local/share/kwalletd', '~/.Xauthority', '~/.electrum', '~/.ethereum/keystore',
  '~/.foundry/keystores', '~/.config/solana',
  -- source hosts; ~/.gitconfig and the rest of ~/.config/git stay readable
  '~/.git-credentials', '~/.config/git/credentials', '~/.cache/git/credential',
  '~/.git-credential-cache', '~/.config/gh', '~/.config/hub', '~/.config/glab-cli',
  -- clouds
  '~/.aws', '~/.azure', '~/.config/gcloud', '~/.boto', '~/.s3cfg', '~/.oci', '~/.kube', '~/.fly',
  '~/.config/doctl', '~/.config/hcloud', '~/.config/rclone', '~/.config/netlify',
  '~/.config/stripe', '~/.config/configstore/firebase-tools.json', '~/.config/.wrangler',
  '~/.local/share/com.vercel.cli', '~/.databrickscfg', '~/.terraformrc',
  '~/.terraform.d/credentials.tfrc.json', '~/.pulumi/credentials.json',
  '~/.docker/config.json', '~/.config/containers/auth.json', '~/.config/helm/registry',
  -- package registries
  '~/.npmrc', '~/.yarnrc.yml', '~/.pypirc', '~/.config/pypoetry/auth.toml',
  '~/.local/share/uv/credentials', '~/.cargo/credentials', '~/.cargo/credentials.toml',
  '~/.gem/credentials', '~/.local/share/gem/credentials', '~/.bundle/config', '~/.m2/settings.xml',
  '~/.m2/settings-security.xml', '~/.gradle/gradle.properties', '~/.composer/auth.json',
  '~/.config/composer/auth.json', '~/.nuget/NuGet/NuGet.Config',
  -- models and agents
  '~/.gibbous-token',
  '~/.claude/.credentials.json', '~/.claude.json', '~/.codex/auth.json',
  '~/.gemini/oauth_creds.json', '~/.config/github-copilot', '~/.local/share/opencode/auth.json',
  '~/.cache/huggingface/token', '~/.cache/huggingface/stored_tokens', '~/.kaggle',
  -- what people type and read
  '~/.bash_history', '~/.zsh_history', '~/.local/share/fish/fish_history', '~/.psql_history',
  '~/.mysql_history', '~/.mozilla', '~/.thunderbird', '~/.config/google-chrome',
  '~/.config/chromium', '~/.config/microsoft-edge', '~/.config/BraveSoftware', '~/.config/vivaldi',
  '~/.config/Slack', '~/.config/discord', '~/.config/Signal', '~/.config/evolution',
  '~/.config/Code/User/globalStorage', '~/.config/Cursor/User/globalStorage',
  '~/snap/firefox', '~/snap/chromium', '~/.var/app',
  -- of the machine, for runs as root
  '/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers',
  '/etc/sudoers.d', '/etc/ssl/private', '/etc/letsencrypt', '/etc/krb5.keytab', '/etc/wireguard',
  '/etc/NetworkManager/system-connections', '/etc/kubernetes', '/etc/rancher',
  '/etc/ssh/ssh_host_rsa_key', '/etc/ssh/ssh_host_ecdsa_key', '/etc/ssh/ssh_host_ed25519_key',
  '/run/secrets', '/var/run/secrets',
}
