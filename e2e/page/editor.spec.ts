/** The editor knows the SDK, and shows what is wrong on its line: types, syntax, and what failed in a run. */

import { addExample, beforeOpening, cells, pressRun, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

async function write(page: Page, source: string): Promise<void> {
  await page.locator(".monaco-editor .view-line").first().waitFor();
  // In the first line that is in sight: the middle of a long line may be out of view, and a long source is scrolled.
  await page
    .locator(".monaco-editor .overflow-guard")
    .first()
    .click({ position: { x: 80, y: 8 } });
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(source);
}

/** A source that goes wrong in one way after the other, in one mod, in one editor. */
test("names and mistakes are known while a mod is written, compiled and run, each on its line", {
  tag: "@daily",
}, async ({ page }) => {
  const problems = page.locator(".problems button");
  await page.goto("./");
  await addExample(page, "Rename the hero");

  await test.step("a type error, for an action that its event does not allow", async () => {
    await expect(page.locator(".problems")).toHaveCount(0);
    await write(
      page,
      'import { mod } from "midtoken/mod";\n\nexport default mod({\n  finished(_event, actions) {\n    return actions.forceTokens("no");\n  },\n});\n',
    );
    await expect(problems.first()).toContainText("rename-hero:5");
    await expect(problems.first()).toContainText("forceTokens");
    await expect(page.locator(".monaco-editor .squiggly-error").first()).toBeVisible();
    await problems.first().click();
    await expect(page.locator(".monaco-editor.focused, .monaco-editor .focused").first()).toBeVisible();
  });

  await test.step("strategies and flows, with their mistakes", async () => {
    const source = (kind: string) =>
      `import { chars } from "midtoken/strategies";\nimport { flow, question } from "midtoken/flow";\nconst age = question({ name: "age", prompt: "Age: ", strategy: chars("${kind}", { min: 1, max: 3, stop: "." }) });\nexport default flow({ entry: age }).asMod();\n`;
    await write(page, source("digit"));
    await expect(problems.first()).toContainText("rename-hero:3");
    await expect(problems).toHaveCount(1);
    await expect(problems.first()).toContainText('"digit"');
    await write(page, source("digits"));
    await expect(problems).toHaveCount(0);
  });

  await test.step("names of both modules are completed", async () => {
    for (const [module, start, name] of [
      ["midtoken/flow", "selfP", "selfPromptMod"],
      ["midtoken/strategies", "jsonS", "jsonSchema"],
    ] as const) {
      await write(page, `import * as all from "${module}";\n\nall.`);
      await page.keyboard.type(start);
      await page.keyboard.press("Control+Space");
      await expect(
        page.locator(".suggest-widget.visible .monaco-list-row").filter({ hasText: name }).first(),
      ).toBeVisible();
      await page.keyboard.press("Escape");
    }
  });

  await test.step("an action that an event of a flow does not allow", async () => {
    await write(
      page,
      'import { selfPrompt } from "midtoken/flow";\nimport { mod } from "midtoken/mod";\nimport { choices } from "midtoken/strategies";\n\nconst who = selfPrompt({ strategy: choices(["a", "b"]) });\n\nexport default mod({\n  backtracked(event, actions) {\n    if (who.answer() === "a") return actions.forceOutput("b");\n  },\n});\n',
    );
    await expect(problems.first()).toContainText("forceOutput");
    await expect(problems).toHaveCount(1);
  });

  await test.step("what does not compile is not run", async () => {
    await write(page, 'import { mod } from "midtoken/mod";\nconst = 1;\nexport default mod({});\n');
    await pressRun(page);
    await expect(page.locator(".start-failure")).toContainText("rename-hero does not compile (line");
    expect(await cells(page)).toEqual([]);
  });

  await test.step("what it throws in a run", async () => {
    await write(
      page,
      'import { mod } from "midtoken/mod";\n\nexport default mod({\n  added(event) {\n    if (event.step === 3) throw new Error("the third is enough");\n  },\n});\n',
    );
    await pressRun(page);
    await expect(page.locator(".run-end")).toContainText("the third is enough");
    await expect(problems.first()).toContainText("rename-hero:5");
    await expect(page.locator(".monaco-editor .squiggly-error").first()).toBeVisible();
  });

  await test.step("the inspector leads to the line that did it", async () => {
    await write(
      page,
      'import { mod } from "midtoken/mod";\n\nexport default mod({\n  sampled(event, actions) {\n    if (event.text === " Lily") return actions.forceTokens(" Max");\n  },\n});\n',
    );
    await runToEnd(page);
    await page.locator(".call-line").first().click();
    await expect(page.locator(".call-line").first()).toContainText("line 5");
    await expect(page.locator(".monaco-editor .line-numbers.active-line-number")).toHaveText("5");
  });
});

/** Its first parser tries each level in two ways: 2^30 in all. */
const endless = `import { mod } from "midtoken/mod";\nexport default mod({ added(e, a) { return ${"<T>(".repeat(30)}a.noop()${")".repeat(30)}; } });\n`;

/**
 * Presses Stop once the mod compiles. The page itself does it: the compiler is given up after 1.5 s, and on a busy machine the
 * test hears of the compiling too late.
 */
async function stopOnceItCompiles(page: Page): Promise<void> {
  await page.evaluate(() => {
    const watch = new MutationObserver(() => {
      const progress = document.querySelector(".start-progress")?.textContent;
      const buttons = document.querySelectorAll<HTMLButtonElement>(".run-controls button");
      const stop = Array.from(buttons).find(({ textContent }) => textContent?.startsWith("Stop"));
      if (!stop || !progress?.includes("Compiling the mod rename-hero")) return;
      watch.disconnect();
      document.body.dataset.stopped = "while compiling";
      stop.click();
    });
    watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  });
}

test("a mod that takes for ever to compile leaves the page awake, and is given up or stopped", async ({
  page,
}) => {
  await page.goto("./");
  await addExample(page, "Rename the hero");
  await write(page, endless);
  await page.evaluate(() => {
    document.body.dataset.turns = "0";
    setInterval(() => {
      const isCompiling = document
        .querySelector(".start-progress")
        ?.textContent?.includes("Compiling the mod rename-hero");
      if (isCompiling) document.body.dataset.turns = String(Number(document.body.dataset.turns) + 1);
    }, 10);
  });
  await pressRun(page);
  await expect(page.locator(".start-failure")).toContainText(
    "rename-hero does not compile: Compiling the mod took longer than 1.5 s.",
  );
  // As often as the page's own thread came round meanwhile.
  expect(Number(await page.locator("body").getAttribute("data-turns"))).toBeGreaterThan(10);
  expect(await cells(page)).toEqual([]);

  await test.step("Stop", async () => {
    await stopOnceItCompiles(page);
    await pressRun(page);
    await expect(page.locator("body")).toHaveAttribute("data-stopped", "while compiling");
    await expect(page.locator(".run-controls").getByRole("button", { name: "Run" })).toBeVisible();
    await expect(page.locator(".start-progress")).toHaveCount(0);
    await expect(page.locator(".start-failure")).toHaveCount(0);
  });

  await test.step("and once it is mended, it runs", async () => {
    await write(page, 'import { mod } from "midtoken/mod";\nexport default mod({ added() {} });\n');
    await runToEnd(page);
    expect((await cells(page)).length).toBeGreaterThan(10);
  });
});

test("a long source has no colours, pairs of brackets or checks, which would hold the page up for seconds", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const keep = (key: string, value: object) => localStorage.setItem(key, JSON.stringify(value));
    const line = "const a = (1);\n";
    const source = `${line}${`${"(".repeat(361)}\n`.repeat(181)}`;
    keep("midtoken.mod.v2.long", { name: "long", source, needs: null, entry: null });
    keep("midtoken.mod.v2.short", { name: "short", source: line, needs: null, entry: null });
    const tall = `${line}${"\n".repeat(4_999)}`;
    keep("midtoken.mod.v2.tall", { name: "tall", source: tall, needs: null, entry: null });
    keep("midtoken.desk.v2", { order: ["long", "short", "tall"], enabled: [], active: "short" });
  });
  await page.goto("./");
  const lines = page.locator(".monaco-editor .view-line");
  const coloured = page.locator('.monaco-editor .view-line span[class^="mtk"]:not(.mtk1)');
  const paired = page.locator(".monaco-editor .bracket-match");
  const note = page.locator(".mods-note");
  const toBracket = async () => {
    await lines.first().click();
    await page.keyboard.press("Control+Home");
    for (let step = 0; step < 10; step += 1) await page.keyboard.press("ArrowRight");
  };
  await toBracket();
  await expect(coloured.first()).toBeVisible();
  await expect(paired).toHaveCount(2);
  // Only the pair at the cursor is looked for: colours of pairs would need all of them.
  const bracketColours = page.locator('.monaco-editor [class*="bracket-highlighting"]');
  await expect(bracketColours).toHaveCount(0);
  await expect(note).toHaveCount(0);

  await page.getByRole("button", { name: "long", exact: true }).click();
  await expect(note).toHaveText(
    "This mod has 65,537 characters. Above 65,536 characters, code is not highlighted, and the editor does not check it.",
  );
  await toBracket();
  await expect(lines.first()).toHaveText("const a = (1);");
  await expect(coloured).toHaveCount(0);
  await expect(paired).toHaveCount(0);

  await page.getByRole("button", { name: "tall", exact: true }).click();
  await expect(note).toHaveText(
    "This mod has 5,001 lines. Above 5,000 lines, code is not highlighted, and the editor does not check it.",
  );
  await expect(lines.first()).toHaveText("const a = (1);");
  await expect(coloured).toHaveCount(0);

  await page.getByRole("button", { name: "long", exact: true }).click();
  await toBracket();
  // One character less, and it has them.
  await page.keyboard.press("Backspace");
  await expect(note).toHaveCount(0);
  await expect(coloured.first()).toBeVisible();
  await expect(bracketColours).toHaveCount(0);
});

