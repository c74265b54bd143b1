/** The step inspector as it is drawn. src/view/timeline/step/step-inspector.component.test.tsx tests its texts. */
import { axeViolations, inEachLook, listenForErrors, runToEnd, writeSource } from "./page.ts";
import { expect, test } from "./test.ts";

/** At each step the most likely token becomes less likely, so that words are others than they would have been. */
const source = `import { mod } from "midtoken/mod";

export default mod({
  forwardPass(event, actions) {
    const [first] = event.topK(1);
    return first && actions.adjustLogits({ add: { [first.token]: -3 } });
  },
});
`;

test("what a mod moved and the draw that it changed are drawn", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.getByLabel("Include plot-twist in the next run").uncheck();
  await writeSource(page, source);
  await runToEnd(page);
  // The first word that came out another than it would have.
  await page.getByRole("listbox", { name: "Tokens" }).focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("n");

  await expect(page.getByRole("region", { name: "Changes by each mod" })).toBeVisible();
  const draw = page.getByRole("region", { name: "Random draw" });
  const bars = draw.locator(".draw-bar");
  await expect(bars).toHaveCount(2);
  for (const bar of await bars.all()) {
    const [hit, mark] = await Promise.all([
      bar.locator(".draw-hit").boundingBox(),
      draw.locator(".draw-mark").boundingBox(),
    ]);
    const middle = (mark?.x ?? Number.NaN) + (mark?.width ?? 0) / 2;
    expect(middle).toBeGreaterThanOrEqual((hit?.x ?? Number.NaN) - 1);
    expect(middle).toBeLessThanOrEqual((hit?.x ?? 0) + (hit?.width ?? 0) + 1);
  }
  await draw.getByText("As a table").focus();
  await page.keyboard.press("Enter");
  await expect(draw.getByRole("columnheader", { name: "with the mods" })).toBeVisible();
  await inEachLook(page, async (look) => expect(await axeViolations(page), look).toEqual([]));

  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("tab", { name: "Read" }).click();
  await expect(draw).toBeAttached();
  expect(await page.locator(".read-panel").evaluate((panel) => panel.scrollWidth - panel.clientWidth)).toBe(
    0,
  );
  expect(await axeViolations(page), "narrow").toEqual([]);
  if (size) await page.setViewportSize(size);
  expect(errors).toEqual([]);
});
