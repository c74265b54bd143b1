/** `pretend`: makes a Vulkan driver that is Mesa's llvmpipe under the name of a graphics card, from Debian's packages; installs nothing. */
import {
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
import { librariesOf, output, requirePrograms } from "./shell.ts";

const libraryFolder = "usr/lib/x86_64-linux-gnu";

/**
 * Writes the driver into a folder. Answers the path for VK_DRIVER_FILES. @throws Error with what is missing.
 * @param ownName Keeps llvmpipe's name: the runtime then takes the kernels that it takes on every vendor's cards but NVIDIA's.
 */
export function pretend(folder: string, ownName = false): string {
  requirePrograms(["apt-get", "dpkg-deb", "cc", "patchelf", "ldd"]);
  const to = resolve(folder);
  const work = mkdtempSync(join(tmpdir(), "midtoken-pretend-"));
  try {
    const root = unpackMesa(work);
    copyDriver(root, join(to, "llvmpipe"));
    const source = join(import.meta.dirname, "pretend.c");
    const library = join(to, "libpretend.so");
    const defines = ownName ? ["-DOWN_NAME"] : [];
    output("cc", [
      ...["-O1", "-shared", "-fPIC", "-fvisibility=hidden", ...defines],
      ...["-o", library, source, "-ldl"],
    ]);
    const description = {
      file_format_version: "1.0.1",
      ICD: { library_path: library, api_version: "1.4.303" },
    };
    writeFileSync(join(to, "icd.json"), JSON.stringify(description));
    return join(to, "icd.json");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Debian 12 has a Mesa that is new enough in its backports alone. */
export function suiteOf(osRelease: string): string {
  const codename = /^VERSION_CODENAME=(\S+)/m.exec(osRelease)?.[1] ?? "";
  if (codename === "")
    throw new Error("/etc/os-release names no Debian release. The pretended card needs Debian 12 or newer.");
  return codename === "bookworm" ? "bookworm-backports" : codename;
}

/** Downloads Mesa's Vulkan drivers with their libraries and lays them into a folder. */
function unpackMesa(work: string): string {
  const suite = suiteOf(readFileSync("/etc/os-release", "utf8"));
  const format = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
  const mirror = output("apt-get", format)
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
  output("apt-get", ["-qq", ...options, "update"]);
  output("apt-get", [
    "-qq",
    ...options,
    "-y",
    "--download-only",
    "-t",
    suite,
    "install",
    "mesa-vulkan-drivers",
  ]);
  const root = join(work, "root");
  for (const deb of readdirSync(join(work, "archives")).filter((file) => /\.deb$/.test(file)))
    if (!deb.startsWith("libc6_")) output("dpkg-deb", ["-x", join(work, "archives", deb), root]);
  return root;
}

/** The driver and the libraries of its packages, which it finds beside itself whatever the program that loads it has. */
function copyDriver(root: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const driver = join(root, libraryFolder, "libvulkan_lvp.so");
  const libraries = librariesOf(driver, [join(root, libraryFolder), join(root, "lib/x86_64-linux-gnu")])
    .filter(([name, path]) => path.startsWith(root) && !/^lib(stdc\+\+|gcc_s)/.test(name))
    .map(([name, path]) => [name, path] as const);
  for (const [name, path] of [["libvulkan_lvp.so", driver] as const, ...libraries]) {
    copyFileSync(path, join(to, name));
    output("patchelf", ["--force-rpath", "--set-rpath", "$ORIGIN", join(to, name)]);
  }
}
