-- Places that hold secrets, once for all: the sandbox hides them from runs (sandbox.lua), and the
-- rules deny commands that read or change them (knowledge/paths.lua). In the sandbox files are
-- empty, or what their reader takes for empty, which breaks what needs them: git over ssh, signing,
-- publishing.
local M = {}

local function add(parent, names)
  for name in names:gmatch '[^;%s][^;]*' do
    M[#M + 1] = parent .. name:match '^(.-)%s*$'
  end
end

-- Keys, passwords, shells' and clients' histories, mail, chat, wallets, agents, clouds, registries.
add('~/.', [[ssh;gnupg;netrc;password-store;authinfo;authinfo.gpg;step;putty;vnc;cert;openvpn;
  teleport;tsh;cloudflared;saml2aws;okta;awsvault;doppler;vault_pass.txt;vault-token;
  my.cnf;mylogin.cnf;pgpass;pg_service.conf;dbshell;mongodb;dbt;snowflake;snowsql;odbc.ini;cvspass;
  subversion/auth;smbcredentials;davfs2/secrets;passwd-s3fs;s3cfg;boto;mc/config.json;
  mcli/config.json;rclone.conf;git-credentials;git-credential-cache;cache/git/credential;
  config/git/credentials;
  aws;azure;oci;kube;fly;aliyun;tccli;bluemix;scw;civo.json;ovh.conf;vultr-cli.yaml;databrickscfg;
  terraformrc;terraform.d/credentials.tfrc.json;pulumi/credentials.json;docker/config.json;
  chef;ngrok2;wrangler;railway;supabase;vercel;netlify;twilio-cli;sentryclirc;newrelic;dogrc;jfrog;
  npmrc;yarnrc.yml;pypirc;bundle/config;m2/settings.xml;m2/settings-security.xml;
  gradle/gradle.properties;nuget/NuGet/NuGet.Config;hex/hex.config;cargo/credentials;
  cargo/credentials.toml;gem/credentials;composer/auth.json;ivy2/.credentials;sbt/.credentials;
  gibbous-token;claude.json;claude/.credentials.json;codex/auth.json;gemini/oauth_creds.json;
  continue/config.json;aider.conf.yml;modal.toml;vast_api_key;wakatime.cfg;comet.config;kaggle;
  cache/huggingface/token;cache/huggingface/stored_tokens;ollama/id_ed25519;
  bash_history;zsh_history;psql_history;mysql_history;lesshst;viminfo;Xauthority;ICEauthority;
  msmtprc;mailrc;muttrc;mutt;fetchmailrc;offlineimaprc;mbsyncrc;getmail;thunderbird;mozilla;irssi;
  weechat;purple;electrum;bitcoin;litecoin;dogecoin;ethereum/keystore;foundry/keystores;
  near-credentials;sops;age;borg;keychain;var/app]])
add('~/.config/', [[sops;op;1Password;Bitwarden;Bitwarden CLI;keepassxc;rbw;lpass;enpass;gopass;
  solana;age;borg;restic;step;vault;teleport;cloudflared;tailscale;openvpn3;protonvpn;ProtonVPN;
  freerdp;
  gh;hub;glab-cli;tea;jira;.jira;gcloud;doctl;hcloud;linode-cli;scw;yandex-cloud;exoscale;ovh;oci;
  rclone;netlify;stripe;configstore;.wrangler;vercel;railway;heroku;flyctl;supabase;doppler;snyk;
  ngrok;sentry;twilio-cli;datadog;newrelic;sonarlint;snowflake;databricks;mongodb;MongoDB Compass;
  helm/registry;containers/auth.json;pypoetry/auth.toml;composer/auth.json;
  NuGet;github-copilot;goose;openai;anthropic;io.datasette.llm;fabric;wandb;google-chrome;
  google-chrome-beta;chromium;microsoft-edge;BraveSoftware;vivaldi;opera;Slack;discord;Signal;
  Element;Microsoft;teams-for-linux;Skype;zoomus.conf;Postman;Insomnia;evolution;geary;aerc;neomutt;
  msmtp;isync;Code/User/globalStorage;Cursor/User/globalStorage;Windsurf/User/globalStorage;
  VSCodium/User/globalStorage;remmina;filezilla;Mullvad VPN;NordPass;Proton Pass;Ledger Live;
  Exodus;atomic]])
add('~/.local/share/', [[keyrings;kwalletd;uv/credentials;com.vercel.cli;gem/credentials;
  opencode/auth.json;fish/fish_history;remmina;DBeaverData;TelegramDesktop;evolution;geary;
  TablePlus;io.snowflake;gopass;password-store;monero;calibre/plugins/creds]])
add('~/snap/', 'firefox;chromium')
-- These are of the machine, for runs as root.
add('/etc/', [[shadow;shadow-;gshadow;gshadow-;sudoers;sudoers.d;ssl/private;letsencrypt;
  krb5.keytab;wireguard;openvpn;ipsec.secrets;ppp/chap-secrets;NetworkManager/system-connections;
  kubernetes;
  rancher;ssh/ssh_host_rsa_key;ssh/ssh_host_ecdsa_key;ssh/ssh_host_ed25519_key]])
add('/', 'run/secrets;var/run/secrets')
-- What is not listed is found by its shape: '*' stands for any characters but '/'. Certificates
-- (*.pem) count if a private key is in them.
M.shapes = {
  '~/.*token*', '~/.*credential*', '~/.*secret*', '~/.*pass*', '~/.*history', '~/*.pem', '~/*.key',
  '~/*.kdbx', '~/*.p12', '~/*.pfx',
}
for _, around in ipairs { '~/.*/', '~/.config/*/', '~/.local/share/*/' } do
  for name in ([[*token* *credential* *secret* *passw* auth.json auth.toml auth.y*ml oauth*.json
    hosts.yml *.pem *.key *.kdbx *.keystore]]):gmatch '%S+' do
    M.shapes[#M.shapes + 1] = around .. name
  end
end

-- Settings and public keys beside these: the sandbox shows them.
M.visible = {
  '~/.ssh/config', '~/.ssh/config.d', '~/.ssh/known_hosts*', '~/.ssh/*.pub', '~/.aws/config',
  '~/.config/gh/config.yml', '~/.azure/config', '~/.azure/clouds.config',
  '~/.config/gcloud/active_config', '~/.config/gcloud/configurations',
  '~/.*/*tokeniz*', '~/.config/*/*tokeniz*', '~/.local/share/*/*tokeniz*',
}

-- Settings that hold tokens beside what a build needs: shown without them (views.lua).
M.views = {
  '~/.npmrc', '$WORKSPACE/.npmrc', '~/.m2/settings.xml', '~/.pip/pip.conf',
  '~/.config/pip/pip.conf', '/etc/pip.conf', '~/.aws/config',
}

return M
