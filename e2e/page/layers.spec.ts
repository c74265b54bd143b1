/** The inside of the pass: what each layer would say, at which layer words were decided, a steered run beside the plain one. */
import { readFileSync } from "node:fs";
import {
  axeViolations,
  cells,
  dropTrace,
  inEachLook,
  listenForErrors,
  runToEnd,
  sharedLink,
  switchView,
  writeSource,
} from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** The bundled model's layers. */
const layerCount = 5;

const panel = (page: Page) => page.getByRole("region", { name: "What each layer would say" });
const rows = (page: Page) => panel(page).locator("tbody tr");

/** Opens the panel of layers, and chooses the first of the words, whose most likely token came out, that the model chose itself. */
async function lookInside(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Layers" }).click();
  await page.locator('[data-index="0"]').click();
  await panel(page).getByRole("button", { name: "Look inside" }).click();
  await expect(rows(page)).toHaveCount(layerCount);
}

test("each layer's words, the last one as the record has it; read as one goes from step to step", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  await lookInside(page);
  await expect(panel(page).getByRole("heading")).toContainText("token 1 of");
  await expect(rows(page).locator("th")).toHaveText([/4$/, /3$/, /2$/, /1$/, /0$/]);
  // The last layer's tokens are the model's own: the token inspector takes them from the record.
  const last = rows(page).first().locator(".said");
  await expect(last).toHaveCount(5);
  const said = await last.evaluateAll((items) => items.map((item) => item.getAttribute("title")));
  await page.getByRole("tab", { name: "Step" }).click();
  const recorded = await page
    .locator(".alternatives tbody tr")
    .evaluateAll((found) =>
      found.map(
        (row) =>
          `${row.querySelector(".alternative-text")?.textContent} ${row.querySelector(".odds-value")?.textContent}`,
      ),
    );
  const plain = said.map((words) =>
    words?.replace(/^“(.*)” /s, (_all, text: string) => `${text.replaceAll(" ", "·")} `),
  );
  expect(plain).toEqual(recorded.slice(0, 5));

  // From here on each step that is selected is read by itself, also after the panel was left.
  await page.getByRole("tab", { name: "Layers" }).click();
  await page.getByRole("listbox", { name: "Tokens" }).focus();
  for (const place of [2, 3]) {
    await page.keyboard.press("ArrowRight");
    await expect(panel(page).getByRole("heading")).toContainText(`token ${place} of`);
  }
  await expect(panel(page)).toHaveAttribute("aria-busy", "false");
  const kept = panel(page).locator(".layers-kept > span").first();
  await expect(kept).toHaveText(/^Layers of [23] tokens saved · 0\.\d of 32 MB$/);
  await inEachLook(page, async (look) => expect(await axeViolations(page), look).toEqual([]));

  await panel(page).getByLabel("Save hidden states too").check();
  const file = page.waitForEvent("download");
  await panel(page).getByRole("button", { name: "Save this step" }).click();
  const bytes = readFileSync(await (await file).path());
  expect((await file).suggestedFilename()).toBe("hidden-states-token-3.npy");
  expect(bytes.toString("latin1")).toContain("'shape': (5, 64)");
  expect(bytes.length).toBe(128 + 5 * 64 * 4);

  // For a word that a mod wrote, the panel shows the word that the model would have said.
  await page.locator(".cell-forced").first().click();
  await expect(panel(page)).toContainText("Written by a mod. The model would have said");
  await panel(page).getByRole("button", { name: "Delete the saved layers" }).click();
  await expect(panel(page).getByLabel("Read the layers of each step I select")).toBeChecked();
  expect(errors).toEqual([]);
});

