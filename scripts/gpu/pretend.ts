/**
 * `pretend`: makes a Vulkan driver that is Mesa's llvmpipe but reports the name of a graphics card. Uses Debian's packages
 * without installing them.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { librariesOf, requirePrograms, runAndCaptureOutput } from "./shell.ts";

const libraryFolder = "usr/lib/x86_64-linux-gnu";

/**
 * Writes the driver into a folder, which may be moved. Answers the path of the program that runs a command with it.
 * @throws Error with what is missing.
 * @param ownName Keeps llvmpipe's name: the runtime then takes the kernels that it takes on every vendor's cards but NVIDIA's.
 */
export function makePretendedCard(folder: string, ownName = false): string {
  requirePrograms(["apt-get", "dpkg-deb", "cc", "patchelf", "ldd"]);
  const to = resolve(folder);
  const work = mkdtempSync(join(tmpdir(), "midtoken-pretend-"));
  try {
    const release = debianReleaseOfMesa(readFileSync("/etc/os-release", "utf8"));
    const root = join(work, "root");
    unpackMesa(work, release.mesa, root);
    copyDriver(root, join(to, "llvmpipe"));
    rmSync(join(to, "libc"), { recursive: true, force: true });
    if (release.needsNewerLibc) for (const deb of debsOf(work, libcPackage)) layOut(deb, join(to, "libc"));
    const source = join(import.meta.dirname, "pretend.c");
    const library = join(to, "libpretend.so");
    const defines = ownName ? ["-DOWN_NAME"] : [];
    runAndCaptureOutput("cc", [
      ...["-O1", "-shared", "-fPIC", "-fvisibility=hidden", ...defines],
      ...["-o", library, source, "-ldl"],
    ]);
    const description = {
      file_format_version: "1.0.1",
      ICD: { library_path: "./libpretend.so", api_version: "1.4.303" },
    };
    writeFileSync(join(to, "icd.json"), JSON.stringify(description));
    const program = join(to, "run");
    writeFileSync(program, runProgram);
    chmodSync(program, 0o755);
    return program;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The Debian release whose Mesa is taken: 13 or newer, as LLVM 15, which Debian 12's Mesa compiles with, seems to hang on the attention
 * kernel of a real shape (https://github.com/llvm/llvm-project/issues/62348), and LLVM 19 takes two minutes. That Mesa needs a newer C
 * library than Debian 12 has.
 */
export function debianReleaseOfMesa(osRelease: string): {
  readonly mesa: string;
  readonly needsNewerLibc: boolean;
} {
  const codename = /^VERSION_CODENAME=(\S+)/m.exec(osRelease)?.[1] ?? "";
  if (codename === "")
    throw new Error("/etc/os-release names no Debian release. The pretended card needs Debian 12 or newer.");
  const needsNewerLibc = codename === "bookworm";
  return { mesa: needsNewerLibc ? "trixie" : codename, needsNewerLibc };
}

/** Written beside the driver. Laying files over /usr takes root; only the command sees them. */
const runProgram = `#!/bin/sh
# run COMMAND …: runs a command with the pretended card, and with the C library in the folder libc if there is one.
here="$(dirname "$(readlink -f "$0")")"
export VK_DRIVER_FILES="$here/icd.json" LD_LIBRARY_PATH="/usr/lib/chromium\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ -d "$here/libc" ] || exec "$@"
exec unshare --mount sh -c 'mount --make-rprivate / && mount -t overlay overlay -o "lowerdir=$0:/usr" /usr && cd "$PWD" && exec "$@"' "$here/libc/usr" "$@"
`;

const libcPackage = /^(libc6|libstdc\+\+6|libgcc-s1)_/;

function debsOf(work: string, name: RegExp): string[] {
  const archives = join(work, "archives");
  return readdirSync(archives)
    .filter((file) => file.endsWith(".deb") && name.test(file))
    .map((file) => join(archives, file));
}

function layOut(deb: string, to: string): void {
  mkdirSync(to, { recursive: true });
  runAndCaptureOutput("dpkg-deb", ["-x", deb, to]);
}

/** Downloads Mesa's Vulkan drivers with their libraries and unpacks them into a folder, without the C library. */
function unpackMesa(work: string, suite: string, root: string): void {
  const format = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
  const mirror = runAndCaptureOutput("apt-get", format)
    .split("\n")
    .find((line) => /\/debian\/?$/.test(line));
  if (!mirror) throw new Error("apt-get knows no Debian mirror. Run apt-get update first.");
  for (const name of ["lists/partial", "archives/partial"]) mkdirSync(join(work, name), { recursive: true });
  writeFileSync(join(work, "status"), "");
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  writeFileSync(join(work, "sources.list"), `deb [signed-by=${keys}] ${mirror} ${suite} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${work}/sources.list`,
    `Dir::State::lists=${work}/lists`,
    `Dir::Cache=${work}`,
    `Dir::Cache::archives=${work}/archives`,
    `Dir::State::status=${work}/status`,
    "Debug::NoLocking=1",
    "APT::Sandbox::User=root",
    "APT::Install-Recommends=false",
  ].flatMap((option) => ["-o", option]);
  runAndCaptureOutput("apt-get", ["-qq", ...options, "update"]);
  runAndCaptureOutput("apt-get", [
    "-qq",
    ...options,
    "-y",
    "--download-only",
    "-t",
    suite,
    "install",
    "mesa-vulkan-drivers",
  ]);
  for (const deb of debsOf(work, /^(?!libc6_)/)) layOut(deb, root);
}

/** Copies the driver and its libraries into one folder: the driver finds them there, whatever program loads the driver. */
function copyDriver(root: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const driver = join(root, libraryFolder, "libvulkan_lvp.so");
  const libraries = librariesOf(driver, [join(root, libraryFolder), join(root, "lib/x86_64-linux-gnu")])
    .filter(([name, path]) => path.startsWith(root) && !/^lib(stdc\+\+|gcc_s)/.test(name))
    .map(([name, path]) => [name, path] as const);
  for (const [name, path] of [["libvulkan_lvp.so", driver] as const, ...libraries]) {
    copyFileSync(path, join(to, name));
    runAndCaptureOutput("patchelf", ["--force-rpath", "--set-rpath", "$ORIGIN", join(to, name)]);
  }
}
