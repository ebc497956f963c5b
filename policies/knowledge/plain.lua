-- Programs of which rules need no more than the name. That they are known keeps their words from
-- being taken for commands, and lets an unknown wrapper show what it would run.
return {
  [ [[
    VBoxManage aa-complain aa-disable aa-teardown aclocal add-apt-repository addgroup addr2line
    adduser air aliyun amplify anacron apparmor_parser apt-cache apt-file apt-key apt-mark arch
    argo argocd arp arptables atd atq atrm auditctl auth0 autoconf autoheader automake
    autoreconf avrdude az b2 bazel bazelisk bc bless blockdev bootctl bore borg bq brctl brew
    bridge btop btrfs buck2 buildah c++filt cal cdk cdktf cf chage cheat checkrestart chfn
    chkconfig choco chpasswd chronyc chsh chvt cilium circleci clear cloudflared colima compopt
    conan confluent consul copilot corepack cosign coverage cpan cpanm crane crictl cron crond
    crun csrutil ctr databricks date db-migrate dbmate dc debugfs defaults delgroup deluser
    deployctl dfu-util diesel diskutil dive django-admin dlv dmesg dmsetup doctl dokku
    dpkg-divert dpkg-query dpkg-reconfigure dracut dscl e2label eb ebtables efibootmgr eject
    eksctl emerge envsubst esptool esptool.py ethtool exo expr factor fail2ban-client firebase
    firewall-cmd flashrom flatpak flux fly flyctl flyway free frpc fstrim fusermount fusermount3
    garden gcloud getconf getent ginkgo git-daemon git-receive-pack git-shell git-upload-pack gn
    golangci-lint goose gotestsum govc govulncheck gpasswd graphile-migrate groupadd groupdel
    groupmod groups grub-install grub-mkconfig gsutil guestmount halt hcloud hdiutil hdparm
    heroku hostname hostnamectl howdoi htop hwclock ibmcloud id ifconfig ifdown ifup incus init
    initctl iostat ip ip6tables ip6tables-restore ipcrm ipcs ipset iptables iptables-restore
    iptables-save istioctl iwconfig jf jfrog jira juju k3d k3s kaniko kind kopia kops kubectx
    kubens kustomize last lastlog launchctl ldconfig ldd libtoolize limactl linear linkerd
    linode-cli liquibase loadkeys locale localectl localtunnel logname lsblk lscpu lsmem lsmod
    lsof lspci lsusb lt luarocks lvcreate lvm lvreduce lvremove lvresize lwp-download lxc
    lxc-attach machinectl mas mc migrate mikro-orm minikube mkinitcpio mongocli mpstat multipass
    needrestart neonctl netlify netstat networksetup newgrp newusers nft ngrok nix-env nixops nm
    nmcli node-pg-migrate nomad nosetests nproc ntpdate numfmt nvram objdump oci okta okteto
    openstack oras orb packer pacman pants paru passwd pbcopy pbpaste pear pecl pfctl pgrep
    pidof pkg-config pkgconf planetscale plutil pmap pmset port porter poweroff printenv ps
    pscale pstree pulumi pvcreate pvmove pvremove pwconv pwdx qemu-system-* raco railway
    rc-service rc-update readelf reboot reboot-required regctl render reset resize2fs resolvectl
    restic revive rfkill route rpm rpmquery rtcwake runc runlevel s3cmd s4cmd s5cmd s6-svc sam
    scoop scutil scw sdparm sea-orm-cli semanage sentry-cli seq sequelize-cli serverless service
    setenforce setsebool setterm shutdown size skopeo sleep sls smartctl snap snow
    softwareupdate spack spctl sqlx ss sshfs staticcheck stripe stty supabase surge sv sw_vers
    swapoff swapon system_profiler tailscale talosctl tc tccli tccutil telinit timedatectl tldr
    tmutil top tput trash-empty tty tune2fs turso twilio ufw umount umzug uname unittest
    update-alternatives update-grub update-initramfs update-rc.d upstash uptime useradd userdel
    usermod users usleep vagrant vault vcpkg velero vercel vgcreate vgreduce vgremove virsh
    virt-install vmstat vultr-cli w wasmer wg wg-quick whereis who whoami winget wl-copy wmctrl
    xbps-install xclip xdotool xfs_admin xfs_repair xrandr xsel xset yay ydotool yes zfs zpool
    zramctl
  ]] ] = {},
}
