/** The gallery: found by a word, taken into the editor, run in the sandbox, seen in the text and on the timeline. */

import { addExample, axeViolations, cells, listenForErrors, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** What stands in the end, and what was taken out, each as one text. */
async function textsOf(page: Page): Promise<{ readonly standing: string; readonly removed: string }> {
  const all = await cells(page);
  const join = (isRemoved: boolean) =>
    all
      .filter(({ mark }) => (mark === "removed") === isRemoved)
      .map(({ text }) => text)
      .join("");
  return { standing: join(false), removed: join(true) };
}

async function openGallery(page: Page): Promise<void> {
  await page.goto("./");
  await page.getByRole("button", { name: "Add a mod" }).click();
}

test("the gallery is searched from the keyboard", async ({ page }) => {
  const errors = listenForErrors(page);
  await openGallery(page);
  const field = page.getByLabel("Find a mod");
  await expect(field).toBeFocused();
  const cards = page.locator(".gallery-card");
  const count = await cards.count();
  expect(count).toBeGreaterThan(40);
  await expect(page.getByRole("status").filter({ hasText: "mods" })).toHaveText(`${count} mods`);

  await page.keyboard.type("no such thing");
  await expect(cards).toHaveCount(0);
  await expect(page.getByText("No mod has “no such thing”")).toBeVisible();
  await field.fill("schema json");
  await expect(cards.first()).toContainText("JSON");
  expect(await axeViolations(page)).toEqual([]);

  await field.fill("adventure");
  await expect(cards).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(field).toHaveCount(0);
  await expect(page.locator(".mod-item[data-active=true] .mod-name")).toHaveText("adventure");
  expect(errors).toEqual([]);
});

test("a hidden question leaves the story as it is, and stands on the timeline as taken out", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await addExample(page, "Ask in the middle");
  await runToEnd(page);
  const asked = await textsOf(page);
  expect(asked.removed).toBe(" The story is about a boy");

  await page.getByLabel("hidden-question takes part").uncheck();
  await runToEnd(page);
  expect(await textsOf(page)).toEqual({ standing: asked.standing, removed: "" });
  expect(errors).toEqual([]);
});

test("a flow writes what comes of its answers, as forced words, and takes its questions out", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await addExample(page, "Adventure");
  await runToEnd(page);
  const { standing, removed } = await textsOf(page);
  expect(standing).toMatch(/^, a dog went to the \w+\. There he found a \w+ and a \w+\./);
  expect(removed).toMatch(/^( There he found a \w+){2,}$/);
  const forced = (await cells(page)).filter(({ mark }) => mark === "forced").map(({ text }) => text);
  expect(forced.join("")).toContain(", a dog went to the");
  await expect(page.locator(".summary")).toContainText("adventure");
  expect(errors).toEqual([]);
});

test("a mod of the gallery brings its response format and its tools, and Undo takes them back", async ({
  page,
}) => {
  await page.goto("./");
  await addExample(page, "Short texts in JSON");
  await expect(page.getByText("by a JSON Schema").first()).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("by a JSON Schema")).toHaveCount(0);
  await addExample(page, "Call any tool");
  await expect(page.getByText("a call of 2 tools").first()).toBeVisible();
});

test("the editor completes the names of both modules, and marks an action that its event does not allow", async ({
  page,
}) => {
  await page.goto("./");
  await addExample(page, "Skeleton");
  const write = async (source: string) => {
    await page.locator(".monaco-editor .view-line").first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(source);
  };
  for (const [module, start, name] of [
    ["midtoken/flow", "selfP", "selfPromptMod"],
    ["midtoken/strategies", "jsonS", "jsonSchema"],
  ] as const) {
    await write(`import * as all from "${module}";\n\nall.`);
    await page.keyboard.type(start);
    await page.keyboard.press("Control+Space");
    await expect(
      page.locator(".suggest-widget.visible .monaco-list-row").filter({ hasText: name }).first(),
    ).toBeVisible({ timeout: 30_000 });
    await page.keyboard.press("Escape");
  }
  await write(
    'import { selfPrompt } from "midtoken/flow";\nimport { mod } from "midtoken/mod";\nimport { choices } from "midtoken/strategies";\n\nconst who = selfPrompt({ strategy: choices(["a", "b"]) });\n\nexport default mod({\n  backtracked(event, actions) {\n    if (who.answer() === "a") return actions.forceOutput("b");\n  },\n});\n',
  );
  await expect(page.locator(".problems button").first()).toContainText("forceOutput", { timeout: 30_000 });
  await expect(page.locator(".problems button")).toHaveCount(1);
  await expect(page.locator(".monaco-editor .squiggly-error").first()).toBeVisible();
});

for (const width of [360, 899]) {
  test(`the gallery fits ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 740 });
    await page.goto("./");
    await page.getByRole("tab", { name: "Write" }).click();
    await page.getByRole("button", { name: "Add a mod" }).click();
    const body = page.locator(".dialog-body");
    expect(await body.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    const field = page.getByLabel("Find a mod");
    // The dialog rises a little as it opens.
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
    const before = await field.boundingBox();
    const cards = page.locator(".gallery-card");
    const last = cards.last();
    await last.focus();
    await expect(last).toBeInViewport();
    // The field stays where it is, above the cards.
    expect((await field.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 1);
    const card = await cards.nth(20).boundingBox();
    expect((card?.y ?? 0) + (card?.height ?? 0)).toBeLessThan(before?.y ?? 0);
  });
}
