# Sourced by bin/atomic when there is no Bun for this machine beside the package in `root`: says why on standard error,
# and which command installs it.

case $(uname -s) in
  Darwin) platform=darwin ;;
  FreeBSD) platform=freebsd ;;
  MINGW* | MSYS* | CYGWIN*) platform=windows ;;
  *) platform=linux ;;
esac
case $(uname -m) in
  arm64 | aarch64) platform=$platform-aarch64 ;;
  *) platform=$platform-x64 ;;
esac
if [ -e /system/bin/linker64 ]; then
  platform=$platform-android
elif [ -e /lib/ld-musl-x86_64.so.1 ] || [ -e /lib/ld-musl-aarch64.so.1 ]; then
  if [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ]; then platform=$platform-musl; fi
fi
version=$(sed -n "s|.*\"@oven/bun-$platform\": *\"\([^\"]*\)\".*|\1|p" "$root/package.json")

if [ -f "$root/src/main.ts" ]; then
  echo "atomic: Bun is not installed in $root. Run \`npm ci\` there." >&2
elif [ -n "$other_bun" ]; then
  echo "atomic: The Bun that was installed with this package is for another platform: $other_bun." >&2
else
  echo "atomic: Bun, which runs this program, was not installed with it." >&2
  echo "An install that leaves optional packages out (--omit=optional, --no-optional) leaves out Bun." >&2
fi
if [ ! -f "$root/src/main.ts" ]; then
  if [ -z "$version" ]; then
    echo "There is no Bun for this platform ($platform)." >&2
  else
    echo "Install the package again with its optional packages, or add the one for this machine:" >&2
    echo "  npm install @oven/bun-$platform@$version     (with -g if atomic was installed with -g)" >&2
  fi
  echo "Only the program needs Bun. The library, atomic/workflows, also runs on Node." >&2
fi
