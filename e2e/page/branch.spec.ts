/** Another word in place of one that the model wrote: the run goes on from there, and the run before stays. */
import { axeViolations, cells, keptRuns, runToEnd, untilEnded } from "./page.ts";
import { expect, test } from "./test.ts";

test("an alternative is taken, what came before stays, and the mods go on", { tag: "@daily" }, async ({
  page,
}) => {
  await page.goto("./");
  await runToEnd(page);
  const before = await cells(page);
  const at = before.findIndex(({ mark }, index) => index > 40 && mark === "plain");
  await page.locator(`[data-index="${at}"]`).first().click();
  const row = page
    .locator(".alternatives tbody tr")
    .filter({ has: page.locator(".alternative-take") })
    .first();
  const word = ((await row.locator(".alternative-text").textContent()) ?? "").replaceAll("·", " ");
  expect(await axeViolations(page)).toEqual([]);
  await row.locator(".alternative-take").click();
  await untilEnded(page);

  const after = await cells(page);
  expect(after.slice(0, at)).toEqual(before.slice(0, at));
  expect(after[at]?.text).toBe(word);
  await page.locator(`[data-index="${at}"]`).first().click();
  await expect(page.locator(".inspector-head p")).toContainText("Chosen by you: this run branches off here.");
  await page.locator('[data-index="3"]').first().click();
  await expect(page.locator(".inspector-head p")).toContainText(
    "Copied from the run that this run branched from.",
  );

  // In the middle of words that a mod forced: those before it stay.
  const forced = after.findIndex(
    ({ mark }, index) => mark === "forced" && after[index - 1]?.mark === "forced",
  );
  await page.locator(`[data-index="${forced}"]`).first().click();
  await page.locator(".alternative-take").first().click();
  await untilEnded(page);
  const cut = await cells(page);
  expect(cut.slice(0, forced)).toEqual(after.slice(0, forced));
  expect(cut[forced]?.mark).not.toBe("forced");

  await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(3);
  const { listed } = await keptRuns(page);
  const ids: (string | null)[] = listed.map(({ id }) => id);
  const origins = listed.flatMap(({ from }) => from ?? []);
  expect(origins).toHaveLength(2);
  expect(ids).toEqual(expect.arrayContaining(origins));
});
