#!/bin/bash
# Runs a command beside a real user manager of systemd, as root in a mount namespace of its own:
#
#     user_manager.sh GROUP RUNTIME_DIRECTORY COMMAND...
#
# The manager runs as nobody in GROUP/user, and the command as nobody in GROUP/session, which it
# cannot write to, as in a login session. The groups and the directory are there already. Exits with
# 98 and says why when no manager can run here.
group=/sys/fs/cgroup$1 runtime=$2
shift 2
cannot() {
  echo "$1" >&2
  exit 98
}
systemd=
for each in /lib/systemd/systemd /usr/lib/systemd/systemd; do
  if [ -x "$each" ]; then systemd=$each; fi
done
[ -n "$systemd" ] || cannot "no systemd is installed"
command -v busctl setpriv >/dev/null || cannot "busctl or setpriv is not installed"
{
  mount --make-rprivate / && umount -l /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup &&
    mkdir -p /run/systemd && mount -t tmpfs none /run/systemd && mkdir /run/systemd/system
} 2>/dev/null || cannot "control groups cannot be mounted"
as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --pdeathsig KILL"
(
  echo "$BASHPID" >"$group/user/cgroup.procs"
  cd /
  exec $as_nobody env -i PATH="$PATH" HOME="$runtime" XDG_RUNTIME_DIR="$runtime" \
    "$systemd" --user --log-target=console
) >"$runtime.log" 2>&1 </dev/null &
manager=$!
for _ in $(seq 200); do
  [ -S "$runtime/systemd/private" ] && [ -S "$runtime/bus" ] && break
  kill -0 $manager 2>/dev/null || break
  sleep 0.05
done
[ -S "$runtime/bus" ] || cannot "the user manager does not start: $(tail -n 1 "$runtime.log")"
(
  echo "$BASHPID" >"$group/session/cgroup.procs"
  exec $as_nobody "$@"
)
code=$?
kill $manager
wait $manager
exit $code
