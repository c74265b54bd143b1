/** The editor knows the SDK, and shows what is wrong on its line: types, syntax, and what failed in a run. */

import { addExample, cells, pressRun, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

async function write(page: Page, source: string): Promise<void> {
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(source);
}

test("an action that an event does not allow is a type error on its line", async ({ page }) => {
  await page.goto("./");
  await addExample(page, "Rename the hero");
  await expect(page.locator(".problems")).toHaveCount(0);
  await write(
    page,
    'import { mod } from "midtoken/mod";\n\nexport default mod({\n  finished(_event, actions) {\n    return actions.forceTokens("no");\n  },\n});\n',
  );
  const problem = page.locator(".problems button").first();
  await expect(problem).toContainText("rename-hero:5", { timeout: 20_000 });
  await expect(problem).toContainText("forceTokens");
  await problem.click();
  await expect(page.locator(".monaco-editor.focused, .monaco-editor .focused").first()).toBeVisible();
});

test("strategies and flows are known, with their mistakes", async ({ page }) => {
  await page.goto("./");
  await addExample(page, "Rename the hero");
  const source = (kind: string) =>
    `import { chars } from "midtoken/strategies";\nimport { flow, question } from "midtoken/flow";\nconst age = question({ name: "age", prompt: "Age: ", strategy: chars("${kind}", { min: 1, max: 3, stop: "." }) });\nexport default flow({ entry: age }).asMod();\n`;
  await write(page, source("digit"));
  const problems = page.locator(".problems button");
  await expect(problems.first()).toContainText("rename-hero:3", { timeout: 20_000 });
  await expect(problems).toHaveCount(1);
  await expect(problems.first()).toContainText('"digit"');
  await write(page, source("digits"));
  await expect(problems).toHaveCount(0, { timeout: 20_000 });
});

test("a mod that does not compile is not run, and says where", async ({ page }) => {
  await page.goto("./");
  await addExample(page, "Rename the hero");
  await write(page, 'import { mod } from "midtoken/mod";\nconst = 1;\nexport default mod({});\n');
  await pressRun(page);
  await expect(page.locator(".welcome-failure")).toContainText("rename-hero does not compile (line");
  expect(await cells(page)).toEqual([]);
});

test("what a mod throws in a run stands on its line", async ({ page }) => {
  await page.goto("./");
  await addExample(page, "Rename the hero");
  await write(
    page,
    'import { mod } from "midtoken/mod";\n\nexport default mod({\n  added(event) {\n    if (event.step === 3) throw new Error("the third is enough");\n  },\n});\n',
  );
  await pressRun(page);
  await expect(page.locator(".run-error")).toContainText("the third is enough", { timeout: 60_000 });
  await expect(page.locator(".problems button").first()).toContainText("rename-hero:5");
  await expect(page.locator(".monaco-editor .squiggly-error").first()).toBeVisible();
});

test("the inspector leads to the line that did it", async ({ page }) => {
  await page.goto("./");
  await addExample(page, "Rename the hero");
  await runToEnd(page);
  const source = page.locator(".call-line").first();
  const line = /line (\d+)/.exec((await source.textContent()) ?? "")?.[1] ?? "none";
  await source.click();
  await expect(page.locator(".monaco-editor .line-numbers.active-line-number")).toHaveText(line);
  const text = await page
    .locator(".monaco-editor .view-line")
    .nth(Number(line) - 1)
    .textContent();
  expect(text?.replaceAll("\u00a0", " ")).toContain("forceTokens");
});

test("a deleted mod comes back", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("button", { name: "More for swap-name" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.locator(".mod-name")).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".mod-name").first()).toHaveText("swap-name");
});
