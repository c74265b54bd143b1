/** Installs the llama.cpp server of Debian's unstable release into a folder of its own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { findLlamaServer, llamaInstallFolder } from "./find-server.ts";

/** The server, the programs that tests use beside it, and the backend that distributes a model over hosts. */
const packages = ["llama.cpp-tools", "llama.cpp-tools-extra", "libggml0-backend-rpc"];

/** @throws Error that says what to do if the server cannot be installed. */
export function installLlamaServer(): void {
  const found = findLlamaServer();
  if (found) {
    console.log(`A llama.cpp server is there: ${found.root ?? found.command}.`);
    return;
  }
  const folder = llamaInstallFolder();
  if (process.getuid?.() !== 0) throw new Error(`Installing needs root. ${orSet}`);
  if (spawnSync("debootstrap", ["--version"]).error)
    throw new Error(`The program debootstrap is missing: run \`apt-get install debootstrap\`. ${orSet}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // `--include` names every package, because apt inside the folder would refuse an outdated release.
  const words = ["--variant=minbase", `--include=${packages.join(",")}`, "sid", folder];
  console.log(`Installing ${packages.join(", ")} into ${folder} (280 MB, about two minutes) …`);
  const { status } = spawnSync("debootstrap", words, { stdio: "inherit" });
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`debootstrap ended with ${status}; its last lines say why. ${orSet}`);
  }
  console.log(`Installed. Tests find the server in ${folder}.`);
}

const orSet = "Or set LLAMA_SERVER to a llama-server that you have.";
