-- Programs of which rules need the name alone, or that they show what they are given. Their words
-- are not taken for commands, and an unknown wrapper shows that it would run them.
return {
  [ [[
    VBoxManage aa-complain aa-disable aa-teardown aclocal add-apt-repository addgroup addr2line
    adduser air alembic aliyun amplify anacron ant apparmor_parser apt-cache apt-file apt-key
    apt-mark ar arch argo argocd arp arptables astro atd atq atrm auditctl auth0 autoconf autoheader
    automake autoreconf ava avrdude az b2 babel bazel bazelisk bc bless blockdev bootctl bore borg
    bq brctl brew bridge btop btrfs buck2 buf buildah c++filt c8 cal cdk cdktf celery cf chage
    changeset cheat checkrestart chfn chkconfig choco chpasswd chronyc chsh chvt cilium circleci
    clear cloudflared colima commitizen compopt conan confluent consul copilot corepack cosign
    coverage cpack cpan cpanm crane crictl cron crond crun csrutil ctest ctr cypress cz dart
    databricks date db-migrate dbmate dc debugfs defaults delgroup deluser deployctl dfu-util diesel
    diskutil dive django-admin dlv dmesg dmsetup doctl doit dokku doxygen dpkg-divert dpkg-query
    dpkg-reconfigure dracut drizzle-kit dscl dumpcap e2label eb ebtables efibootmgr eject eksctl
    emerge envsubst esbuild esptool esptool.py ethtool exo expo expr factor fail2ban-client fastlane
    findmnt firebase firewall-cmd fkill flashrom flask flatpak flutter flux fly flyctl flyway
    forever free frpc fstrim fusermount fusermount3 garden gatsby gcloud getconf getent ginkgo
    git-daemon git-receive-pack git-shell git-upload-pack gn go-task golangci-lint goose gotestsum
    govc govulncheck gpasswd gradle gradlew gradlew.bat graphile-migrate graphql-codegen groupadd
    groupdel groupmod groups grub-install grub-mkconfig grunt gsutil guestmount gulp gunicorn gzexe
    halt hcloud hdiutil hdparm helix heroku hostname hostnamectl howdoi htop http-server hugo husky
    hwclock hx hydra hypercorn ibmcloud id ifconfig ifdown ifup incus init initctl inv invoke iostat
    ip ip6tables ip6tables-restore ipcrm ipcs ipset iptables iptables-restore iptables-save istioctl
    iwconfig jar jasmine jed jekyll jest jf jfrog jira joe json-server juju jupyter jupyter-lab k3d
    k3s kak kaniko karma kill-port killall5 kind knex kopia kops kubectx kubens kustomize last
    lastlog launchctl ldconfig ldd lefthook lein lessc libtoolize limactl linear linkerd linode-cli
    lint-staged liquibase live-server loadkeys locale localectl localtunnel logname lsb_release
    lsblk lscpu lslocks lsmem lsmod lsns lsof lspci lsusb lt luarocks lvcreate lvm lvreduce lvremove
    lvresize lwp-download lxc lxc-attach machinectl manage.py mas masscan mc mcedit meson micro
    migrate mikro-orm mill minikube mix mkdocs mkinitcpio mocha mongocli mpstat multipass mvn mvnw
    n2 nano ne needrestart neonctl netlify netstat networksetup newgrp newusers next nft ng ngrep
    ngrok nikto ninja nix-env nixops nm nmap nmcli node-pg-migrate nomad nosetests nox nproc ntpdate
    numfmt nuxt nvidia-smi nvme nvram nx nyc objdump oci okta okteto openapi-generator openstack
    oras orb packer pacman pants parcel paru passwd pax pbcopy pbpaste pear pecl pfctl pgrep pico
    pidof pkg-config pkgconf planetscale playwright plutil pm2 pmap pmset pod port porter postcss
    poweroff pre-commit printenv prisma protoc ps pscale pstree pulumi pvcreate pvmove pvremove
    pwconv pwdx qemu-system-* raco rails railway rake ranlib rc-service rc-update react-scripts
    readelf rebar3 reboot reboot-required regctl release-it remix render reptyr reset resize2fs
    resolvectl restic revive rfkill rollup route rpm rpmquery rspack rspec rtcwake runc runlevel
    rush s3cmd s4cmd s5cmd s6-svc sam samu sbt scons scoop scutil scw sdparm sea-orm-cli semanage
    semantic-release sentry-cli seq sequelize sequelize-cli serve serverless service setenforce
    setsebool setterm shutdown size skopeo sleep sls smartctl snap snow softwareupdate spack spctl
    sphinx-autobuild sphinx-build sqlmap sqlx ss sshfs staticcheck storybook streamlit stripe stty
    supabase supervisorctl surge sv svelte-kit sw_vers swapoff swapon swc swift swiftc
    system_profiler tailscale tailwindcss talosctl tap task tc tccli tccutil tcpdump telinit thor
    timedatectl tldr tmutil top tput trash-empty tshark tsup tty tune2fs turbo turso twilio typeorm
    ufw umount umzug uname unittest update-alternatives update-grub update-initramfs update-rc.d
    upstash uptime useradd userdel usermod users usleep uvicorn vagrant vault vcpkg velero vercel
    vgcreate vgreduce vgremove virsh virt-install vite vitest vmstat vue vultr-cli w waf wasmer
    webpack wg wg-quick whereis who whoami winget wireshark wl-copy wmctrl wrangler xbps-install
    xclip xcode-select xcodebuild xcrun xdotool xfs_admin xfs_repair xkill xrandr xsel xset yay
    ydotool yes zfs zig zmap zpool zramctl
  ]] ] = {},
  [ [[
    actionlint ansible-lint atom autoflake autopep8 bandit basedpyright biome black buildifier
    checkov clang-format clang-tidy cmake-format code codespell codium commitlint cppcheck cpplint
    cspell csvcut csvformat csvgrep csvjoin csvjson csvlook csvsort csvstack csvstat cursor depcheck
    djlint dprint eslint flake8 gedit gersemi gofmt gofumpt goimports google-java-format gron
    hadolint htmlhint in2csv include-what-you-use isort iwyu javap jshint kate knip ktlint lsar
    luacheck madge markdownlint markdownlint-cli2 mousepad mypy open-url oxlint php-cs-fixer phpstan
    prettier psalm py.test pycodestyle pyflakes pylint pyright pytest pytype pyupgrade rar rome
    rubocop ruff run-clang-tidy rustfmt sass selene semgrep shellcheck shfmt standard stylelint
    stylua subl swiftformat taplo tflint tsc ty typos unar unrar vale vue-tsc vulture xdg-open xo
    yamllint yapf zed
  ]] ] = { reads = 'operands' },
}
