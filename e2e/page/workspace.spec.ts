/** Everything that the browser keeps goes out as one file, and comes in again in another browser; nothing of it runs. */
import { readFileSync } from "node:fs";
import { axeViolations, inEachLook, keptRuns, listenForErrors, runToEnd } from "./page.ts";
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
    "shopping.txt was not opened. The file is no workspace",
  );
  await choose("mine.jsonl", buffer);
  await expect(dialog(other).getByRole("heading", { name: "What mine.jsonl holds" })).toBeVisible();
  await dialog(other).getByRole("button", { name: "Bring in" }).click();
  await expect(other.locator(".notice")).toContainText("1 run came in");
  await expect(other.getByLabel("user turn")).toHaveValue("The dragon and the boat");
  const [kept] = (await keptRuns(other)).listed as unknown as { recorded: boolean; prompt: string }[];
  expect(kept).toMatchObject({ recorded: true, prompt: "The dragon and the boat" });
  await other.locator(".notice").getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await keptRuns(other)).listed.length).toBe(0);
  await elsewhere.close();
  expect(errors).toEqual([]);
});

test("a mod is saved as a file, and one that is dropped is among the mods, switched off", async ({
  page,
}) => {
  await page.goto("./");
  await page.getByRole("button", { name: "More for swap-name" }).click();
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
  await expect(page.locator(".notice")).toContainText("other is among the mods, switched off.");
  await expect(page.getByRole("checkbox", { name: "other takes part" })).not.toBeChecked();
});
