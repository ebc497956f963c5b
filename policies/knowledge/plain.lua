-- Programs of which rules need no more than the name. That they are known keeps their words from
-- being taken for commands, and lets an unknown wrapper show what it would run.
return {
  [ [[
    VBoxManage aa-complain aa-disable aa-teardown aclocal actionlint add-apt-repository addgroup
    addr2line adduser air alembic aliyun amplify anacron ansible-lint ant apparmor_parser apt-cache
    apt-file apt-key apt-mark arch argo argocd arp arptables astro atd atom atq atrm auditctl auth0
    autoconf autoflake autoheader automake autopep8 autoreconf ava avrdude az b2 babel bandit
    basedpyright bazel bazelisk bc biome black bless blockdev bootctl bore borg bq brctl brew bridge
    btop btrfs buck2 buf buildah buildifier c++filt c8 cal cdk cdktf celery cf chage changeset cheat
    checkov checkrestart chfn chkconfig choco chpasswd chronyc chsh chvt cilium circleci
    clang-format clang-tidy clear cloudflared cmake-format code codespell codium colima commitizen
    commitlint compopt conan confluent consul copilot corepack cosign coverage cpack cpan cpanm
    cppcheck cpplint crane crictl cron crond crun cspell csrutil csvcut csvformat csvgrep csvjoin
    csvjson csvlook csvsort csvstack csvstat ctest ctr cursor cypress cz dart databricks date
    db-migrate dbmate dc debugfs defaults delgroup deluser depcheck deployctl dfu-util diesel
    diskutil dive django-admin djlint dlv dmesg dmsetup doctl doit dokku doxygen dpkg-divert
    dpkg-query dpkg-reconfigure dprint dracut drizzle-kit dscl dumpcap e2label eb ebtables
    efibootmgr eject eksctl emerge envsubst esbuild eslint esptool esptool.py ethtool exo expo expr
    factor fail2ban-client fastlane findmnt firebase firewall-cmd fkill flake8 flashrom flask
    flatpak flutter flux fly flyctl flyway forever free frpc fstrim fusermount fusermount3 garden
    gatsby gcloud gedit gersemi getconf getent ginkgo git-daemon git-receive-pack git-shell
    git-upload-pack gn go-task gofmt gofumpt goimports golangci-lint google-java-format goose
    gotestsum govc govulncheck gpasswd gradle gradlew gradlew.bat graphile-migrate graphql-codegen
    gron groupadd groupdel groupmod groups grub-install grub-mkconfig grunt gsutil guestmount gulp
    gunicorn gzexe hadolint halt hcloud hdiutil hdparm helix heroku hostname hostnamectl howdoi
    htmlhint htop http-server hugo husky hwclock hx hydra hypercorn ibmcloud id ifconfig ifdown ifup
    in2csv include-what-you-use incus init initctl inv invoke iostat ip ip6tables ip6tables-restore
    ipcrm ipcs ipset iptables iptables-restore iptables-save isort istioctl iwconfig iwyu jar
    jasmine javap jed jekyll jest jf jfrog jira joe jshint json-server juju jupyter jupyter-lab k3d
    k3s kak kaniko karma kate kill-port killall5 kind knex knip kopia kops ktlint kubectx kubens
    kustomize last lastlog launchctl ldconfig ldd lefthook lein lessc libtoolize limactl linear
    linkerd linode-cli lint-staged liquibase live-server loadkeys locale localectl localtunnel
    logname lsb_release lsblk lscpu lslocks lsmem lsmod lsns lsof lspci lsusb lt luacheck luarocks
    lvcreate lvm lvreduce lvremove lvresize lwp-download lxc lxc-attach machinectl madge manage.py
    markdownlint markdownlint-cli2 mas masscan mc mcedit meson micro migrate mikro-orm mill minikube
    mix mkdocs mkinitcpio mocha mongocli mousepad mpstat multipass mvn mvnw mypy n2 nano ne
    needrestart neonctl netlify netstat networksetup newgrp newusers next nft ng ngrep ngrok nikto
    ninja nix-env nixops nm nmap nmcli node-pg-migrate nomad nosetests nox nproc ntpdate numfmt nuxt
    nvidia-smi nvme nvram nx nyc objdump oci okta okteto open-url openapi-generator openstack oras
    orb oxlint packer pacman pants parcel paru passwd pax pbcopy pbpaste pear pecl pfctl pgrep
    php-cs-fixer phpstan pico pidof pkg-config pkgconf planetscale playwright plutil pm2 pmap pmset
    pod port porter postcss poweroff pre-commit prettier printenv prisma protoc ps psalm pscale
    pstree pulumi pvcreate pvmove pvremove pwconv pwdx py.test pycodestyle pyflakes pylint pyright
    pytest pytype pyupgrade qemu-system-* raco rails railway rake rc-service rc-update react-scripts
    readelf rebar3 reboot reboot-required regctl release-it remix render reptyr reset resize2fs
    resolvectl restic revive rfkill rollup rome route rpm rpmquery rspack rspec rtcwake rubocop ruff
    run-clang-tidy runc runlevel rush rustfmt s3cmd s4cmd s5cmd s6-svc sam samu sass sbt scons scoop
    scutil scw sdparm sea-orm-cli selene semanage semantic-release semgrep sentry-cli seq sequelize
    sequelize-cli serve serverless service setenforce setsebool setterm shellcheck shfmt shutdown
    size skopeo sleep sls smartctl snap snow softwareupdate spack spctl sphinx-autobuild
    sphinx-build sqlmap sqlx ss sshfs standard staticcheck storybook streamlit stripe stty stylelint
    stylua subl supabase supervisorctl surge sv svelte-kit sw_vers swapoff swapon swc swift swiftc
    swiftformat system_profiler tailscale tailwindcss talosctl tap taplo task tc tccli tccutil
    tcpdump telinit tflint thor timedatectl tldr tmutil top tput trash-empty tsc tshark tsup tty
    tune2fs turbo turso twilio ty typeorm typos ufw umount umzug uname unittest update-alternatives
    update-grub update-initramfs update-rc.d upstash uptime useradd userdel usermod users usleep
    uvicorn vagrant vale vault vcpkg velero vercel vgcreate vgreduce vgremove virsh virt-install
    vite vitest vmstat vue vue-tsc vultr-cli vulture w waf wasmer webpack wg wg-quick whereis who
    whoami winget wireshark wl-copy wmctrl wrangler xbps-install xclip xcode-select xcodebuild xcrun
    xdg-open xdotool xfs_admin xfs_repair xkill xo xrandr xsel xset yamllint yapf yay ydotool yes
    zed zfs zig zmap zpool zramctl
  ]] ] = {},
}
