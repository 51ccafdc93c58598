#!/bin/sh
# Runs in a container of an environment, with the rights to loop devices.
#
#   seed.sh make FILE    fill the file system image FILE with the storage of a daemon that has loaded images.tar,
#                        and tell in repositories.json and ids what is in it
#   seed.sh hold FILE    show FILE read-only as a loop device, print its name, keep it until told to end
#
# Either way the device goes when this container does, however that ends: it is detached as soon as it is in use.
set -eu

control=/run/benchrouter
storage=/var/lib/docker

attach() { # FILE [-r]: print the loop device that shows FILE from now on
    [ -e /dev/loop-control ] || mknod /dev/loop-control c 10 237
    tries=0
    while [ "$tries" -lt 50 ]; do
        found=$(losetup -f) || return 1
        found=${found%% *} # "(lost)" is said of one without a node
        [ -b "$found" ] || mknod "$found" b 7 "${found#/dev/loop}"
        # Somebody else may have taken the device meanwhile.
        # shellcheck disable=SC2086 # nothing, when no option is given
        if losetup ${2:-} "$found" "$1" 2>/dev/null; then
            echo "$found"
            return 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
    return 1
}

make() {
    # A host without the tool leaves it to the image.
    [ ! -e "$1.bare" ] || mkfs.ext4 -q -F -m 0 -i 8192 -O ^has_journal,^resize_inode -E nodiscard "$1"
    device=$(attach "$1")
    mount -t ext4 -o noatime,noinit_itable "$device" "$storage"
    losetup -d "$device"
    # The archive is unpacked first; within the seed, its blocks would stay allocated in the file.
    export DOCKER_TMPDIR=/tmp/benchrouter-load
    # shellcheck disable=SC2016 # the entrypoint's shell expands it
    sh "$control/dind-entrypoint.sh" 'daemon=$(cat /var/run/docker.pid); kill "$daemon"
        while kill -0 "$daemon" 2>/dev/null; do sleep 0.05; done'
    for part in "$storage"/* "$storage"/.[!.]*; do
        case ${part##*/} in
            image | overlay2) ;;
            *) rm -rf "$part" ;;
        esac
    done
    [ -d "$storage/image/overlay2" ] && [ -d "$storage/overlay2/l" ]
    umask 022 # who asked for the seed may be somebody else
    cat "$storage/image/overlay2/repositories.json" >"$control/repositories.json"
    ls "$storage/image/overlay2/imagedb/content/sha256" >"$control/ids"
    umount "$storage"
}

hold() {
    device=$(attach "$1" -r)
    exec 9<"$device"
    losetup -d "$device"
    echo "$device"
    trap 'exit 0' TERM
    while :; do
        sleep 3600 &
        wait $! || :
    done
}

"$1" "$2"
