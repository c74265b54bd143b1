/** What the page's tests share: a first visit, a run to its end, axe, and an ear for what goes wrong. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What a visitor's console would show of errors and warnings, as it comes. Call before `goto`. */
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

/** Presses Run and waits for the end. */
export async function runToEnd(page: Page): Promise<void> {
  await pressRun(page);
  await expect(page.locator(".run-line p").first()).toContainText("Ended", { timeout: 60_000 });
}

/** The words in the ribbon, in order, with how each is marked. */
export function cells(page: Page): Promise<{ text: string; mark: string }[]> {
  return page.locator("[data-index]").evaluateAll((elements) =>
    elements.map((element) => ({
      text: element.textContent ?? "",
      mark: /cell-(plain|odds|adjusted|forced|reinjected|removed|end)/.exec(element.className)?.[1] ?? "",
    })),
  );
}

export async function textOf(page: Page): Promise<string> {
  return (await cells(page)).map(({ text }) => text).join("");
}

/** Rules of WCAG 2.2 A and AA and best practice; answers the violations in words. */
export async function axeViolations(page: Page): Promise<string[]> {
  // By the debugger, not as a script element: the page's policy would refuse that.
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  });
}

/** Adds a gallery mod by its title. */
export async function addExample(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Add a mod" }).click();
  await page.locator(".gallery-card", { has: page.getByText(title, { exact: true }) }).click();
}

/** The address that the share dialog would copy. */
export async function sharedLink(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share this run" }).click();
  const address = await page.locator("[data-address]").getAttribute("data-address");
  await page.keyboard.press("Escape");
  if (!address) throw new Error("The share dialog has no link.");
  return address;
}

/** An entry of what the page keeps of its runs (`store/last-run.ts`): a whole run, or a piece of one that goes on. */
interface KeptEntry {
  readonly key: string;
  /** It was opened from a file or a link. */
  readonly recorded: boolean;
  /** Of a piece. */
  readonly records: readonly { readonly type: string; readonly tokens?: readonly unknown[] }[];
}

export function keptRuns(page: Page): Promise<KeptEntry[]> {
  return page.evaluate(async () => {
    const settled = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const opened = await settled(indexedDB.open("midtoken.v1"));
    const store = opened.transaction("runs").objectStore("runs");
    const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    opened.close();
    return keys.map((key, place) => {
      const { recorded = false, records = [] } = values[place];
      return { key: String(key), recorded, records };
    });
  });
}
