/** No axe violations in any state, in light, dark and forced colours; kinds of words without colours. By keyboard: keyboard.spec.ts. */

import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { axeViolations, expectAccessible, inEachLook, runToEnd, sharedLink } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** Views that specs of their own show in each look: layers, charts, tracks, events, comparison, history, the branches. */
test("no axe violations in any view, in light, dark and forced colours", async ({ page }) => {
  const dialog = (name: string) => page.getByRole("dialog", { name });
  const press = (key: string) => page.keyboard.press(key);
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await expectAccessible(page, "before the first run");
  await runToEnd(page);
  await expectAccessible(page, "after a run, with the step");
  await page.getByRole("tab", { name: "Transcript" }).click();
  await page.locator(".sampling > summary").click();
  await page.locator(".model-button").click();
  await page.locator(".model-entry").first().waitFor();
  await expectAccessible(page, "transcript, model and sampling");
  await press("Escape");
  await page.getByRole("button", { name: "Add a mod" }).click();
  await page.locator(".gallery-card").first().waitFor();
  await expectAccessible(page, "gallery");
  await press("Escape");
  await press("Control+k");
  await dialog("Commands").getByRole("option").first().waitFor();
  await expectAccessible(page, "commands");
  await press("Escape");
  await page.getByRole("button", { name: "Shortcuts" }).click();
  await dialog("Shortcuts").locator("kbd").first().waitFor();
  await expectAccessible(page, "keys");
  await press("Escape");
  await press("b");
  await dialog("Breakpoints").waitFor();
  await expectAccessible(page, "breakpoints");
  await press("Escape");
  await page.getByRole("button", { name: "Repeat and check" }).click();
  await dialog("Repeat and check this run").waitFor();
  await expectAccessible(page, "verify");
  await press("Escape");
  await page.getByRole("button", { name: "Experiments" }).click();
  await page.getByRole("region", { name: "Experiments" }).waitFor();
  await expectAccessible(page, "experiments");
  await page.getByRole("button", { name: "Guide" }).click();
  await page.locator(".guide-text h2").waitFor();
  await expectAccessible(page, "guide");
  await page.getByRole("searchbox", { name: "Search the guide" }).fill("token");
  await page.locator(".guide-found a").first().waitFor();
  await expectAccessible(page, "what the guide's search finds");
  await page.getByRole("button", { name: "Close the guide" }).click();
  await page.getByRole("button", { name: "Share this run" }).click();
  await page.locator("[data-address]").waitFor();
  await expectAccessible(page, "share");
  await press("Escape");
  await page.goto(await sharedLink(page));
  await page.getByText("Recorded by someone else.").waitFor();
  await expectAccessible(page, "a link");
  await press("Control+k");
  await dialog("Commands").getByRole("option").first().waitFor();
  await expectAccessible(page, "commands of a link");
  const command = async (words: string, name: RegExp) => {
    await dialog("Commands").getByRole("combobox").fill(words);
    await expect(dialog("Commands").getByRole("option", { selected: true })).toContainText(name);
    await dialog("Commands").getByRole("combobox").press("Enter");
  };
  await command("show tracks", /tracks/i);
  await page.getByRole("slider", { name: "Tracks" }).waitFor();
  await press("Control+k");
  await dialog("Commands").getByRole("option").first().waitFor();
  await command("token 3", /token 3/i);
  await expect(page.locator('[data-index="2"][aria-selected="true"]')).toBeAttached();
});

/** The kinds of words, as the ribbon marks them. */
const kinds = ["plain", "same", "adjusted", "forced", "reinjected", "removed"] as const;

test("the kinds of words differ without their colours, in every look", async ({ page }) => {
  await page.goto(`./${encodePermalink(sampleTrace({ tokens: 60 })).fragment}`);
  await page.locator("[data-index]").first().waitFor();
  // One word of each kind, with the same letters, so that nothing but its mark differs; without colours.
  await page.evaluate((names) => {
    document.documentElement.style.filter = "grayscale(1)";
    const specimens = names.map((name) => {
      const cell = document.createElement("span");
      cell.className = `cell cell-${name} cell-first specimen`;
      cell.dataset.kind = name;
      const word = document.createElement("span");
      word.className = "word";
      word.textContent = "word";
      cell.append(word, " ");
      return cell;
    });
    document.querySelector(".ribbon")?.prepend(...specimens);
  }, kinds);
  await inEachLook(page, async (look) => {
    const shades: { kind: string; lightness: number[] }[] = [];
    for (const kind of kinds) {
      const box = await page.locator(`.specimen[data-kind=${kind}] .word`).boundingBox();
      if (!box) throw new Error(`The word of the kind ${kind} is not to be seen.`);
      const clip = {
        x: Math.round(box.x),
        y: Math.round(box.y) - 2,
        width: Math.floor(box.width),
        height: 32,
      };
      const picture = (await page.screenshot({ clip })).toString("base64");
      shades.push({ kind, lightness: await lightnessOf(page, picture) });
    }
    for (const [at, one] of shades.entries()) {
      for (const other of shades.slice(at + 1)) {
        const differ = one.lightness.filter(
          (light, place) => Math.abs(light - (other.lightness[place] ?? 0)) > 24,
        );
        // A mark has about 1,200 px. Odds adjusted without effect are marked with dots of a px, on purpose.
        const least = [one.kind, other.kind].includes("same") ? 6 : 24;
        expect(differ.length, `${one.kind} and ${other.kind}, ${look}`).toBeGreaterThanOrEqual(least);
      }
    }
  });
});

/** The lightness of each px of a picture, 0 to 255. */
function lightnessOf(page: Page, base64: string): Promise<number[]> {
  return page.evaluate(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    if (!context) return [];
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    return Array.from({ length: data.length / 4 }, (_, place) => data[place * 4] ?? 0);
  }, base64);
}

test("no axe violations on a narrow page", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("./");
  for (const place of ["Write", "Run", "Read", "History", "Experiments", "Guide"]) {
    await page.getByRole("tab", { name: place }).click();
    expect(await axeViolations(page), place).toEqual([]);
  }
});
