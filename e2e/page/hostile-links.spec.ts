/** Links that are short and hold too much: each opens, draws little, and the page answers. And a source that hides what it does. */
import { encodeTraceFile } from "../../src/core/trace/codec/codec.ts";
import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import type { Trace } from "../../src/core/trace/format/format.ts";
import { longRecording, worstFiles } from "../../src/core/trace/testing/hostile-files.ts";
import { attacks, hostileLink } from "../../src/core/trace/testing/hostile-traces.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { createTraceBuilder, requestRecord } from "../../src/core/trace/testing/trace-builder.ts";
import { axeViolations, expectAccessible } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** Elements, texts and all else that the document is made of. */
function nodeCount(page: Page): Promise<number> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let count = 0;
    while (walker.nextNode()) count += 1;
    return count;
  });
}

const mostNodes = 5_000;

test("the links of the security review open, draw little, and the page answers", async ({ page }) => {
  await page.goto("./");
  // The page's late parts have come.
  await expect(page.locator(".monaco-editor").first()).toBeVisible();
  const open = async (trace: Trace) => {
    const link = hostileLink(trace);
    expect(link.length).toBeLessThan(9_000);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, link);
  };
  const show = async (trace: Trace) => {
    await open(trace);
    await expect(page.getByText("Recorded by someone else.")).toBeVisible();
  };
  const panel = (name: string) => page.getByRole("tab", { name }).click();
  const fewNodes = async (what: string) => expect(await nodeCount(page), what).toBeLessThan(mostNodes);
  const ribbon = page.getByRole("listbox", { name: "Tokens" });
  const selected = page.locator('[role="option"][aria-selected="true"]');

  await test.step("what was opened before leaves nothing in the page", async () => {
    const heads: number[] = [];
    for (const make of [attacks.manyTokens, attacks.manyCalls, attacks.manyTokens]) {
      await show(make());
      heads.push(await page.evaluate(() => document.head.children.length));
    }
    expect(heads[2]).toBe(heads[1]);
  });
  await test.step("200,000 tokens: by keys, by clicks, by scrolling", async () => {
    await show(attacks.manyTokens());
    await fewNodes("opened");
    await ribbon.focus();
    await page.keyboard.press("End");
    await expect(selected).toHaveAttribute("data-index", "199999");
    await expect(selected).toBeInViewport();
    await expect(ribbon).toHaveAttribute("aria-activedescendant", "token-199999");
    await page.keyboard.press("ArrowUp");
    const above = Number(await selected.getAttribute("data-index"));
    expect(above).toBeGreaterThan(199_000);
    expect(above).toBeLessThan(199_999);
    // The chosen word is scrolled out of sight; the next key leads from it, and back to it.
    await page.locator(".ribbon-scroll").evaluate((box) => box.scrollTo(0, 0));
    await expect(page.locator('[data-index="0"]')).toBeInViewport();
    await expect(selected).toHaveCount(0);
    await page.keyboard.press("ArrowRight");
    await expect(selected).toHaveAttribute("data-index", String(above + 1));
    await expect(selected).toBeInViewport();
    await page.locator(".overview canvas").click({ position: { x: 400, y: 20 } });
    await expect(selected).toBeInViewport();
    await ribbon.focus();
    await page.keyboard.press("Home");
    await expect(selected).toHaveAttribute("data-index", "0");
    await panel("Transcript");
    await fewNodes("transcript");
    await page.getByRole("button", { name: "Next" }).click();
    await expect(page.locator(".pages")).toContainText("Tokens 50,001 to 100,000 of 200,000");
    await panel("Events");
    await page.locator(".event-own", { hasText: "added" }).click();
    await fewNodes("events");
    await panel("Tracks");
    await page.getByRole("slider", { name: "Tracks" }).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+End");
    await expect(page.locator(".summary-own")).toContainText("200,000 selected tokens");
    await fewNodes("tracks");
    await page.keyboard.press("Escape");
    await panel("Step");
    expect(await axeViolations(page)).toEqual([]);
  });

  await test.step("60,000 calls: in the inspector and in the table", async () => {
    await show(attacks.manyCalls());
    await expect(page.locator(".pages")).toContainText("1 to 12 of 60,000 calls");
    await page.getByRole("button", { name: "Next" }).click();
    await expect(page.locator(".pages")).toContainText("13 to 24 of 60,000 calls");
    await fewNodes("step");
    await panel("Events");
    await expect(page.locator(".events-filter")).toContainText("60,005 rows");
    await page.locator(".events-scroll").evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect(page.locator(".event-own", { hasText: "finished" })).toBeVisible();
    await page.getByLabel("Filter events").fill("finished");
    await expect(page.locator(".events-filter")).toContainText("1 of 60,005 rows");
    await fewNodes("events");
    await panel("Tracks");
    await fewNodes("tracks of 60,000 calls");
    await panel("Step");
  });

  await test.step("64 mods of 65,536 lines: refused, and of 20 mods every line can be read", async () => {
    await open(attacks.manyLines());
    await expect(page.locator(".fault")).toContainText("unpacks to more data than Midtoken accepts");
    await show(attacks.manyLines(20));
    await page.getByRole("button", { name: "Show the mods" }).click();
    const sources = page.locator(".source");
    await expect(sources).toHaveCount(20);
    await fewNodes("review");
    const last = sources.last();
    await last.scrollIntoViewIfNeeded();
    // A box has nothing to scroll before the browser lays it out, which it does once the box is in view.
    const scrolled = () =>
      last.evaluate((box) => {
        box.scrollTo(0, box.scrollHeight);
        return box.scrollTop;
      });
    await expect.poll(scrolled).toBeGreaterThan(1_000_000);
    await expect(last.locator(".source-numbers")).toHaveAttribute("data-numbers", /\n65536$/);
    await fewNodes("review, scrolled");
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
});

/** Drops bytes on the page, as a file. */
async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await page.evaluate(
    ([called, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(content)], called));
      dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
    },
    [name, [...bytes]] as const,
  );
}

