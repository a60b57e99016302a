# Sourced by bin/atomic and scripts/bun. Sets `bun` to the Bun binary that was installed for the package in `root`, or
# leaves it empty and names the ones for other platforms in `other_bun`. Never looks in PATH or in the current folder.
#
# Bun comes in one package per platform, @oven/bun-<platform>, of which an installer takes the ones that fit; an older
# one takes both of Linux, and a folder may be shared with another machine. So each is checked: a Linux program starts
# where its loader is.

find_bun_in() {
  for find_bun_file in "$1"/@oven/bun-*/bin/bun "$1"/@oven/bun-windows-*/bin/bun.exe; do
    if [ ! -f "$find_bun_file" ] || [ ! -x "$find_bun_file" ]; then continue; fi
    case $find_bun_file in
      *-linux-x64/bin/bun) find_bun_sign=/lib64/ld-linux-x86-64.so.2 ;;
      *-linux-aarch64/bin/bun) find_bun_sign=/lib/ld-linux-aarch64.so.1 ;;
      *-linux-x64-musl/bin/bun) find_bun_sign=/lib/ld-musl-x86_64.so.1 ;;
      *-linux-aarch64-musl/bin/bun) find_bun_sign=/lib/ld-musl-aarch64.so.1 ;;
      *-android/bin/bun) find_bun_sign=/system/bin/linker64 ;;
      */bun-darwin-*) find_bun_sign=/usr/lib/dyld ;;
      */bun-freebsd-*) find_bun_sign=/libexec/ld-elf.so.1 ;;
      */bun-windows-*) find_bun_sign=${WINDIR:-/no/windows} ;;
      *) continue ;;
    esac
    if [ -e "$find_bun_sign" ]; then
      bun=$find_bun_file
      return 0
    fi
    other_bun=$find_bun_file
  done
  return 1
}

# The package's own node_modules, then those that it is installed in, from the inside out.
find_bun() {
  bun=
  other_bun=
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
