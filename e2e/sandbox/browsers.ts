/** Starts a browser on an address and ends it again. Both browsers alike: the page runs by itself and posts what it found. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { ensureChromium, ensureFirefox } from "../../scripts/browsers.mjs";
import { chromiumArgs } from "../../scripts/chromium-switches.ts";

export type BrowserName = "chromium" | "firefox";

const allBrowsers: readonly BrowserName[] = ["chromium", "firefox"];

/** The browsers that the tests run in. `E2E_BROWSERS=chromium` leaves out Firefox, as `npm test` does. */
export const testedBrowsers = allBrowsers.filter(
  (name) => process.env.E2E_BROWSERS?.split(",").includes(name) ?? true,
);

/** Where a browser believes itself to be. */
export interface Machine {
  readonly zone: string;
  readonly locale: string;
}

/** Not in UTC and not American, so that both can be told from what the sandbox says. */
const usualMachine: Machine = { zone: "Asia/Kolkata", locale: "de-DE" };

/** Two that differ in all. Firefox without language packs speaks English; of which country is the machine's to say. */
export const differentMachines: Readonly<Record<BrowserName, readonly [Machine, Machine]>> = {
  chromium: [usualMachine, { zone: "America/St_Johns", locale: "ar-EG" }],
  firefox: [
    { zone: "Asia/Kolkata", locale: "en-IN" },
    { zone: "America/St_Johns", locale: "en-GB" },
  ],
};

export interface RunningBrowser {
  close(): Promise<void>;
}

/** A browser of this machine's own in all but zone and language. */
export async function startBrowserOn(
  machine: Machine,
  name: BrowserName,
  url: string,
): Promise<RunningBrowser> {
  return name === "chromium" ? startEmulated(machine, url) : startBrowser(name, url, machine);
}

/**
 * Chromium has only the languages that it was installed with; the developer tools give it any. They reach a frame with a
 * process of its own too late: here frames have none. The results of a realm do not depend on that.
 */
async function startEmulated({ zone, locale }: Machine, url: string): Promise<RunningBrowser> {
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: [...chromiumArgs(), "--disable-features=IsolateSandboxedIframes"],
  });
  const page = await (await browser.newContext({ locale, timezoneId: zone })).newPage();
  await page.goto(url);
  return browser;
}

export async function startBrowser(
  name: BrowserName,
  url: string,
  machine: Machine = usualMachine,
): Promise<RunningBrowser> {
  const profile = mkdtempSync(join(tmpdir(), `midtoken-${name}-`));
  const environment = environmentOf(machine);
  const child =
    name === "chromium"
      ? await startChromium(profile, url, environment)
      : startFirefox(profile, url, environment);
  return {
    async close() {
      await endBrowser(child);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function environmentOf({ zone, locale }: Machine): NodeJS.ProcessEnv {
  return { ...process.env, TZ: zone, LANGUAGE: locale, LC_ALL: `${locale.replace("-", "_")}.UTF-8` };
}

async function startChromium(profile: string, url: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const args = ["--headless=new", ...chromiumArgs(), `--user-data-dir=${profile}`, "--lang=de", url];
  return spawn(await ensureChromium(), args, { stdio: "ignore", env, detached: true });
}

/** Quiet: no first-run pages, updates or reports. */
export const firefoxPreferences = {
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.max_script_run_time": 0,
  "extensions.update.enabled": false,
  "intl.accept_languages": "de",
  // The STUN server that listens is on this machine.
  "media.peerconnection.ice.loopback": true,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "toolkit.telemetry.enabled": false,
};

function startFirefox(profile: string, url: string, env: NodeJS.ProcessEnv): ChildProcess {
  const preferences = { ...firefoxPreferences, "intl.regional_prefs.use_os_locales": true };
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, "user.js"), lines.join("\n"));
  const args = ["--headless", "--no-remote", "--profile", profile, url];
  return spawn(ensureFirefox(), args, { stdio: "ignore", env, detached: true });
}

/** A browser is many processes: the group that this one leads goes as a whole. */
export async function endBrowser(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((done) => child.once("exit", () => done()));
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  else return;
  await gone;
}
