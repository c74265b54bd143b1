/** A tab that the browser puts to sleep in mid-run: an honest mod is not stopped for time that its tab did not get. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@playwright/test";
import { longestProcessStandstillMs } from "../../src/runtime/sandbox/deadlines.ts";
import { PlainChromium } from "./plain-chromium.ts";

/** It is at work nearly all of the time, so that the tab most likely falls asleep while it is asked. */
const honest = `import { mod } from "midtoken/mod";
export default mod({ added() { let sum = 0; for (let i = 0; i < 3e7; i++) sum += i % 7; if (sum < 0) throw new Error("odd"); } });`;
/** Two seconds of work on a fast machine: the tab is put to sleep long before the last one. */
const tokens = 60;
/** More than an event of this mod takes on a machine that is busy with other work. */
const deadlineMs = 4_000;

test("a run goes on where it was when its tab wakes up", async ({ baseURL }) => {
  const browser = await PlainChromium.launch();
  try {
    const other = await browser.openTab("about:blank");
    const tab = await browser.openTab("about:blank");
    // Chromium 156 closes the sockets of a tab that sleeps, and the dev server's own script then loads the page again.
    await tab.goto(
      `${baseURL}/e2e/session/session.html`,
      "window.WebSocket = class extends EventTarget { send() {} close() {} };",
    );
    await tab.bringToFront();
    await expect.poll(() => tab.evaluate(`"midtoken" in window`)).toBe(true);
    await tab.evaluate(`midtoken.load("wasm").then(() => null)`);
    await tab.evaluate(`window.states = [];
for (const name of ["freeze", "resume"]) document.addEventListener(name, () => states.push(name + " " + document.visibilityState));
midtoken.run([{ name: "honest", source: ${JSON.stringify(honest)} }], { maxTokens: ${tokens}, deadlines: { event: ${deadlineMs} } }).then((outcome) => { window.outcome = outcome; });
null`);
    const shown = () => tab.evaluate(`midtoken.shown()`);
    await expect.poll(shown, { intervals: [20] }).toBeGreaterThan(3);

    await other.bringToFront();
    await tab.setLifecycle("frozen");
    await expect.poll(() => tab.evaluate(`states.join()`)).toBe("freeze hidden");
    const asleep = await shown();
    // Longer than a mod may take, and longer than its process may stand still.
    await sleep(deadlineMs + longestProcessStandstillMs + 500);
    expect(await shown()).toBe(asleep);
    expect(asleep).toBeLessThan(tokens);

    await tab.setLifecycle("active");
    await tab.bringToFront();
    await expect
      .poll(() => tab.evaluate(`window.outcome ? JSON.stringify([outcome.reason, outcome.error]) : null`), {
        timeout: 240_000,
      })
      .toBe('["length",null]');
    expect(await shown()).toBe(tokens);
    expect(await tab.evaluate(`states.join()`)).toBe("freeze hidden,resume hidden");
  } finally {
    await browser.close();
  }
});
