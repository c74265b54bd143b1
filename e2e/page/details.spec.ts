/** Small things that a person notices: one focus ring, a tab in sight, numbers as typed, counts that agree, what a mod needs. */

import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { createTraceBuilder, requestRecord } from "../../src/core/trace/testing/trace-builder.ts";
import { addExample, axeViolations, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const line = (page: Page) => page.locator(".run-line p").first();

test("words, tabs, numbers, counts and lines say what is", async ({ page }) => {
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await runToEnd(page);

  await test.step("one ring: the list has the focus and the arrow keys move the choice", async () => {
    await page.locator('[data-index="3"]').click();
    const list = page.getByRole("listbox", { name: "Tokens" });
    await expect(list).toBeFocused();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
    await expect(list).toBeFocused();
    await expect(list).toHaveAttribute("aria-activedescendant", "token-4");
    const rings = await page.evaluate(
      () =>
        [...document.querySelectorAll(".ribbon, .ribbon *")].filter(
          (element) => getComputedStyle(element).outlineStyle !== "none",
        ).length,
    );
    expect(rings).toBe(1);
  });

  await test.step("summary and live region count alike, and the run line has the times alone", async () => {
    const [summary, figures, said] = await Promise.all(
      [".summary-own", ".run-line-metrics", ".run-line output"].map((selector) =>
        page.locator(selector).textContent(),
      ),
    );
    const tokens = /([\d,]+) tokens?/.exec(summary ?? "")?.[1];
    expect(tokens).toBeDefined();
    expect(figures).toMatch(/^[\d.]+ m?s · \d+ tokens\/s · seed \d+$/);
    expect(said).toContain(`${tokens} tokens, `);
  });

  await test.step("copied text is the output, without removed words and signs", async () => {
    await page.evaluate(() => {
      const text = document.querySelector(".ribbon");
      if (text) getSelection()?.selectAllChildren(text);
    });
    await page.keyboard.press("Control+C");
    const turn = page.getByRole("textbox", { name: "user turn" }).first();
    const before = await turn.inputValue();
    await turn.fill("");
    await page.keyboard.press("Control+V");
    const copied = await turn.inputValue();
    const output = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("[data-index]:not(.cell-removed, .cell-end)")]
        .map((cell) =>
          [...cell.querySelectorAll(".sign")].reduce(
            (text, sign) => text.replace(sign.textContent, ""),
            cell.textContent,
          ),
        )
        .join(""),
    );
    expect(copied.trim()).toBe(output.trim());
    expect(copied).not.toContain("↵");
    await turn.fill(before);
  });

  await test.step("folding closes the removed words that are selected", async () => {
    const removed = page.locator(".cell-removed");
    await removed.last().click();
    await page.keyboard.press("f");
    await expect(page.locator(".cell-removed:not(.cell-first):visible")).toHaveCount(0);
    await page.keyboard.press("f");
  });

  await test.step("a disabled primary button is legible", async () => {
    const colours = await page.evaluate(() => {
      const button = document.querySelector<HTMLButtonElement>(".run-controls .button-primary");
      if (!button) return null;
      button.style.transition = "none";
      const look = () => getComputedStyle(button).backgroundColor;
      const enabled = look();
      button.disabled = true;
      const disabled = look();
      const { opacity } = getComputedStyle(button);
      button.disabled = false;
      button.style.transition = "";
      return { isSame: enabled === disabled, opacity };
    });
    expect(colours).toEqual({ isSame: false, opacity: "1" });
  });

  await test.step("the answer is kept once", async () => {
    const keep = page.getByRole("button", { name: "Add the answer to the conversation" });
    const turns = page.locator(".turn");
    const before = await turns.count();
    await keep.click();
    await expect(turns).toHaveCount(before + 2);
    await expect(keep).toHaveCount(0);
  });

  await test.step("a number's field keeps nothing half-typed", async () => {
    await page.locator(".sampling > summary").click();
    const field = page.getByLabel("Temperature", { exact: true });
    const summary = page.locator(".sampling > summary .settings-summary");
    const before = await field.inputValue();
    await field.focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("1e9");
    await expect(page.locator(".sampling .field-error")).toContainText(`the value is still ${before}`);
    await expect(summary).toContainText(`temperature ${before}`);
    await page.keyboard.press("Tab");
    await expect(field).toHaveValue(before);
    await expect(summary).toContainText(`temperature ${before}`);
    await field.fill("5e-1");
    await expect(summary).toContainText("temperature 0.5");
    await page.locator(".sampling > summary").click();
  });

  await test.step("special tokens of the prompt are shown letter by letter", async () => {
    await page.getByRole("button", { name: "Prompt as the model sees it" }).click();
    const tokens = page.locator(".prompt-tokens");
    await expect(tokens.locator("span").first()).toBeVisible();
    expect(await tokens.evaluate((element) => getComputedStyle(element).fontVariantLigatures)).toBe("none");
    await page.keyboard.press("Escape");
  });

  await test.step("the tab of the mod just added is in sight", async () => {
    for (const title of ["Rename the hero", "Ban a token", "Start with your words", "Skeleton"]) {
      await addExample(page, title);
      const inside = await page.evaluate(() => {
        const list = document.querySelector(".mod-list")?.getBoundingClientRect();
        const tab = document.querySelector(".mod-item[data-active=true]")?.getBoundingClientRect();
        return list && tab ? tab.left >= list.left - 1 && tab.right <= list.right + 1 : null;
      });
      expect(inside, title).toBe(true);
    }
  });

  await test.step("a line of a run leads to the source that ran", async () => {
    await addExample(page, "Rename the hero");
    await runToEnd(page);
    const link = page.locator(".call-line").first();
    const number = Number(/line (\d+)/.exec((await link.textContent()) ?? "")?.[1]);
    await page.locator(".monaco-editor .view-line").first().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("// a new first line\n");
    await link.click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("You have edited rename-hero since this run.");
    await expect(dialog.locator(".source-mark")).toBeInViewport();
    const { source, top } = await dialog.locator(".source").evaluate((pre) => ({
      source: pre.querySelector("code")?.textContent ?? "",
      top: (pre.querySelector<HTMLElement>(".source-mark")?.offsetTop ?? -1) / 20,
    }));
    expect(top).toBe(number - 1);
    expect(source.split("\n")[number - 1]).toContain("forceTokens");
    await dialog.getByRole("button", { name: "Open the current version" }).click();
    await expect(dialog).toHaveCount(0);
    await page.keyboard.press("Control+Z");
  });
});

