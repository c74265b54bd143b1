/** The path of a newcomer: open, run, see what was not the model's, print it, send a link, come back, try another mod. */

import {
  addExample,
  cells,
  keptRuns,
  listenForErrors,
  runToEnd,
  sharedLink,
  textOf,
  untilEnded,
} from "./page.ts";
import { expect, test } from "./test.ts";

test("a first visit runs offline and shows which words the model did not choose; it is printed, linked and come back to", {
  tag: "@daily",
}, async ({ page, browser, baseURL }) => {
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
  const own = marks.filter((mark) => mark === "plain" || mark === "same").length;
  await expect(page.locator(".summary-own")).toContainText(`The model chose ${own} of`);
  // A stranger sees the name that was taken back, the name in its place, and a sentence that was forced.
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
  // The effect of each mod is seen at once, without scrolling.
  for (const share of await page.locator(".summary-mod").all())
    await expect(share).toBeInViewport({ ratio: 1 });
  await expect(page.locator(".inspector-head")).toContainText(
    "Removed by swap-name, which put “ Max” in its place",
  );
  await expect(page.locator(".model-where")).toContainText(/WebGPU|WebAssembly/);

  await test.step("on paper it is a document: its text with notes, and nothing of the app around it", async () => {
    const printed = page.locator(".printed-run");
    await expect(printed).toHaveCount(0);
    await page.emulateMedia({ media: "print" });
    await expect(printed).toBeVisible();
    await expect(printed).toContainText("swap-name");
    await expect(printed).toContainText("Removed by swap-name.");
    await expect(printed.locator("ins", { hasText: "But then it began to rain." })).toBeVisible();
    for (const app of [".bar", ".mods", ".conversation", ".ribbon", ".read-panels", "button"]) {
      await expect(page.locator(app).filter({ visible: true }), app).toHaveCount(0);
    }
    // As long as its text, not as high as the window.
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).overflow)).toBe("visible");
    await page.emulateMedia({ media: "screen" });
    await expect(page.locator(".ribbon")).toBeVisible();
    await expect(printed).toHaveCount(0);
  });

  await test.step("the same seed gives the same words", async () => {
    await runToEnd(page);
    await expect.poll(() => cells(page)).toEqual(all);
  });

  await test.step("a link opens elsewhere with the same timeline, and nothing of it is run or fetched", async () => {
    const link = await sharedLink(page);
    const stranger = await browser.newPage();
    const said = listenForErrors(stranger);
    const requests: string[] = [];
    stranger.on("request", (request) => requests.push(request.url().replace(/#.*/, "")));
    await stranger.goto(link);
    await expect(
      stranger.getByText("Recorded by someone else. Nothing has run on this device."),
    ).toBeVisible();
    expect(await cells(stranger)).toEqual(all);
    // The bar is in one row: the link's own files hold all the styles that it needs.
    expect((await stranger.locator("header.bar").boundingBox())?.height).toBeLessThan(56);
    const notForLinks = /monaco|editor|playground|worker|\.wasm|\.onnx|models/;
    expect(requests.filter((url) => notForLinks.test(url))).toEqual([]);
    expect(stranger.workers()).toHaveLength(0);
    expect(said).toEqual([]);

    await stranger.getByRole("button", { name: "Run here and compare" }).click();
    await expect(stranger.locator(".source").nth(1)).toContainText("But then it began to rain.");
    await stranger.getByRole("button", { name: "Run here", exact: true }).click();
    // The link's own run has ended too, and is on the page until the new one begins: only a run that was made here is listed.
    await expect.poll(async () => (await keptRuns(stranger)).listed.length).toBe(1);
    await untilEnded(stranger);
    expect(await textOf(stranger)).toBe(all.map(({ text }) => text).join(""));
    await expect(
      stranger.getByText("This run is the same as the recorded run, token for token:"),
    ).toBeVisible();
    await stranger.close();
  });

  await test.step("leaving and coming back loses nothing", async () => {
    await page.getByLabel("user turn").fill("Once upon a time there was a cat");
    await page.getByLabel("Include plot-twist in the next run").uncheck();
    await runToEnd(page);
    const before = await cells(page);
    await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(3);
    await page.reload();
    await expect(page.getByLabel("user turn")).toHaveValue("Once upon a time there was a cat");
    await expect(page.getByLabel("Include plot-twist in the next run")).not.toBeChecked();
    await untilEnded(page);
    await expect.poll(() => cells(page)).toEqual(before);
  });

  await test.step("another mod changes the words", async () => {
    const before = await textOf(page);
    await addExample(page, "Start with your words");
    await runToEnd(page);
    expect((await cells(page))[0]?.mark).toBe("forced");
    expect(await textOf(page)).not.toBe(before);
  });
  expect(elsewhere).toEqual([]);
  expect(errors).toEqual([]);
});

test("a broken link says so and leads home", async ({ page }) => {
  await page.goto("./#t1.thisIsNoTracez");
  await expect(page.getByRole("heading", { name: "This link cannot be opened" })).toBeVisible();
  await page.getByRole("link", { name: "Open the playground" }).click();
  await expect(
    page.getByRole("heading", { name: "Change what a model says while it says it." }),
  ).toBeVisible();
});

test("a link of a newer Midtoken says so, and offers to reload", async ({ page }) => {
  await page.goto("./#t2.thisIsOfTomorrowz");
  await expect(
    page.getByRole("heading", { name: "This link was made by a newer version of Midtoken" }),
  ).toBeVisible();
  await expect(page.getByText("begins with t2")).toBeVisible();
  const loaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Reload" }).click();
  await loaded;
  await expect(page.getByRole("link", { name: "Open the playground" })).toBeVisible();
});
