/** The path of a newcomer: open, run, see what was not the model's, try another mod, send a link. */

import { addExample, cells, keptRuns, listenForErrors, runToEnd, sharedLink, textOf, untilEnded } from "./page.ts";
import { expect, test } from "./test.ts";

test("a first visit runs offline and shows which words the model did not choose", async ({
  page,
  baseURL,
}) => {
  const errors = listenForErrors(page);
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== new URL(baseURL ?? "").origin)
      elsewhere.push(url.href);
  });
  await page.goto("./");
  await runToEnd(page);
  const marks = (await cells(page)).map(({ mark }) => mark);
  expect(marks).toContain("forced");
  expect(marks).toContain("removed");
  const own = marks.filter((mark) => mark === "plain" || mark === "odds").length;
  await expect(page.locator(".summary-own")).toContainText(`The model chose ${own} of`);
  // What a stranger sees: the name that was taken back, the one in its place, and a sentence that was forced.
  const all = await cells(page);
  const texts = (wanted: string) =>
    all
      .filter(({ mark }) => mark === wanted)
      .map(({ text }) => text)
      .join("");
  expect(texts("removed")).toMatch(/^( ?Lily)+$/);
  expect(texts("reinjected")).toMatch(/^( ?Max)+$/);
  expect(texts("forced")).toBe(" But then it began to rain.");
  await expect(page.locator(".summary")).toContainText("swap-name");
  await expect(page.locator(".summary")).toContainText("plot-twist");
  await expect(page.locator(".inspector-head")).toContainText(
    "Removed by swap-name, which put ' Max' in its place",
  );
  await expect(page.locator(".model-where")).toContainText(/WebGPU|WebAssembly/);
  expect(elsewhere).toEqual([]);
  expect(errors).toEqual([]);
});

test("the same seed gives the same words; another mod changes them", async ({ page }) => {
  await page.goto("./");
  await runToEnd(page);
  const first = await textOf(page);
  await runToEnd(page);
  expect(await textOf(page)).toBe(first);
  await addExample(page, "Start with your words");
  await runToEnd(page);
  const other = await cells(page);
  expect(other[0]?.mark).toBe("forced");
  expect(other.map(({ text }) => text).join("")).not.toBe(first);
});

test("a link opens elsewhere with the same timeline, and nothing of it is run or fetched", async ({
  page,
  browser,
}) => {
  await page.goto("./");
  await runToEnd(page);
  const before = await cells(page);
  const link = await sharedLink(page);
  const stranger = await browser.newPage();
  const errors = listenForErrors(stranger);
  const requests: string[] = [];
  stranger.on("request", (request) => requests.push(request.url().replace(/#.*/, "")));
  await stranger.goto(link);
  await expect(stranger.getByText("Recorded by someone else. Nothing has run.")).toBeVisible();
  expect(await cells(stranger)).toEqual(before);
  // The bar is in one row: the link's own files hold all the styles that it needs.
  expect((await stranger.locator("header.bar").boundingBox())?.height).toBeLessThan(56);
  expect(requests.filter((url) => /monaco|editor|playground|worker|\.wasm|\.onnx|models/.test(url))).toEqual(
    [],
  );
  expect(stranger.workers()).toHaveLength(0);
  expect(errors).toEqual([]);

  await stranger.getByRole("button", { name: "Re-run here" }).click();
  await expect(stranger.locator(".source").nth(1)).toContainText("But then it began to rain.");
  await stranger.getByRole("button", { name: "Run here", exact: true }).click();
  // The link's own run has ended too: it is on the page until the playground has come.
  await expect(stranger.getByText("Recorded by someone else. Nothing has run.")).toBeHidden();
  await untilEnded(stranger);
  expect(await textOf(stranger)).toBe(before.map(({ text }) => text).join(""));
  await stranger.close();
});

test("a broken link says so and leads home", async ({ page }) => {
  await page.goto("./#t1.thisIsNoTracez");
  await expect(page.getByRole("heading", { name: "This link cannot be opened" })).toBeVisible();
  await page.getByRole("link", { name: "To the playground" }).click();
  await expect(
    page.getByRole("heading", { name: "Change what a model says, while it says it." }),
  ).toBeVisible();
});

test("a link of a newer Midtoken says so, and offers to reload", async ({ page }) => {
  await page.goto("./#t2.thisIsOfTomorrowz");
  await expect(page.getByRole("heading", { name: "This link is of a newer Midtoken" })).toBeVisible();
  await expect(page.getByText("begins with t2")).toBeVisible();
  const loaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Reload" }).click();
  await loaded;
  await expect(page.getByRole("link", { name: "To the playground" })).toBeVisible();
});

test("leaving and coming back loses nothing", async ({ page }) => {
  await page.goto("./");
  await page.getByLabel("user turn").fill("Once upon a time there was a cat");
  await page.getByLabel("plot-twist takes part").uncheck();
  await runToEnd(page);
  const before = await cells(page);
  await expect.poll(async () => (await keptRuns(page)).listed.length).toBeGreaterThan(0);
  await page.reload();
  await expect(page.getByLabel("user turn")).toHaveValue("Once upon a time there was a cat");
  await expect(page.getByLabel("plot-twist takes part")).not.toBeChecked();
  await expect(page.locator(".run-line p").first()).toContainText("Ended");
  expect(await cells(page)).toEqual(before);
});