test("words are shaded by the layer that decided them, those put there by mods aside; it can be stopped", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  const count = (await cells(page)).length;
  await switchView(page, "Shade by layer");
  const legend = page.getByRole("region", { name: "The shades of the text" });
  await expect(legend).toContainText(`${count} of ${count} tokens`);
  await expect(legend.getByRole("button")).toHaveCount(0);
  await expect(legend.locator(".depth-band")).toHaveText([
    "0",
    "1–2",
    "3",
    "4",
    "drawn, although not ranked first",
  ]);
  const marked = await page.locator("[data-index]").evaluateAll((found) =>
    found.map((cell) => ({
      forced: /cell-(forced|reinjected)/.test(cell.className),
      mark: /decided-(\w+)/.exec(cell.className)?.[1],
      words: cell.getAttribute("aria-label") ?? "",
    })),
  );
  expect(marked.filter(({ mark }) => mark === undefined)).toEqual([]);
  const forced = marked.filter(({ forced }) => forced);
  expect(forced.length).toBeGreaterThan(10);
  expect(
    forced.filter(({ mark, words }) => mark !== "put" || !words.includes("no layer decided it")),
  ).toEqual([]);
  const decided = marked.filter(({ mark }) => mark && /\d/.test(mark));
  expect(decided.length).toBeGreaterThan(20);
  expect(decided.filter(({ words }) => !/decided at layer [0-4] \(0 to 4\)$/.test(words))).toEqual([]);
  await inEachLook(page, async (look) => expect(await axeViolations(page), look).toEqual([]));

  // Nothing that is read is lost when it is taken away, and what is stopped goes on.
  await page.getByRole("tab", { name: "Layers" }).click();
  await page.locator('[data-index="2"]').click();
  await panel(page).getByRole("button", { name: "Delete the saved layers" }).click();
  await expect(legend).toContainText(`0 of ${count} tokens`);
  // Within a frame or two: the bundled model is read in a second.
  await legend.evaluate(async (box) => {
    const button = (name: string) =>
      [...box.querySelectorAll("button")].find(({ textContent }) => textContent === name);
    button("Continue")?.click();
    while (!button("Stop")) await new Promise(requestAnimationFrame);
    button("Stop")?.click();
  });
  await expect(legend.getByRole("button", { name: "Continue" })).toBeVisible();
  await switchView(page, "Shade by layer");
  await expect(legend).toHaveCount(0);
  await expect(page.locator("[class*=decided-]")).toHaveCount(0);

  // On a narrow page nothing is cut.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("tab", { name: "Read" }).click();
  // Before it was stopped, the last word was not read.
  await page.locator("[data-index]").last().click();
  await panel(page).getByRole("button", { name: "Look inside" }).click();
  await expect(rows(page)).toHaveCount(layerCount);
  await expect
    .poll(() => page.locator(".read-panel").evaluate((box) => box.scrollWidth - box.clientWidth))
    .toBe(0);
  expect(await axeViolations(page), "narrow").toEqual([]);
  expect(errors).toEqual([]);
});

/** Adds to the stream behind layer 2, from the prompt on. */
const steering = `import { mod } from "midtoken/mod";

export default mod({
  layers: [2],
  prefilled(event, actions) {
    const vector = Float32Array.from({ length: event.hiddenSize }, (_, at) => (at % 2 === 0 ? 1 : -1));
    return actions.steer({ layer: 2, vector, scale: 2 });
  },
});
`;

test("a steered run stands beside the same tokens without steering, and both part at the steered layer", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.getByLabel("Include plot-twist in the next run").uncheck();
  await writeSource(page, steering);
  await runToEnd(page);
  await lookInside(page);
  await expect(panel(page)).toContainText("Steering changes the predictions from layer 2 on.");
  await expect(rows(page)).toHaveCount(layerCount);
  await expect(page.locator(".compared-part th")).toHaveText(/steered.*2$/);
  const sides = await rows(page).evaluateAll((found) =>
    found.map((row) => [...row.querySelectorAll(".layer-says")].map((cell) => cell.textContent)),
  );
  expect(sides.every((each) => each.length === 2)).toBe(true);
  // Below the steered layer nothing differs; rows stand with the last layer first.
  for (const [one, other] of sides.slice(-2)) expect(one).toBe(other);
  expect(sides.slice(0, -2).some(([one, other]) => one !== other)).toBe(true);
  await inEachLook(page, async (look) => expect(await axeViolations(page), look).toEqual([]));
  await panel(page).getByLabel("With steering", { exact: true }).check();
  await expect(panel(page).locator(".layers-compared")).toHaveCount(0);
  await expect(rows(page)).toHaveCount(layerCount);
  expect(errors).toEqual([]);
});

test("what layers say goes into a file where that is ticked, and opens without a model; never into a link", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  await lookInside(page);
  const words = await rows(page).allTextContents();
  await page.getByRole("button", { name: "Share this run" }).click();
  const tick = page.getByLabel(/Include the saved layers in the file/);
  await expect(page.getByText(/of 1 token, [\d.]+ (B|KB) larger; links never contain layers/)).toBeVisible();
  await tick.check();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).click();
  const bytes = [...readFileSync(await (await download).path())];
  await page.keyboard.press("Escape");
  const link = await sharedLink(page);

  await page.evaluate(() => localStorage.clear());
  await page.goto("./");
  await dropTrace(page, bytes);
  await page.getByRole("tab", { name: "Layers" }).click();
  await page.locator('[data-index="0"]').click();
  await expect(rows(page)).toHaveCount(layerCount);
  await expect.poll(() => rows(page).allTextContents()).toEqual(words);
  await page.locator('[data-index="1"]').click();
  await expect(panel(page).locator(".layers-status")).not.toBeEmpty();

  // The view of a link has no model to ask.
  await page.goto(link);
  await page.getByText("Recorded by someone else.").waitFor();
  await expect(page.getByRole("tab", { name: "Step" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Layers" })).toHaveCount(0);
  await page.getByRole("button", { name: "View", exact: true }).click();
  await expect(page.getByRole("checkbox", { name: "Shade by surprisal" })).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "Shade by layer" })).toHaveCount(0);
  expect(errors).toEqual([]);
});