/** Pastes a text into the editor. With `reloads`, the page is reloaded in the same task. */
function paste(page: Page, text: string, reloads = false): Promise<void> {
  return page.evaluate(
    ([pasted, leaves]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
      if (leaves) location.reload();
    },
    [text, reloads] as const,
  );
}

test("a long paste is one step of Undo, with typed text behind it, and is saved whole when the page is left", async ({
  page,
}) => {
  const savedSource = () =>
    page.evaluate(() => JSON.parse(localStorage.getItem("midtoken.mod.v2.long") ?? "{}").source as string);
  await beforeOpening(
    page,
    () => {
      const mod = { name: "long", source: "before after", needs: null, entry: null };
      localStorage.setItem("midtoken.mod.v2.long", JSON.stringify(mod));
      const desk = { order: ["long"], enabled: [], active: "long" };
      localStorage.setItem("midtoken.desk.v2", JSON.stringify(desk));
    },
    null,
  );
  const lines = "a line of the text\n".repeat(40_000);
  const placeCursor = async () => {
    await page.locator(".monaco-editor .view-line").first().click();
    await page.keyboard.press("Control+Home");
    for (const _ of "before ") await page.keyboard.press("ArrowRight");
  };
  await page.goto("./");
  await placeCursor();
  await paste(page, lines);
  await page.keyboard.press("x");
  await expect.poll(async () => (await savedSource()) === `before ${lines}xafter`).toBe(true);
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await savedSource()) === `before ${lines}after`).toBe(true);
  await page.keyboard.press("Control+z");
  await expect.poll(savedSource).toBe("before after");
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(async () => (await savedSource()) === `before ${lines}after`).toBe(true);
  await page.keyboard.press("Control+z");
  await expect.poll(savedSource).toBe("before after");

  await placeCursor();
  const isLeft = page.waitForEvent("load");
  await paste(page, lines, true);
  await isLeft;
  expect((await savedSource()) === `before ${lines}after`).toBe(true);
  await expect(page.locator(".mods-note")).toContainText("760,012 characters");
});

