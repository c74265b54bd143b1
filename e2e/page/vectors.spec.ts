/** A vector is made on the bundled model from two lists, kept, found again after a reload, put into a mod, and steers its run. */
import { readFileSync } from "node:fs";
import { axeViolations, inEachLook, listenForErrors, runToEnd, textOf } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const dialog = (page: Page) => page.getByRole("dialog", { name: /^(Steering vectors|Make a vector)$/ });

async function openVectors(page: Page): Promise<void> {
  // A page that is not there yet hears no key.
  await page.getByRole("button", { name: "Add a mod" }).waitFor();
  await page.keyboard.press("v");
  await expect(dialog(page).getByRole("heading", { name: "Steering vectors", exact: true })).toBeVisible();
}

const happy = [
  "Lily was very happy and smiled.",
  "Tom was so happy that he laughed.",
  "The dog was happy and played.",
  "Mom was happy and gave a big hug.",
  "They were happy and had fun.",
  "The bird was happy and sang.",
];
const sad = [
  "Lily was very sad and cried.",
  "Tom was so sad that he wept.",
  "The dog was sad and hid.",
  "Mom was sad and went away.",
  "They were sad and had pain.",
  "The bird was sad and fell.",
];

test("a vector is made, kept, put into a mod, and steers", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await openVectors(page);
  const box = dialog(page);
  await expect(box).toContainText("There are no vectors yet.");
  await expect(box.getByRole("region", { name: "Examples" })).toContainText("made on SmolLM2 135M Instruct");
  await expect(box.getByRole("article", { name: "cheerful" })).toContainText("Cheerful words");
  await inEachLook(page, async (look) => expect(await axeViolations(page), `list ${look}`).toEqual([]));

  await box.getByRole("button", { name: "Make a vector" }).click();
  await box.getByRole("button", { name: "Read the texts" }).click();
  await expect(box.getByRole("alert")).toContainText("“Toward” has no text. A list needs at least 2 texts");
  await box.getByLabel("Toward").fill(happy.join("\n"));
  await box.getByLabel("Away from").fill(`${sad.join("\n")}\n\n`);
  await expect(box.getByText("6 texts")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await openVectors(page);
  await box.getByRole("button", { name: "Make a vector" }).click();
  await expect(box.getByLabel("Away from")).toHaveValue(`${sad.join("\n")}\n\n`);
  await box.getByRole("button", { name: "Read the texts" }).click();
  const slider = box.getByRole("slider", { name: "Layer" });
  await expect(slider).toBeVisible();
  await expect(box.getByRole("row")).toHaveCount(13);
  await expect(box.getByText("recommended")).toBeVisible();
  const chosen = await slider.inputValue();
  await slider.press("ArrowLeft");
  await expect(box).toContainText(`Layer ${Number(chosen) - 1}:`);
  await box.getByRole("button", { name: `Back to layer ${chosen}` }).click();
  await inEachLook(page, async (look) => expect(await axeViolations(page), `made ${look}`).toEqual([]));

  await box.getByRole("button", { name: "Save vector" }).click();
  await expect(box.getByRole("alert")).toContainText("Enter a name");
  await box.getByLabel("Name", { exact: true }).fill("happy");
  await box.getByLabel("Name", { exact: true }).press("Enter");
  const card = box.getByRole("article", { name: "happy" });
  await expect(card).toContainText(`Layer${chosen} (0 to 4)`);
  await expect(box.getByRole("status").filter({ hasText: "happy was saved." })).toHaveCount(1);

  await test.step("its file goes out and comes in again; what is none is refused", async () => {
    await card.getByRole("button", { name: "More actions for happy" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("happy.vector.json");
    const choose = async (name: string, content: Buffer) => {
      const chooser = page.waitForEvent("filechooser");
      await box.getByRole("button", { name: "Open a file …" }).click();
      await (await chooser).setFiles({ name, mimeType: "application/json", buffer: content });
    };
    await choose("shopping.json", Buffer.from("milk"));
    await expect(box.getByRole("alert")).toContainText(
      "shopping.json was not opened. The file is not a Midtoken vector",
    );
    await choose("mine.json", readFileSync(await file.path()));
    await expect(box.getByRole("article", { name: "happy" })).toHaveCount(2);
    await box.getByRole("button", { name: "More actions for happy" }).first().click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect(box.getByRole("article", { name: "happy" })).toHaveCount(1);
    await box.getByRole("button", { name: "Undo" }).click();
    await expect(box.getByRole("article", { name: "happy" })).toHaveCount(2);
    await box.getByRole("button", { name: "More actions for happy" }).first().click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect(box.getByRole("article", { name: "happy" })).toHaveCount(1);
  });

  await page.reload();
  await openVectors(page);
  await dialog(page)
    .getByRole("article", { name: "happy" })
    .getByRole("button", { name: "Insert into the mod" })
    .click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByText("now contains this vector, as happy.")).toBeVisible();
  await expect(page.locator(".monaco-editor")).toContainText("const happy = steeringVector");
  await page.getByRole("button", { name: "Undo" }).click();

  await openVectors(page);
  await dialog(page)
    .getByRole("article", { name: "happy" })
    .getByRole("button", { name: "More actions for happy" })
    .click();
  await page.getByRole("button", { name: "New mod with this vector" }).click();
  await runToEnd(page);
  const steered = await textOf(page);
  await expect(page.getByRole("button", { name: /^steered \d/ })).toBeVisible();
  await expect.poll(() => page.locator(".cell-steered").count()).toBeGreaterThan(20);
  await page.getByLabel("Include steer-happy in the next run").uncheck();
  await runToEnd(page);
  expect(await textOf(page)).not.toBe(steered);
  expect(errors).toEqual([]);
});