/** Clicks a button as soon as it is there: what it is in may be gone soon. */
async function clickOnceThere(page: Page, selector: string): Promise<void> {
  await page.evaluate((wanted) => {
    const watch = new MutationObserver(() => {
      const found = document.querySelector<HTMLElement>(wanted);
      if (!found) return;
      watch.disconnect();
      document.documentElement.dataset.clicked = wanted;
      found.click();
    });
    watch.observe(document, { childList: true, subtree: true, attributes: true });
  }, selector);
}

test("what takes long is shown while it is read, says how far it is, can be stopped, and goes again if it is refused", async ({
  page,
}) => {
  await page.goto("./#t1.");
  await expect(page.locator(".fault")).toContainText("cut off");
  await test.step("a long link: stopped, read on", async () => {
    const { fragment } = encodePermalink(longRecording(15_000, 1), { alternatives: "all", draws: true });
    expect(fragment.length).toBeGreaterThan(100_000);
    const open = (link: string) =>
      page.evaluate((hash) => {
        location.hash = hash;
      }, link);
    // The first visit fetches the banner's script. A quick machine has read the link by then.
    await open(fragment);
    await expect(page.getByRole("button", { name: "Open in the playground" })).toBeEnabled();
    await open("#t1.");
    await expect(page.locator(".fault")).toContainText("cut off");
    await clickOnceThere(page, '.reading-banner[data-shown="true"] button');
    await open(fragment);
    await expect(page.getByRole("button", { name: "Continue reading" })).toBeVisible();
    await expect(page.getByRole("progressbar", { name: /Reading and checking the link/ })).toBeVisible();
    await expect(page.getByText("Recorded by someone else.")).toBeVisible();
    for (const waits of [
      "Save to my runs",
      "Run here and compare",
      "Open in the playground",
      "Share this run",
    ])
      await expect(page.getByRole("button", { name: waits })).toBeDisabled();
    const shown = await page.locator("[data-index]").count();
    expect(shown).toBeGreaterThan(0);
    await expect(page.locator(".run-line p").first()).toHaveText("Reading the run …");
    await expectAccessible(page, "a run that is read");
    await page.getByRole("button", { name: "Continue reading" }).click();
    await expect(page.locator(".reading-banner")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Open in the playground" })).toBeEnabled();
    expect(await nodeCount(page)).toBeLessThan(mostNodes);
  });
  await test.step("a file: its beginning is shown; stopped; refused for its memory; the run before is there again", async () => {
    await page.goto("about:blank");
    await page.goto("./");
    await page.getByRole("heading", { name: "Change what a model says" }).waitFor();
    await drop(page, "small.trace", encodeTraceFile(sampleTrace({ tokens: 30 })));
    await expect(page.locator(".recorded-banner")).toBeVisible();
    const words = await page.locator(".ribbon").textContent();
    const records = worstFiles["2,000,000 records of nothing"]?.() ?? new Uint8Array();
    await clickOnceThere(page, ".reading-banner button");
    await drop(page, "much.trace", records);
    const banner = page.locator(".reading-banner");
    // Stopped as soon as it was there.
    await expect(page.locator("html")).toHaveAttribute("data-clicked", ".reading-banner button");
    await expect(banner).toHaveCount(0);
    await expect(page.locator(".notice")).toHaveCount(0);
    await expect.poll(() => page.locator(".ribbon").textContent()).toBe(words);
    await drop(page, "much.trace", records);
    // None of its records has a text, and the page draws a run without text as a run.
    await expect(page.locator('.reading-banner[data-shown="true"]')).toBeVisible();
    await expect(page.locator(".notice")).toContainText(
      "much.trace was not opened. The trace needs more memory",
    );
    await expect(banner).toHaveCount(0);
    await expect(page.locator(".recorded-banner")).toBeVisible();
    await expect.poll(() => page.locator(".ribbon").textContent()).toBe(words);
  });
});

test("a source that hides what it does shows it in the review, and in the editor", async ({ page }) => {
  const source = `const level = "user\u202e\u2066// admin\u2069\u2066";\n// nothing \u2028 run();\nconst a\u200bb = 1;`;
  const mods = [{ name: "\u202egood\u200b", source }];
  const builder = createTraceBuilder(requestRecord({ mods, messages: [{ role: "user", content: "Hi" }] }));
  builder.add([{ token: 1, text: "Hi" }], "forced", { mod: 0 });
  await page.goto(`./${hostileLink(builder.finish("stop"))}`);
  await page.getByRole("button", { name: "Run here and compare" }).click();
  const review = page.getByRole("dialog", { name: "Run this here?" });
  await expect(review.locator("h3")).toHaveText("\ufffdgood\ufffd");
  await expect(review.locator(".source code")).toHaveText(
    'const level = "user⟨U+202E⟩⟨U+2066⟩// admin⟨U+2069⟩⟨U+2066⟩";\n// nothing ⟨U+2028⟩ run();\nconst a⟨U+200B⟩b = 1;',
  );
  await expect(review.locator(".source-note")).toContainText(
    "6 characters are invisible or change the direction of the text",
  );
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Open in the playground" }).click();
  await expect(page.locator('.mod-name[aria-current="true"]')).toHaveText("good");
  await expect(page.locator(".monaco-editor .view-line").first()).toContainText("const level");
  await expect(page.locator(".monaco-editor .unicode-highlight").first()).toBeVisible();
  await expect.poll(() => page.locator(".monaco-editor .unicode-highlight").count()).toBeGreaterThan(3);
});