test("a deleted mod comes back", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("button", { name: "More actions for swap-name" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.locator(".mod-name")).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".mod-name").first()).toHaveText("swap-name");
});

test("Tab leaves the editor until someone writes in it; then a hint says how to leave", async ({ page }) => {
  await page.goto("./");
  const line = page.locator(".monaco-editor .view-line").first();
  await line.click();
  const isInside = () => page.evaluate(() => document.activeElement?.closest(".monaco-editor") !== null);
  const before = await sourceOf(page);
  await page.keyboard.press("Tab");
  expect(await isInside()).toBe(false);
  expect(await sourceOf(page)).toBe(before);
  await line.click();
  await page.keyboard.type("/");
  await expect(page.locator(".code-editor")).toHaveAttribute("data-leave", /^To leave the editor, press/);
  await page.keyboard.press("Tab");
  expect(await isInside()).toBe(true);
  await page.keyboard.press("Control+m");
  await page.keyboard.press("Tab");
  expect(await isInside()).toBe(false);

  // The browser would ask where to save the page.
  await line.click();
  await page.evaluate(() => {
    const noteSave = (event: KeyboardEvent) => {
      if (event.key !== "s") return;
      // After every listener of the page and the editor, whether or not they stop the event.
      setTimeout(() => document.body.setAttribute("data-save-taken", String(event.defaultPrevented)));
    };
    addEventListener("keydown", noteSave, true);
  });
  await page.keyboard.press("Control+s");
  await expect(page.locator("body")).toHaveAttribute("data-save-taken", "true");
  await expect(page.locator(".notice")).toContainText("Mods are saved as you type.");
});

/** The lines of the editor that are drawn. */
const sourceOf = (page: Page) => page.locator(".monaco-editor .view-lines").innerText();
