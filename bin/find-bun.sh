# Sourced by bin/atomic and scripts/bun. Sets `bun` to the Bun binary that npm installed for the package in `root`,
# or leaves it empty. Never looks in PATH or in the current folder.
#
# Bun's install script moves its binary from @oven/bun-<platform> into bun/bin. Where install scripts are switched off,
# the file in bun/bin only prints an error, and the real one is still in @oven: so that one goes first.

find_bun_in() {
  [ -d "$1/bun" ] || return 1
  # The package may be a link to a store of packages, in which the platform's package is its neighbour.
  find_bun_home=$(CDPATH='' cd -- "$1/bun" && pwd -P) || return 1
  for find_bun_file in "${find_bun_home%/bun}"/@oven/bun-*/bin/bun "$find_bun_home/bin/bun.exe"; do
    # Both Linux packages may be installed: the one for musl runs only where musl is.
    case $find_bun_file in *-musl/*) set -- "$1" /lib/ld-musl-*; [ -e "$2" ] || continue ;; esac
    if [ -f "$find_bun_file" ] && [ -x "$find_bun_file" ]; then
      bun=$find_bun_file
      return 0
    fi
  done
  return 1
}

# The package's own node_modules, then those that it is installed in, from the inside out.
find_bun() {
  bun=
  find_bun_at=$root
  find_bun_in "$find_bun_at/node_modules" && return 0
  while :; do
    case $find_bun_at in
      */node_modules/*) find_bun_at=${find_bun_at%/node_modules/*} ;;
      *) return 0 ;;
    esac
    find_bun_in "$find_bun_at/node_modules" && return 0
  done
}