test("the gallery says what mods need, and a run without that says so beside the result", async ({
  page,
}) => {
  await page.goto("./");
  await page.getByRole("button", { name: "Add a mod" }).click();
  const cards = page.locator(".gallery-card");
  const needy = page.locator('.gallery-card:has([data-needs="instruct"])');
  await expect(needy.first()).toContainText("Needs an instruct model");
  const [all, instruct] = [await cards.count(), await needy.count()];
  expect(instruct).toBeGreaterThan(0);
  await expect(page.locator(".gallery-models")).toContainText(
    `${instruct} of these mods need an instruct model`,
  );
  await expect(page.getByRole("button", { name: /^Load .*/ })).toBeVisible();
  await page.getByLabel("Only mods for the current model").check();
  await expect(cards).toHaveCount(all - instruct);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByLabel("Only mods for the current model").uncheck();
  await needy.filter({ hasText: "Wait a minute" }).getByRole("button", { name: /^Try/ }).click();
  const hint = page.getByRole("note");
  await expect(hint).toContainText("wait-a-minute is made for a model that follows instructions");
  await runToEnd(page);
  await expect(line(page)).toContainText("Ended");
  await expect(hint).toContainText("wait-a-minute is made for a model that follows instructions");
  await expect(hint.getByRole("button", { name: /^Run on / })).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
});

test("a Hebrew word of several tokens is read from the right, and so are the prompt and the transcript", async ({
  page,
}) => {
  const builder = createTraceBuilder(requestRecord({ messages: [{ role: "user", content: "שלום cat" }] }));
  builder.prefill([{ token: 9, text: "x" }]);
  for (const [token, text] of ["ש", "ל", "ו", "ם", " cat", " c", "at"].entries()) {
    builder.forward({ entropy: 1, top: [] });
    builder.sample({ token, text }, {});
    builder.add([{ token, text }], "sampled");
  }
  await page.goto(`./${encodePermalink(builder.finish("length")).fragment}`);
  await page.locator("[data-index]").last().waitFor();
  const lefts = await page
    .locator("[data-index]")
    .evaluateAll((found) => found.map((element) => element.getBoundingClientRect().left));
  // The text begins at the right edge; the letters of "cat" still go from left to right.
  expect(lefts.slice(0, 5)).toEqual(lefts.slice(0, 5).toSorted((one, other) => other - one));
  expect(lefts[6]).toBeGreaterThan(lefts[5] ?? 0);
  await page.getByRole("tab", { name: "Transcript" }).click();
  for (const selector of [".prompt-line p", ".transcript-text"]) {
    const gaps = await page.locator(selector).evaluate((element) => {
      const range = document.createRange();
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let text = walker.nextNode();
      while (text && !text.textContent?.includes("ש")) text = walker.nextNode();
      if (!text) return null;
      range.setStart(text, text.textContent?.indexOf("ש") ?? 0);
      range.setEnd(text, range.startOffset + 1);
      const [letter, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
      return { left: letter.left - box.left, right: box.right - letter.right };
    });
    expect(gaps?.right, selector).toBeLessThan(gaps?.left ?? 0);
  }
});
