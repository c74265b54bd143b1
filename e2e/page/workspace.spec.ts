/** Everything that the browser keeps goes out as one file, and comes in again in another browser; nothing of it runs. */
import { readFileSync } from "node:fs";
import { beginAsLaterVisit } from "../later-visit.ts";
import {
  axeViolations,
  beforeOpening,
  expectAccessible,
  inEachLook,
  keptRuns,
  listenForErrors,
  runToEnd,
} from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const dialog = (page: Page) => page.getByRole("dialog");

async function openWorkspace(page: Page): Promise<void> {
  // A page that is not there yet hears no key.
  await page.getByRole("button", { name: "Add a mod" }).waitFor();
  await page.keyboard.press("Control+k");
  await dialog(page).getByRole("combobox").fill("workspace");
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByRole("heading", { name: "Workspace" })).toBeVisible();
}

test("mods, prompt and runs are saved, and brought into another browser", async ({
  page,
  browser,
  baseURL,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.getByLabel("user turn").fill("The dragon and the boat");
  await runToEnd(page);
  await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(1);
  await openWorkspace(page);
  await expect(dialog(page).getByLabel("1 run,")).toBeChecked();
  await inEachLook(page, async () => expect(await axeViolations(page)).toEqual([]));
  const download = page.waitForEvent("download");
  await dialog(page).getByRole("button", { name: "Save as a file" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^midtoken-workspace-\d{4}-\d\d-\d\d\.jsonl$/);
  const buffer = readFileSync(await file.path());

  const elsewhere = await browser.newContext({ ...(baseURL && { baseURL }) });
  await beginAsLaterVisit(elsewhere);
  const other = await elsewhere.newPage();
  await other.goto("./");
  await openWorkspace(other);
  const choose = async (name: string, content: Buffer) => {
    const chooser = other.waitForEvent("filechooser");
    await dialog(other).getByRole("button", { name: "Open a workspace …" }).click();
    await (await chooser).setFiles({ name, mimeType: "application/jsonl", buffer: content });
  };
  await choose("shopping.txt", Buffer.from("milk"));
  await expect(dialog(other).getByRole("alert")).toContainText(
    "shopping.txt was not opened. The file is not a Midtoken workspace",
  );
  await choose("mine.jsonl", buffer);
  await expect(dialog(other).getByRole("heading", { name: "Contents of mine.jsonl" })).toBeVisible();
  // Nothing of this browser's user would be replaced.
  await expect(dialog(other).getByLabel("Prompt and settings (replace yours)")).toBeChecked();
  await dialog(other).getByRole("button", { name: "Import" }).click();
  await expect(other.locator(".notice")).toContainText(/Imported .*1 run\./);
  await expect(other.getByLabel("user turn")).toHaveValue("The dragon and the boat");
  const [kept] = (await keptRuns(other)).listed as unknown as { recorded: boolean; prompt: string }[];
  expect(kept).toMatchObject({ recorded: true, prompt: "The dragon and the boat" });
  await other.locator(".notice").getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await keptRuns(other)).listed.length).toBe(0);
  await elsewhere.close();
  expect(errors).toEqual([]);
});

const turns = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ id: `t${place}`, role: "user", text: `turn ${place}` }));

