/** The path of a newcomer in Firefox: from the first visit to a link that someone else opens, with a clean console. */
import { expect, test } from "@playwright/test";
import { Firefox } from "../firefox/marionette.ts";

const cellsOf = () =>
  Array.from(document.querySelectorAll("[data-index]"), (element) => ({
    text: element.textContent ?? "",
    mark: /cell-(\w+)/.exec(element.className)?.[1] ?? "",
  }));

/** Presses Run and waits for the end. Where the machine does much else a mod may not get to answer in time: then once more. */
async function runToEnd(firefox: Firefox): Promise<void> {
  for (let time = 1; ; time++) {
    await firefox.click('//*[contains(@class, "run-controls")]//button[starts-with(., "Run")]');
    const outcome = await firefox.waitForText(".run-line p", /Ended|did not answer/);
    if (outcome.includes("Ended")) return;
    if (time === 5) throw new Error(outcome);
  }
}

test("in Firefox a first visit runs with its mods, and the link shows the same", async ({ baseURL }) => {
  const address = baseURL ?? "";
  const firefox = await Firefox.launch();
  try {
    await firefox.goto(address);
    await runToEnd(firefox);
    await firefox.waitForText(".model-where", /WebAssembly/);
    const cells = await firefox.evaluate(cellsOf);
    const marks = cells.map(({ mark }) => mark);
    expect(marks).toContain("plain");
    expect(marks).toContain("forced");

    await firefox.click('//button[.="Share this run" or @aria-label="Share this run"]');
    const link = await firefox.evaluate(() =>
      document.querySelector("[data-address]")?.getAttribute("data-address"),
    );
    expect(link).toContain("#t");
    await firefox.openTab();
    await firefox.goto(link ?? "");
    await firefox.waitForText("body", /Recorded by someone else\. Nothing has run\./);
    expect(await firefox.evaluate(cellsOf)).toEqual(cells);
    const { origin } = new URL(address);
    expect(await firefox.consoleFaults(origin)).toEqual([]);
    // The ear is open: planted faults are heard.
    await firefox.evaluate(() => {
      console.error("planted");
      const frame = document.createElement("iframe");
      frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="webrtc 'block'">`;
      document.body.append(frame);
    });
    await expect
      .poll(() => firefox.consoleFaults(origin))
      .toEqual(
        expect.arrayContaining([expect.stringContaining("webrtc"), expect.stringContaining("planted")]),
      );
  } finally {
    await firefox.close();
  }
});
