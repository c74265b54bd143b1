/**
 * Finds the browsers that the tests need, and installs missing ones with apt-get or Playwright. Plain JavaScript, because it runs
 * before anything is built.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Full path of the first of `names` on the PATH, or null. */
function which(names) {
  for (const name of names) {
    if (name.includes("/") && existsSync(name)) return name;
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  return null;
}

function run(command, args) {
  return spawnSync(command, args, { stdio: ["ignore", process.stderr, process.stderr] }).status === 0;
}

async function playwrightChromium() {
  try {
    const { chromium } = await import("playwright-core");
    const path = chromium.executablePath();
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/** Looks at CHROMIUM_PATH, then for chromium and google-chrome, then for Playwright's own Chromium; null if there is none. */
export async function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (!existsSync(given))
      throw new Error(`CHROMIUM_PATH is ${given}, and no file is there. Correct it or unset it.`);
    return given;
  }
  return (
    which([
      "chromium",
      "chromium-browser",
      "google-chrome",
      "google-chrome-stable",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ]) ?? (await playwrightChromium())
  );
}

export function findFirefox() {
  return (
    process.env.FIREFOX_PATH ??
    which(["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"])
  );
}

function aptInstall(name) {
  if (!which(["apt-get"])) return false;
  const root = process.getuid?.() === 0;
  if (!root && !which(["sudo"])) return false;
  const prefix = root ? [] : ["sudo", "-n"];
  const apt = (...args) => {
    const [command, ...rest] = [...prefix, "apt-get", ...args];
    return run(command, rest);
  };
  console.error(`Installing ${name} with apt-get …`);
  return apt("update", "-qq") && apt("install", "-y", "-qq", "--no-install-recommends", name);
}

/** Path of a Chromium; installs one with apt-get or Playwright if needed. @throws Error that says how to install one by hand */
export async function ensureChromium() {
  const found = await findChromium();
  if (found) return found;
  if (aptInstall("chromium") || run("npx", ["playwright", "install", "chromium"])) {
    const installed = await findChromium();
    if (installed) return installed;
  }
  throw new Error(
    "No Chromium was found and none could be installed. Install Chromium or Chrome, and set CHROMIUM_PATH to its program file.",
  );
}

/**
 * Path of the browser that Playwright drives in tests: HEADLESS_SHELL_PATH; else CHROMIUM_PATH; else Debian's
 * chromium-headless-shell, which is installed where Chromium is Debian's. The headless shell is Chromium without its own windows:
 * a page takes about 0.75 s less processor time than in `chromium --headless`. Elsewhere the browser of `ensureChromium`. Tests of
 * extensions, of settings and of a browser without developer tools need a whole Chromium, and take `ensureChromium`.
 */
export async function ensureHeadlessShell() {
  const { HEADLESS_SHELL_PATH: given, CHROMIUM_PATH: chromium } = process.env;
  if (given && !existsSync(given))
    throw new Error(`HEADLESS_SHELL_PATH is ${given}, and no file is there. Correct it or unset it.`);
  if (given) return given;
  const shells = ["chromium-headless-shell"];
  const found = chromium ? null : which(shells);
  if (found) return found;
  const path = await ensureChromium();
  const isOfDebian = path.startsWith("/usr/bin/chromium") && existsSync("/etc/debian_version");
  if (!chromium && isOfDebian && aptInstall(shells[0])) return which(shells) ?? path;
  console.error(`The tests run in ${path}, which takes longer than chromium-headless-shell.`);
  return path;
}

/** Path of a Firefox; installs one with apt-get if needed. @throws Error that says how to install one by hand */
export function ensureFirefox() {
  const found = findFirefox();
  if (found) return found;
  if (aptInstall("firefox-esr")) {
    const installed = findFirefox();
    if (installed) return installed;
  }
  throw new Error(
    "No Firefox was found and none could be installed. The sandbox suite runs in Firefox too: install it, and set FIREFOX_PATH to its program file.",
  );
}