test("a file of 40,000 turns leaves them out and says so; its mods come in, and one's own prompt stays", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.getByLabel("user turn").fill("Mine");
  await openWorkspace(page);
  const chooser = page.waitForEvent("filechooser");
  await dialog(page).getByRole("button", { name: "Open a workspace …" }).click();
  const line = (setup: object) =>
    `${JSON.stringify({
      midtoken: "workspace",
      version: 1,
      runCount: 0,
      vectors: [],
      mods: [{ name: "came", source: "export default 1;", needs: null, entry: null }],
      setup: { settings: {}, ...setup },
    })}\n`;
  await (await chooser).setFiles({
    name: "large.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from(line({ turns: turns(40_000) })),
  });
  await expect(dialog(page).getByRole("alert")).toHaveText(
    "The file’s prompt has 40,000 turns, but the limit is 200. The file’s prompt and settings were skipped.",
  );
  await expect(dialog(page).getByLabel("Prompt and settings (replace yours)")).toBeDisabled();
  await expectAccessible(page, "the refusal");
  await dialog(page).getByRole("button", { name: "Import" }).click();
  await expect(page.locator(".notice")).toContainText("Imported 1 mod and 0 runs.");
  await expect(page.getByLabel("user turn")).toHaveValue("Mine");

  await openWorkspace(page);
  const again = page.waitForEvent("filechooser");
  await dialog(page).getByRole("button", { name: "Open a workspace …" }).click();
  await (await again).setFiles({
    name: "small.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from(line({ turns: turns(1) })),
  });
  await expect(dialog(page).getByLabel("Prompt and settings (replace yours)")).not.toBeChecked();
  await dialog(page).getByLabel("Prompt and settings (replace yours)").check();
  await dialog(page).getByRole("button", { name: "Import" }).click();
  await expect(page.getByLabel("user turn")).toHaveValue("turn 0");
  await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByLabel("user turn")).toHaveValue("Mine");
  expect(errors).toEqual([]);
});

test("a page whose storage holds 40,000 turns, 300,000 stop sequences and a damaged mod opens, and sets them aside", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  const kept = {
    "midtoken.conversation.v1": JSON.stringify({ turns: turns(40_000) }),
    "midtoken.settings.v1": JSON.stringify({ stop: new Array(300_000).fill("s"), maxTokens: 7 }),
    "midtoken.mod.v2.whole": JSON.stringify({ name: "whole", source: "export default 1;" }),
    "midtoken.mod.v2.cut": '{"name":"cut","sou',
  };
  await beforeOpening(
    page,
    (entries) => {
      for (const [key, text] of Object.entries(entries)) localStorage.setItem(key, text);
    },
    kept,
  );
  await page.goto("./");
  await expect(page.getByLabel("user turn")).toHaveCount(1);
  // The settings are among what is set aside, so the page begins as on a first visit.
  await page.getByRole("button", { name: "All controls" }).click();
  await expect(page.getByRole("checkbox", { name: "Include whole in the next run" })).toBeVisible();
  const banner = page.locator(".banner", { hasText: "Set aside" });
  await expect(banner).toContainText("3 entries saved in this browser cannot be used");
  await expectAccessible(page, "the banner");
  await page.reload();
  await banner.getByRole("button", { name: "Save or delete" }).click();
  await expect(dialog(page).getByText("has 40,000 turns, but the limit is 200.")).toBeVisible();
  await expectAccessible(page, "what is set aside");
  const download = page.waitForEvent("download");
  await dialog(page).getByRole("button", { name: "Save the unusable entries" }).click();
  const saved = readFileSync(await (await download).path(), "utf8")
    .trim()
    .split("\n");
  const texts = Object.fromEntries(
    saved.map((each) => JSON.parse(each)).map(({ storageKey, text }) => [storageKey, text]),
  );
  const { "midtoken.mod.v2.whole": _whole, ...damaged } = kept;
  expect(texts).toEqual(damaged);
  await dialog(page).getByRole("button", { name: "Delete the unusable entries" }).click();
  await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
  await expect(dialog(page).getByRole("heading", { name: "Set aside" })).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(banner).toBeHidden();
  expect(errors).toEqual([]);
});

test("a mod is saved as a file, and one that is dropped is among the mods, switched off", async ({
  page,
}) => {
  await page.goto("./");
  await page.getByRole("button", { name: "More actions for swap-name" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("swap-name.ts");
  const source = readFileSync(await file.path(), "utf8");
  expect(source).toContain("export default mod(");
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "other.ts"));
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  }, source);
  await expect(page.locator(".notice")).toContainText("other was added to your mods, switched off.");
  await expect(page.getByRole("checkbox", { name: "Include other in the next run" })).not.toBeChecked();
});
