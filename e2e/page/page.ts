/** Functions that the page's tests share: a first visit, a run to its end, axe, and a list of errors. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Errors and warnings of the page's console so far. Call before `goto`. */
export function listenForErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(message.text());
  });
  return errors;
}

export async function pressRun(page: Page): Promise<void> {
  await page.locator(".run-controls").getByRole("button", { name: "Run" }).click();
}

/**
 * Runs code at the page's address while the page itself is not there, so that it opens with what the code stored: opening it
 * twice would cost seconds of this machine.
 */
export async function beforeOpening<Value>(
  page: Page,
  store: (given: Value) => void,
  given: Value,
): Promise<void> {
  // For a page without an icon the browser would at times ask for /favicon.ico, which is not there.
  const body = '<!doctype html><link rel="icon" href="data:,">';
  await page.route("**/before-opening", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("./before-opening");
  await page.evaluate(store as (given: unknown) => void, given);
  await page.unroute("**/before-opening");
}

/**
 * Opens the page anew with a breakpoint, at which every run of the user's own pauses: the one way that is sure, since a run of the
 * bundled model may have ended before the page has drawn its first word.
 */
export async function openWithBreakpoint(
  page: Page,
  rule:
    | { type: "event"; event: "added" }
    | { type: "text"; text: string }
    | { type: "action"; action: "backtrack"; mod: null },
): Promise<void> {
  await beforeOpening(
    page,
    (breakpoint) => {
      sessionStorage.setItem("midtoken.breakpoints.v1", JSON.stringify([breakpoint]));
    },
    { ...rule, id: "of-the-test", enabled: true },
  );
  await page.goto("./");
}

/** Switches how the run is shown, in the View menu: "Shade by surprisal", "Shade by layer" or "Fold removed text". */
export async function switchView(page: Page, label: string): Promise<void> {
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("checkbox", { name: label }).click();
  await page.keyboard.press("Escape");
}

/**
 * Presses Run and waits for the end. The press removes the line about the last run below the text, since the page announces a
 * run before it waits for anything.
 */
export async function runToEnd(page: Page): Promise<void> {
  await pressRun(page);
  await untilEnded(page);
}

/** Waits for the end of the run that goes on, frame by frame: `expect` would look once in a second. */
export async function untilEnded(page: Page, timeout = 180_000): Promise<void> {
  const said = await page.evaluate(async (longest) => {
    const line = () => document.querySelector(".run-line p")?.textContent ?? "";
    const count = () => document.querySelectorAll("[data-index]").length;
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    for (const begun = performance.now(); !line().includes("Ended"); await frame())
      if (performance.now() - begun > longest) return line();
    // The last words may be drawn a frame later.
    for (let last = -1; last !== count(); ) {
      last = count();
      for (let times = 0; times < 3; times += 1) await frame();
    }
    return line();
  }, timeout);
  expect(said, "how the run stands").toContain("Ended");
}

/** The words in the ribbon, in order, with how each is marked. */
export function cells(page: Page): Promise<{ text: string; mark: string }[]> {
  return page.locator("[data-index]").evaluateAll((elements) =>
    elements.map((element) => ({
      text: element.textContent ?? "",
      mark:
        /cell-(plain|same|adjusted|forced|reinjected|removed|asked|moved|end)/.exec(element.className)?.[1] ??
        "",
    })),
  );
}

export async function textOf(page: Page): Promise<string> {
  return (await cells(page)).map(({ text }) => text).join("");
}

/** Waits for the colours that a button or panel ends with: axe would measure the contrast of those in between. */
async function untilTransitionsEnd(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => {
      const endless = animation.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY;
      return endless || animation.playState !== "running";
    }),
  );
}

/** Rules of WCAG 2.2 A and AA and best practice, or those named; answers the violations in words. */
export async function axeViolations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // By the debugger, not as a script element: the page's policy would refuse that.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  await untilTransitionsEnd(page);
  return page.evaluate(async (named) => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({
      resultTypes: ["violations"],
      // Axe would fetch files for rules about media, which the page does not have, and for a rule that is off.
      preload: false,
      ...(named.length > 0 && { runOnly: named }),
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  }, rules);
}

/** Light, dark and forced colours, one after the other and without transitions; light again afterwards. */
export async function inEachLook(page: Page, check: (look: string) => Promise<void>): Promise<void> {
  const plain = { colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" } as const;
  for (const media of [{}, { colorScheme: "dark" }, { forcedColors: "active" }] as const) {
    await page.emulateMedia({ ...plain, ...media });
    // Chromium still answers a few elements' former colours until it has drawn the new look.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    await check(JSON.stringify(media));
  }
  await page.emulateMedia(plain);
}

/** All rules in light; in dark and in forced colours those that the look can break. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
  await inEachLook(page, async (look) => {
    const rules = look === "{}" ? [] : ["color-contrast", "link-in-text-block"];
    expect(await axeViolations(page, rules), `${view} ${look}`).toEqual([]);
  });
}

/** Adds a gallery mod by its title. */
export async function addExample(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Add a mod" }).click();
  await page.getByRole("button", { name: `Try with its example prompt: ${title}`, exact: true }).click();
}

/** The address that the share dialog would copy. */
export async function sharedLink(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share this run" }).click();
  const address = await page.locator("[data-address]").getAttribute("data-address");
  await page.keyboard.press("Escape");
  if (!address) throw new Error("The share dialog has no link.");
  return address;
}

/** The page's saved runs (`src/page/runs`). */
interface KeptRuns {
  /** Whether the run that the tab would show after a reload came from elsewhere; null if it would show none. */
  readonly shownIsRecorded: boolean | null;
  readonly listed: readonly { readonly id: string; readonly from: string | null }[];
  /** How many traces there are, of deleted runs too. */
  readonly traces: number;
  /** Records of runs that go on. */
  readonly growing: readonly { readonly type: string; readonly tokens?: readonly unknown[] }[];
}

export function keptRuns(page: Page): Promise<KeptRuns> {
  return page.evaluate(async () => {
    const settled = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    // Looking must not make it: the page would find a database without its stores.
    const databases = await indexedDB.databases();
    if (!databases.some(({ name }) => name === "midtoken.runs.v1"))
      return { shownIsRecorded: null, listed: [], traces: 0, growing: [] };
    const opened = await settled(indexedDB.open("midtoken.runs.v1"));
    const names = ["metadata", "importedRuns", "pieces"] as const;
    const stores = opened.transaction(names);
    const [listed = [], importedRuns = [], pieces = []] = await Promise.all(
      names.map((name) => settled(stores.objectStore(name).getAll())),
    );
    const traces = await settled(opened.transaction("traces").objectStore("traces").count());
    opened.close();
    const shown = JSON.parse(sessionStorage.getItem("midtoken.shown-run.v1") ?? "null");
    const run = [...listed, ...importedRuns].find(({ id }) => id === shown);
    return {
      shownIsRecorded: run?.recorded ?? null,
      listed,
      traces,
      growing: pieces.flatMap(({ records }) => records),
    };
  });
}

/** Replaces the source that the editor shows. */
export async function writeSource(page: Page, source: string): Promise<void> {
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(source);
}

/** Drops a trace file on the page, and waits until the page shows its run. */
export async function dropTrace(page: Page, bytes: number[]): Promise<void> {
  // Before the page is there, nobody takes what is dropped.
  await page.getByRole("button", { name: "Share this run" }).waitFor();
  await page.evaluate((content) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(content)], "run.trace"));
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  }, bytes);
  await expect(page.locator(".recorded-banner")).toBeVisible();
}
