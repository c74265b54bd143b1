/** Collects a headless Chromium with every library that a machine without a desktop lacks, from Debian's packages. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { librariesOf, runAndCaptureOutput } from "./shell.ts";

const packages = [
  "chromium-headless-shell",
  "libvulkan1",
  "libegl1",
  "libglx0",
  "libgles2",
  "libopengl0",
  "libgl1",
  "fonts-dejavu-core",
];
/** Packages that are left out: the C library must be the machine's own, and the others are large and not needed. */
const leftOut = /^(libc6|libllvm\w*|libgl1-mesa-dri|debconf|sysvinit[\w-]*|lsb-[\w-]*)_/;
/** Files from Debian's other packages of Chromium; unpack.sh puts them beside the browser. */
const besideBrowser = [
  "icudtl.dat",
  "v8_context_snapshot.bin",
  "snapshot_blob.bin",
  "libEGL.so",
  "libGLESv2.so",
  "libvk_swiftshader.so",
  "vk_swiftshader_icd.json",
  "libvulkan.so.1",
];
/** Loaders of graphics drivers, and libraries that NVIDIA's driver is linked with. */
const driverLibraries = [
  "libEGL.so.1",
  "libGLX.so.0",
  "libGLdispatch.so.0",
  "libGLESv2.so.2",
  "libOpenGL.so.0",
  "libGL.so.1",
  "libX11.so.6",
  "libxcb.so.1",
  "libXau.so.6",
  "libXdmcp.so.6",
  "libXext.so.6",
  "libbsd.so.0",
  "libmd.so.0",
];
const cLibrary = /^(libc|libm|libdl|libpthread|librt|libresolv)\.so|^ld-linux/;
/** The version of the C library on Ubuntu 24.04. */
const newestKnown = "2.39";

export function chromiumVersion(): string {
  const [, version = "(none)"] =
    /Candidate: (\S+)/.exec(runAndCaptureOutput("apt-cache", ["policy", "chromium-headless-shell"])) ?? [];
  if (version === "(none)")
    throw new Error("apt-get knows no package chromium-headless-shell. Run apt-get update first.");
  return version;
}

/**
 * Writes `chromium/` with `chromium/lib` and `chromium/fonts` below a folder, and copies the browser's archive from Debian's
 * package: compressing the browser again would take most of the packing time and save little.
 */
export function gatherChromium(to: string, browser: string, work: string, log: (line: string) => void): void {
  const stage = unpackPackages(work, browser);
  const program = join(to, "chromium");
  for (const folder of ["lib", "fonts"]) mkdirSync(join(program, folder), { recursive: true });
  for (const file of besideBrowser) {
    const from = join(stage, "usr/lib/chromium", file);
    if (existsSync(from)) copyFileSync(from, join(program, file));
  }
  const folders = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/pulseaudio"];
  const searched = folders.map((folder) => join(stage, folder));
  const shell = join(stage, "usr/lib/chromium/chromium-headless-shell");
  const linked = [shell, ...openedLater(searched[0] as string)];
  for (const file of linked.slice(1)) copyFileSync(file, join(program, "lib", basename(file)));
  for (const [name, path] of linked.flatMap((file) => librariesOf(file, searched))) {
    if (cLibrary.test(name)) continue;
    if (!path.startsWith(stage)) log(`taken from this machine: ${path}`);
    copyFileSync(path, join(program, "lib", name));
  }
  for (const name of driverLibraries) {
    const path = searched.map((folder) => join(folder, name)).find((each) => existsSync(each));
    if (path) copyFileSync(path, join(program, "lib", name));
  }
  // Chromium brings its own, newer Vulkan loader.
  copyFileSync(join(program, "libvulkan.so.1"), join(program, "lib/libvulkan.so.1"));
  for (const font of ["DejaVuSans.ttf", "DejaVuSansMono.ttf"])
    copyFileSync(join(stage, "usr/share/fonts/truetype/dejavu", font), join(program, "fonts", font));
  warnOfCLibrary(shell, log);
  rmSync(stage, { recursive: true });
}

/**
 * Downloads the packages and all of their dependencies, as for a machine that has none, unpacks them into a folder, and copies
 * the browser's archive.
 */
function unpackPackages(work: string, browser: string): string {
  const debs = join(work, "debs");
  const stage = join(work, "stage");
  for (const folder of [debs, stage]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(debs, "partial"), { recursive: true });
  writeFileSync(join(work, "no-packages"), "");
  const options = [
    `Dir::State::status=${work}/no-packages`,
    `Dir::Cache::archives=${debs}`,
    "APT::Install-Recommends=false",
    "APT::Sandbox::User=root",
    "Debug::NoLocking=1",
  ].flatMap((option) => ["-o", option]);
  runAndCaptureOutput("apt-get", ["-qq", ...options, "-y", "--download-only", "install", ...packages]);
  for (const deb of readdirSync(debs).filter((file) => file.endsWith(".deb") && !leftOut.test(file)))
    runAndCaptureOutput("dpkg-deb", ["-x", join(debs, deb), stage]);
  keepBrowser(debs, browser);
  rmSync(debs, { recursive: true });
  return stage;
}

/** @throws Error if the browser's package contains no archive that unpack.sh can read */
function keepBrowser(debs: string, browser: string): void {
  const deb = readdirSync(debs).find((file) => file.startsWith("chromium-headless-shell_"));
  if (!deb) throw new Error("apt-get downloaded no package chromium-headless-shell.");
  const members = runAndCaptureOutput("ar", ["t", join(debs, deb)])
    .trim()
    .split("\n");
  if (!members.includes("data.tar.xz"))
    throw new Error(`${deb} holds ${members.join(", ")}. pack can carry data.tar.xz only.`);
  runAndCaptureOutput("ar", ["x", "--output", debs, join(debs, deb), "data.tar.xz"]);
  renameSync(join(debs, "data.tar.xz"), browser);
}

/** Libraries of NSS, which Chromium loads at run time. */
function openedLater(folder: string): string[] {
  const nss = join(folder, "nss");
  const files = [...readdirSync(folder).map((file) => join(folder, file))];
  if (existsSync(nss)) files.push(...readdirSync(nss).map((file) => join(nss, file)));
  return files.filter(
    (file) => /\/(libsoftokn3|libfreebl\w*|nss\/.*)\.so$/.test(file) || /\/nss\/.*\.so$/.test(file),
  );
}

function warnOfCLibrary(program: string, log: (line: string) => void): void {
  const versions = runAndCaptureOutput("objdump", ["-T", program]).match(/GLIBC_2\.\d+/g) ?? [];
  const newest = Math.max(...versions.map((version) => Number(version.slice("GLIBC_2.".length))));
  log(`Chromium needs a C library of 2.${newest}; Ubuntu 24.04 has ${newestKnown}`);
}
