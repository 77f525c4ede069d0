#!/bin/sh
# Sets up the mounts of the sandbox and runs a program in them.
#
# `unshare` starts this script as the first process of new namespaces: when it ends, the kernel kills every process that
# the program left behind.
#
# Usage: enter.sh USER CPU MEMORY FILE PROCESSES DISK PROJECT [KEPT...] -- PROGRAM [ARGUMENT...]
# USER is `nobody`, or `same` inside a user namespace; KEPT are directories below those that are covered. Sizes are in bytes.
set -eu
umask 022

refuse() {
    echo "$1" >&2
    exit 1
}

# The directories that are covered below may be on the PATH: /run on NixOS, /tmp in tests.
PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin

user=$1 cpu=$2 memory=$3 file=$4 processes=$5 disk=$6 project=$7
shift 7

# Directories are kept here while others are covered. Nothing in the sandbox needs the real /sys.
mount -t tmpfs -o size=1m,mode=755 tmpfs /sys
mkdir /sys/kept /sys/dev
mount --rbind /dev /sys/dev
count=0
for directory; do
    [ "$directory" = -- ] && break
    count=$((count + 1))
    mkdir "/sys/kept/$count"
    mount --rbind "$directory" "/sys/kept/$count"
done

# Sockets are reachable on a read-only mount, and many are in these directories: those of Docker, D-Bus, ssh-agent, X11.
for directory in /run /var/tmp /dev; do
    if [ -d "$directory" ] && [ ! -L "$directory" ]; then
        mount -t tmpfs -o size=1m,mode=755,nosuid,nodev tmpfs "$directory"
    fi
done
mount -t tmpfs -o "size=$disk,mode=1777,nosuid,nodev" tmpfs /tmp
for device in null zero full random urandom; do
    : >"/dev/$device"
    mount --bind "/sys/dev/$device" "/dev/$device"
done
ln -s /proc/self/fd /dev/fd
kept=0
while [ "$kept" -lt "$count" ]; do
    kept=$((kept + 1))
    mkdir -p "$1"
    mount --rbind "/sys/kept/$kept" "$1"
    umount --lazy "/sys/kept/$kept"
    shift
done
shift

# A container may forbid a new /proc. The old one shows processes of others, but does not give access to them.
mount -t proc -o nosuid,nodev,noexec proc /proc 2>/dev/null || :
umount --lazy /sys/dev
mkdir -m 1777 /tmp/.casebook

# A user namespace may not drop the flags that a mount has.
flags_of() {
    for flag in nosuid nodev noexec noatime nodiratime relatime; do
        case ",$1," in *",$flag,"*) printf ',%s' "$flag" ;; esac
    done
}
while read -r _ escaped _ options _; do
    point=$(printf '%b' "$escaped")
    [ "$point" = /tmp ] || mount -o "remount,bind,ro$(flags_of "$options")" "$point" 2>/dev/null || :
done </proc/self/mounts
while read -r _ escaped _; do
    point=$(printf '%b' "$escaped")
    if [ "$point" != /tmp ] && [ ! -c "$point" ] && [ -w "$point" ]; then
        refuse "cannot make $point read-only"
    fi
done </proc/self/mounts

# SQLite can write to a database only if it can create files next to it. The copies are discarded at the end.
for name in db storage; do
    directory=$project/$name copy=/tmp/.casebook-$name
    { [ "$project" != / ] && [ -d "$directory" ] && [ ! -L "$directory" ]; } || continue
    [ "$(du -sk "$directory" | cut -f1)" -le $((disk / 2048)) ] || continue
    if cp -R "$directory" "$copy" 2>/dev/null && chmod -R a+rwX "$copy"; then
        mount --bind "$copy" "$directory"
    fi
done

# Root of this user namespace keeps no capability. The real root becomes nobody, who may still have to read a project in
# a directory that only root may enter.
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$@"
}
keep=-all
program=$(command -v "$1") || refuse "$1 is not installed"
if [ "$user" = nobody ] && ! as_nobody --bounding-set=-all test -r "$project/." -a -x "$program"; then
    keep=-all,+dac_read_search
fi
set -- --inh-caps="$keep" --ambient-caps="$keep" --bounding-set="$keep" "$@"
run() {
    prlimit --cpu="$cpu" --as="$memory" --fsize="$file" --nproc="$processes" --nofile=256 --core=0 "$@"
}

cd /tmp/.casebook
echo "sandbox ready" >&2
# Not `exec`: this script must outlive the program, as the first process of the namespace.
status=0
if [ "$user" = nobody ]; then
    run setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$@" || status=$?
else
    run setpriv --no-new-privs "$@" || status=$?
fi
exit "$status"
