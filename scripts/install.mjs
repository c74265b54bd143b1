/** Installs the exact versions of package-lock.json if they are not installed yet. Plain JavaScript, because it runs on a bare clone. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program in the repository and shows its output. Exits this process if the program fails. */
export function runOrExit(command, args, environment = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environment },
    shell: process.platform === "win32",
  });
  if (error) console.error(`${command} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Runs a program that runs until somebody stops it, such as a server, and shows its output. Signals to this process are forwarded
 * to the program: a supervisor sends SIGTERM only to the process that it started. This process ends with the program's exit
 * status.
 */
export function runUntilStopped(command, args) {
  const program = spawn(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => program.kill(signal));
  program.on("error", (error) => {
    console.error(`${command} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  program.on("exit", (status, signal) => {
    process.exitCode = status ?? 128 + constants.signals[signal];
  });
}

export function installIfNeeded() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(
      `Node ${process.versions.node} is too old: Midtoken needs Node 20.19 or newer. See https://nodejs.org.`,
    );
    process.exit(1);
  }
  if (isInstalled(root)) return;
  console.error("Installing packages (once; works offline from then on) …");
  runOrExit("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]);
}

/**
 * Whether `node_modules` contains exactly the packages of package-lock.json. npm lists the installed packages in
 * `node_modules/.package-lock.json`. Optional packages for other systems may be missing.
 */
export function isInstalled(folder) {
  const found = packagesOf(`${folder}/node_modules/.package-lock.json`);
  const wanted = packagesOf(`${folder}/package-lock.json`);
  if (found === null || wanted === null) return false;
  return Object.entries(wanted).every(([path, each]) => {
    if (path === "") return true;
    const there = found[path];
    if (there === undefined) return each.optional === true;
    return there.version === each.version && there.integrity === each.integrity;
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return null;
  }
}

/** Path of a program that a package installed. */
export const bin = (name) => `${root}/node_modules/.bin/${name}`;
