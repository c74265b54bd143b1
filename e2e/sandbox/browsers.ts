/** Starts a browser on an address and ends it again. Both browsers alike: the page runs by itself and posts what it found. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumArgs, ensureChromium, ensureFirefox } from "../../scripts/browsers.mjs";

export type BrowserName = "chromium" | "firefox";

/** A machine that is not in UTC and does not speak English, so that both can be told from what the sandbox says. */
export const machineZone = "Asia/Kolkata";

export interface RunningBrowser {
  close(): Promise<void>;
}

export async function startBrowser(name: BrowserName, url: string): Promise<RunningBrowser> {
  const profile = mkdtempSync(join(tmpdir(), `midtoken-${name}-`));
  const child = name === "chromium" ? await startChromium(profile, url) : startFirefox(profile, url);
  return {
    async close() {
      await end(child);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

const environment = { ...process.env, TZ: machineZone, LANGUAGE: "de", LC_ALL: "de_DE.UTF-8" };

async function startChromium(profile: string, url: string): Promise<ChildProcess> {
  const args = ["--headless=new", ...chromiumArgs, `--user-data-dir=${profile}`, "--lang=de", url];
  return spawn(await ensureChromium(), args, { stdio: "ignore", env: environment, detached: true });
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
  // Mends for other sites, of which Firefox prints a list.
  "extensions.webcompat.perform_injections": false,
  "intl.accept_languages": "de",
  // The STUN server that listens is on this machine.
  "media.peerconnection.ice.loopback": true,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "toolkit.telemetry.enabled": false,
};

function startFirefox(profile: string, url: string): ChildProcess {
  const lines = Object.entries(firefoxPreferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, "user.js"), lines.join("\n"));
  const args = ["--headless", "--no-remote", "--profile", profile, url];
  return spawn(ensureFirefox(), args, { stdio: "ignore", env: environment, detached: true });
}

/** A browser is many processes: the group that this one leads goes as a whole. */
async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((done) => child.once("exit", () => done()));
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  else return;
  await gone;
}
