#!/bin/sh
# fresh.sh FOLDER SUITE... - the README's two commands on a new Debian
#
# For each suite (bookworm, ...) debootstrap makes the smallest system in FOLDER,
# with git, gcc and make.  The last commit is cloned into it, and run and checked
# by root, who has the packages installed, and then by a user, who finds them.
# Packages come from where this machine's come from, whose settings of apt are
# copied; FRESH_MIRROR names another place, and FRESH_SECONDS limits each command
# (7200).  With FRESH_EVALUATION=OUT root runs `make evaluation` instead, with the
# EVALUATION_FLAGS of the environment, and its table of that system is copied to
# OUT/tables.  What cannot be tried is skipped, and said: 0 is returned all the same.
set -u
folder=$1
shift
seconds=${FRESH_SECONDS:-7200}
skip() {
    echo "check-fresh: skipped: $*"
}
[ "$(id -u)" = 0 ] || {
    skip 'only root may make a new system'
    exit 0
}
command -v debootstrap >/dev/null || {
    skip 'no debootstrap (Debian: debootstrap)'
    exit 0
}

# The first place that this machine has Debian's own packages from.
mirror=${FRESH_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 'Origin: Debian' 2>/dev/null | grep -v security |
    head -n 1)}
[ "$mirror" ] || mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p
    s/^deb \(\[.*\] \)*\([^ ]*\) .*/\2/p' /etc/apt/sources.list.d/*.sources \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    head -n 1)
[ "$mirror" ] || {
    skip 'apt has no source to take packages from (FRESH_MIRROR=...)'
    exit 0
}

mounted=
child=
clean_up() {
    [ -z "$child" ] || { kill "$child" && wait "$child"; } 2>/dev/null
    for place in $mounted; do umount -l "$place"; done
    mounted=
    rm -rf --one-file-system "$folder/system"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mount_in() { # TYPE PLACE
    mount -t "$1" "$1" "$folder/system/$2" && mounted="$folder/system/$2 $mounted"
}

# bounded COMMAND...: in the background, so that a signal is heard at once.
bounded() {
    timeout -k 10 "$seconds" "$@" </dev/null &
    child=$!
    wait "$child"
    status=$?
    child=
    return $status
}

# inside USER COMMAND: in the clone, with nothing of what this machine, or the
# make that calls, has in the environment but where a proxy is.
inside() {
    bounded chroot "$folder/system" env -i LC_ALL=C \
        ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        su -s /bin/sh "$1" -c "cd ~$1/margay && $2"
}

# try USER COMMAND: says how long it took.
try() {
    from=$(date +%s)
    result=passed
    goal=${2#make }
    log=$folder/$suite-$1-${goal%% *}.log
    inside "$1" "$2" >"$log" 2>&1 || {
        result=FAILED
        failed=1
        tail -n 40 "$log"
    }
    echo "check-fresh: $suite: $1: $2: $result in $(($(date +%s) - from)) s:" \
        "$(tail -n 1 "$log")"
}

# The system, with this machine's settings of apt but those of other places.
make_system() {
    bounded debootstrap --variant=minbase \
        --include=ca-certificates "$suite" "$folder/system" "$mirror" \
        >"$folder/$suite.log" 2>&1 || return 1
    for settings in apt.conf apt.conf.d auth.conf.d keyrings trusted.gpg.d; do
        [ ! -e "/etc/apt/$settings" ] ||
            cp -a "/etc/apt/$settings" "$folder/system/etc/apt/"
    done
    # Hooks there are of programs that a new system lacks.
    grep -lsE 'Invoke|Pre-Install' "$folder/system"/etc/apt/apt.conf.d/* |
        xargs -r rm
    cp -L /etc/resolv.conf "$folder/system/etc/resolv.conf"
    cp /etc/hosts "$folder/system/etc/hosts"
    mount_in proc proc && mount_in sysfs sys && mount_in tmpfs dev/shm &&
        mount_in devpts dev/pts || return 1
    [ -e "$folder/system/dev/ptmx" ] || ln -s pts/ptmx "$folder/system/dev/ptmx"
    {
        chroot "$folder/system" apt-get update -qq &&
            chroot "$folder/system" env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y -qq --no-install-recommends git gcc make &&
            chroot "$folder/system" useradd -m -s /bin/sh margay
    } >>"$folder/$suite.log" 2>&1 </dev/null
}

clone_for() { # USER
    home=$(chroot "$folder/system" sh -c "echo ~$1")
    git clone -q --no-hardlinks . "$folder/system$home/margay" &&
        chroot "$folder/system" chown -R "$1:" "$home/margay"
}

check_readme() {
    for user in root margay; do
        clone_for $user || failed=1
        try $user 'make run'
        try $user 'make check'
    done
}

evaluate() {
    clone_for root
    try root "make evaluation EVALUATION_FLAGS='${EVALUATION_FLAGS-}'"
    version=$(sed -n 's/^VERSION_ID="*\([^"]*\).*/\1/p' \
        "$folder/system/etc/os-release")
    cp "$folder/system/root/margay/docs/measured/tables/recording-debian-$version.csv" \
        "$FRESH_EVALUATION/tables/"
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
failed=0
clean_up # of a run that was killed
for suite; do
    from=$(date +%s)
    if make_system; then
        echo "check-fresh: $suite: a new system in $(($(date +%s) - from)) s"
        if [ "${FRESH_EVALUATION-}" ]; then evaluate; else check_readme; fi
    else
        skip "$suite: no system could be made: $(tail -n 1 "$folder/$suite.log")"
    fi
    clean_up
done
exit $failed
