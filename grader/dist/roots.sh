# Bare Debian and Ubuntu systems in folders, for `make dist` and `make try-...`. Sourced by their scripts, which
# define fail().
#
#   make_root bullseye FOLDER      a bare Debian 11 in FOLDER: what debootstrap calls minbase, and nothing else
#   in_root FOLDER COMMAND...      runs a command there, as root, with the network
#
# Both need root. in_root's mounts are in a mount namespace of their own and end with the command.

# The mirror that this machine's apt uses; $MIRROR replaces it. Debian 12 and others get the same one.
debian_mirror() {
    local uri=${MIRROR:-}
    [ -n "$uri" ] || uri=$(apt-get indextargets --format '$(ORIGIN)|$(REPO_URI)' 2>/dev/null |
        sed -n '/security/d; s/^Debian|//p' | head -n 1)
    [ -n "$uri" ] || fail 'This machine has no mirror of Debian in its apt sources: name one, as MIRROR=ADDRESS.'
    printf '%s' "$uri"
}

# The mirror of a suite. Ubuntu's packages for grading are in its component "universe".
mirror_of() {
    case $1 in
    jammy | noble) printf 'http://archive.ubuntu.com/ubuntu' ;;
    *) debian_mirror ;;
    esac
}

need_root() {
    [ "$(id -u)" = 0 ] || fail 'A Debian system in a folder can be made only by root: run this with sudo.'
}

make_root() {
    need_root
    local mirror components=main keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg script=
    mirror=$(mirror_of "$1")
    case $mirror in
    *ubuntu)
        components=main,universe script=gutsy # one script serves all suites, also those that debootstrap does not know
        [ -r $keys ] || fail "no keys of Ubuntu in $keys: Debian 13 has them in its package ubuntu-keyring."
        ;;
    esac
    debootstrap --variant=minbase --components=$components ${script:+--keyring="$keys"} "$1" "$2" "$mirror" \
        ${script:+"/usr/share/debootstrap/scripts/$script"} >"$2.log" 2>&1 || {
        tail -n 5 "$2.log" >&2
        fail "debootstrap could not make a bare $1; the whole log is $2.log."
    }
    # What this machine needs to reach the network: names, certificates, and the settings in in_root.
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    cp /etc/ssl/certs/ca-certificates.crt "$2/etc/host-certificates.crt" 2>/dev/null || true
}

in_root() {
    local folder=$1 certificates=
    shift
    [ -z "${PIP_CERT:-}" ] || certificates=PIP_CERT=/etc/host-certificates.crt
    # shellcheck disable=SC2016 # the inner shell expands these
    unshare --mount --pid --fork --propagation private sh -c '
        mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' \
        "$folder" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
        ${no_proxy:+"no_proxy=$no_proxy"} $certificates "$@"
}

# Installs packages in a root, and keeps what is installed there.
install_in_root() {
    local folder=$1
    shift
    in_root "$folder" sh -c 'apt-get update -qq && apt-get install -y --no-install-recommends "$@"' - "$@" \
        >"$folder.log" 2>&1 || {
        tail -n 5 "$folder.log" >&2
        fail "apt-get could not install packages in $folder; the whole log is $folder.log."
    }
}
