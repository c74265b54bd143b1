/** The suite's figures as rows: attempts blocked in each browser, and what gets out where there is no sandbox. */
import { ensureFirefox } from "../../../scripts/browsers.mjs";
import type { BrowserName } from "../../sandbox/browsers.ts";
import { SuiteBrowser } from "../../sandbox/suite.ts";
import type { Outcome } from "../../sandbox/targets.ts";
import { atLeast, type BenchRow, exactly } from "../machine.ts";

const blocked = (outcomes: readonly Outcome[]) => outcomes.filter(({ leak }) => leak === null).length;

async function rowsIn(browser: BrowserName): Promise<BenchRow[]> {
  const suite = await SuiteBrowser.open(browser);
  try {
    return await rowsOf(browser, suite);
  } finally {
    await suite.close();
  }
}

async function rowsOf(browser: BrowserName, suite: SuiteBrowser): Promise<BenchRow[]> {
  const { outcomes: capability, absent } = await suite.run("capability");
  const missing = new Set(absent.map(({ name }) => name));
  const inSandbox = capability.filter(({ mode, name }) => mode === "sandbox" && !missing.has(name));
  const control = capability.filter(({ mode }) => mode === "control");
  const protocol = (await suite.run("protocol")).outcomes;
  const denial = (await suite.run("denial")).outcomes;
  const all = [...inSandbox, ...protocol, ...denial];
  return [
    exactly(
      `suite in ${browser}: blocked, of 73 less ${missing.size} that do not exist there`,
      blocked(all),
      "attempts",
      73 - missing.size,
    ),
    atLeast(
      `control in ${browser}: got out, of ${control.length}`,
      control.length - blocked(control),
      "attempts",
      20,
    ),
  ];
}

export async function suiteRows(): Promise<BenchRow[]> {
  ensureFirefox();
  return [...(await rowsIn("chromium")), ...(await rowsIn("firefox"))];
}
