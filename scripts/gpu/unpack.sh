#!/usr/bin/env bash
# unpack.sh [CALL]: runs on the machine with the GPU, in the working tree, at the beginning of every call. Joins the pieces that came with
# a call (.gpu/call1, …) to the archives that are whole by now and unpacks them below MIDTOKEN_GPU (/tmp/midtoken-gpu unless set). Lays a
# copy of the working tree beside them; without CALL it does only that. Needs bash, tar, sha256sum, and xz or python3; there is no Node yet.
set -euo pipefail
G="${MIDTOKEN_GPU:-/tmp/midtoken-gpu}"
call="${1:-}"
mkdir -p "$G/incoming" "$G/whole" "$G/tree" "$G/bin"
if [ -n "$call" ]; then
  [ -f "$call/manifest" ] || { echo "There is no $call/manifest. Carry the folder $call with the call." >&2; exit 1; }
  # Pieces of another packing cannot be joined with these.
  if ! cmp -s "$call/manifest" "$G/manifest"; then
    rm -rf "$G/incoming" "$G/whole"; mkdir -p "$G/incoming" "$G/whole"
    cp "$call/manifest" "$call/lock" "$G/"
  fi
  cp "$call/pieces/"* "$G/incoming/"
fi
decompress() {
  if command -v xz >/dev/null; then xz -dc; else
    python3 -c 'import lzma,shutil,sys; shutil.copyfileobj(lzma.open(sys.stdin.buffer), sys.stdout.buffer, 1 << 20)'
  fi
}
missing=""
for group in $(cut -d' ' -f1 "$G/manifest" | uniq); do
  [ -e "$G/whole/$group" ] && continue
  pieces=(); complete=1
  while read -r of name sum _; do
    [ "$of" = "$group" ] || continue
    piece="$G/incoming/$name"; pieces+=("$piece")
    if [ ! -f "$piece" ]; then complete=0
    elif [ "$(sha256sum < "$piece" | cut -d' ' -f1)" != "$sum" ]; then echo "$name is damaged. Carry it again." >&2; exit 1; fi
  done < "$G/manifest"
  if [ "$complete" = 0 ]; then missing="$missing $group"; continue; fi
  cat "${pieces[@]}" | decompress | tar -C "$G" -xf -
  rm -f "${pieces[@]}"; : > "$G/whole/$group"
done
# The browser comes as Debian packed it.
if [ -d "$G/usr/lib/chromium" ]; then
  mkdir -p "$G/chromium"; mv "$G/usr/lib/chromium/"* "$G/chromium/"; rm -r "$G/usr"
fi
# Files of an earlier call that the tree no longer has would run too.
shopt -s dotglob nullglob
for old in "$G/tree/"*; do
  case "${old##*/}" in node_modules|.cache|test-results) ;; *) rm -rf "$old" ;; esac
done
# A copy, as the packages have to lie inside the folder that Vite may read.
tar --exclude=./node_modules --exclude=./.gpu --exclude=./.git --exclude=./dist --exclude=./test-results --exclude=./.cache -cf - . | tar -C "$G/tree" -xf -
if [ -f "$G/lock" ] && [ "$(sha256sum < package-lock.json | cut -d' ' -f1)" != "$(cat "$G/lock")" ]; then
  echo "WARNING: package-lock.json is another than when the packages were packed. Pack again." >&2
fi
if [ -d "$G/chromium/lib" ]; then
  # The machine's own C++ library where it has one: an older one would break the driver. Node needs it too.
  mkdir -p "$G/cxx"
  for name in libstdc++.so.6 libgcc_s.so.1; do
    [ -e "$G/chromium/lib/$name" ] || continue
    if ldconfig -p 2>/dev/null | grep -q "$name"; then rm "$G/chromium/lib/$name"; else mv "$G/chromium/lib/$name" "$G/cxx/"; fi
  done
  cat > "$G/chromium/fonts.conf" <<FONTS
<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>$G/chromium/fonts</dir><cachedir>$G/chromium/font-cache</cachedir></fontconfig>
FONTS
fi
cat > "$G/bin/chromium" <<CHROMIUM
#!/bin/sh
export LD_LIBRARY_PATH="$G/chromium/lib:$G/cxx:/usr/local/nvidia/lib64\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" FONTCONFIG_FILE="$G/chromium/fonts.conf"
exec "$G/chromium/chromium-headless-shell" "\$@"
CHROMIUM
cat > "$G/bin/npx" <<NPX
#!/bin/sh
program="\$1"; shift
exec node "$G/tree/node_modules/.bin/\$program" "\$@"
NPX
# gpu COMMAND: as \`npm run gpu -- COMMAND\`, with what was unpacked.
cat > "$G/bin/gpu" <<GPU
#!/bin/sh
export PATH="$G/bin:\$PATH" CHROMIUM_PATH="$G/bin/chromium" MIDTOKEN_MODELS="$G/models" CI=1
export LD_LIBRARY_PATH="$G/cxx\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
for driver in "\$VK_DRIVER_FILES" /usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json /usr/share/vulkan/icd.d/nvidia_icd.json /etc/vulkan/icd.d/nvidia_icd.json; do
  if [ -f "\$driver" ]; then export VK_DRIVER_FILES="\$driver"; break; fi
done
cd "$G/tree" && exec node node_modules/.bin/tsx scripts/gpu/index.ts "\$@"
GPU
chmod +x "$G/bin/"*
echo "unpacked: $(ls "$G/whole" | tr '\n' ' ')${missing:+; still to come:$missing}"
