#!/bin/sh
# Makes sure that a container engine answers: does nothing when one does; on Debian or Ubuntu as root it installs
# the distribution's engine and starts it; elsewhere it says what to do. Ends 0 when an engine answers.
#
# BENCHROUTER_ENGINE_DATA_ROOT  where a new engine keeps images and containers (default: the engine's own)
# BENCHROUTER_ENGINE_LOG        log of an engine that we start ourselves (default: /var/log/benchrouter-engine.log)
# BENCHROUTER_ENGINE_WAIT       seconds to wait for a started engine (default: 60)
set -eu

socket=/var/run/docker.sock
log=${BENCHROUTER_ENGINE_LOG:-/var/log/benchrouter-engine.log}
patience=${BENCHROUTER_ENGINE_WAIT:-60}

say() {
    printf '%s\n' "ensure-engine: $*" >&2
}

fail() {
    say "$@"
    exit 1
}

# With a client: ask through it, so that DOCKER_HOST and contexts count. Without: ask the socket.
answers() {
    if command -v docker >/dev/null 2>&1; then
        timeout 10 docker version --format '{{.Server.Version}}' >/dev/null 2>&1
    elif command -v curl >/dev/null 2>&1; then
        curl -fsS --max-time 10 --unix-socket "$socket" http://engine/_ping >/dev/null 2>&1
    else
        return 1
    fi
}

is_debian() {
    [ -r /etc/os-release ] || return 1
    (
        # shellcheck disable=SC1091
        . /etc/os-release
        case " ${ID:-} ${ID_LIKE:-} " in
            *" debian "* | *" ubuntu "*) exit 0 ;;
        esac
        exit 1
    )
}

has_package() {
    apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [0-9]'
}

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

install_engine() {
    packages=
    for package in "$@"; do
        is_installed "$package" || packages="$packages $package"
    done
    [ -n "$packages" ] || return 0
    say "installing$packages"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 $packages >&2 && return 0
    apt-get update -o DPkg::Lock::Timeout=120 >&2 || fail "apt-get update failed"
    # shellcheck disable=SC2086
    apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 $packages >&2 ||
        fail "apt-get could not install$packages"
}

install_what_is_missing() {
    has_package docker.io || apt-get update -o DPkg::Lock::Timeout=120 >&2 || fail "apt-get update failed"
    wanted="ca-certificates iptables mmdebstrap"
    command -v dockerd >/dev/null 2>&1 || wanted="docker.io $wanted"
    # Newer packages split the client and BuildKit off.
    for optional in docker-cli docker-buildx; do
        if has_package "$optional" && [ "$wanted" != "${wanted#docker.io}" ]; then
            wanted="$wanted $optional"
        fi
    done
    # shellcheck disable=SC2086
    install_engine $wanted
}

start_with_systemd() {
    [ -d /run/systemd/system ] && [ -z "${BENCHROUTER_ENGINE_DATA_ROOT:-}" ] || return 1
    systemctl start docker >&2
}

# A pid file that outlived its process, and whose number another process has now, keeps an engine from starting.
drop_stale() {
    [ -r "$1" ] || return 0
    [ "$(cat "/proc/$(cat "$1")/comm" 2>/dev/null)" = "$2" ] || rm -f "$1"
}

start_alone() {
    drop_stale /var/run/docker.pid dockerd
    drop_stale /var/run/docker/containerd/containerd.pid containerd
    mkdir -p "$(dirname "$log")"
    say "starting dockerd, its log is $log"
    set --
    if [ -n "${BENCHROUTER_ENGINE_DATA_ROOT:-}" ]; then
        mkdir -p "$BENCHROUTER_ENGINE_DATA_ROOT"
        set -- --data-root "$BENCHROUTER_ENGINE_DATA_ROOT"
    fi
    # A session of its own: the engine outlives this terminal.
    setsid dockerd "$@" >>"$log" 2>&1 </dev/null &
}

wait_until_it_answers() {
    waited=0
    until answers; do
        [ "$waited" -lt "$patience" ] || return 1
        sleep 1
        waited=$((waited + 1))
    done
}

if answers; then
    exit 0
fi
if [ -n "${DOCKER_HOST:-}" ]; then
    fail "no engine answers at DOCKER_HOST=$DOCKER_HOST; start it, or unset DOCKER_HOST to use one of this machine"
fi
if [ -S "$socket" ] && [ "$(id -u)" -ne 0 ] && [ ! -w "$socket" ]; then
    fail "no permission for $socket; run: sudo usermod -aG docker $(id -un), then log in again"
fi
is_debian || fail "no container engine answers; install and start Docker: https://docs.docker.com/engine/install/"
if [ "$(id -u)" -ne 0 ]; then
    fail "no container engine answers; run: sudo apt-get install docker.io iptables mmdebstrap ca-certificates" \
        "&& sudo service docker start && sudo usermod -aG docker $(id -un)"
fi
install_what_is_missing
# Installing may have started it already.
answers && exit 0
start_with_systemd || start_alone
if ! wait_until_it_answers; then
    [ -r "$log" ] && tail -n 20 "$log" >&2
    fail "the engine did not answer within $patience s; its log: $log (or: journalctl -u docker)"
fi
