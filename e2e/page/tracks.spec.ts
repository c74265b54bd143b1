/** The tracks, and the selection that they share with every other view: by pointer, by keyboard, in the address. */
import { axeViolations, inEachLook, runToEnd, sharedLink } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const tracks = (page: Page) => page.getByRole("slider", { name: "Tracks" });
const selected = (page: Page) => page.locator('[role="option"][aria-selected="true"]');
const wholeRun = (page: Page) => page.getByRole("button", { name: "Whole run" });
const caption = (page: Page) => page.locator(".parts-table caption");

async function cursorOf(page: Page): Promise<number> {
  return Number(await tracks(page).getAttribute("aria-valuenow"));
}

/** The place on the page of a share of the tracks' width, and px from their top. */
async function placeIn(page: Page, share: number, top: number): Promise<[number, number]> {
  const box = await tracks(page).boundingBox();
  if (!box) throw new Error("The tracks are not to be seen.");
  return [box.x + share * box.width, box.y + top];
}

/** For each lane, how many px of its row in the canvas are painted, without the line below it. */
function paintedInLanes(page: Page): Promise<number[]> {
  return tracks(page).evaluate((surface) => {
    const canvas = surface.querySelector("canvas");
    const context = canvas?.getContext("2d");
    if (!canvas || !context) return [];
    return [...(surface.parentElement?.querySelectorAll("li") ?? [])].map(({ offsetTop, offsetHeight }) => {
      const scale = canvas.height / canvas.clientHeight;
      const { data } = context.getImageData(
        0,
        (offsetTop + 1) * scale,
        canvas.width,
        (offsetHeight - 3) * scale,
      );
      let painted = 0;
      for (let place = 3; place < data.length; place += 4) if ((data[place] ?? 0) > 40) painted += 1;
      return painted;
    });
  });
}

/** Buttons of the text that stand over its summary, or not wholly on the page. */
function overlapping(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // The part that is scrolled out of sight is under nothing.
    const seen = document.querySelector(".summary")?.getBoundingClientRect();
    const texts = [...document.querySelectorAll(".summary-own, .summary-mod")].map((each) => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return { left, right, top, bottom: Math.min(bottom, seen?.bottom ?? 0) };
    });
    // A narrow pane leaves out "8 seeds", which the menu of a mod has as well.
    const buttons = [...document.querySelectorAll(".read-tools button:not(.eight-seeds)")];
    return buttons.flatMap((button) => {
      const box = button.getBoundingClientRect();
      const isOver = texts.some(
        ({ left, right, top, bottom }) =>
          box.left < right && box.right > left && box.top < bottom && box.bottom > top,
      );
      const isCut = box.left < 0 || box.right > innerWidth || box.width === 0;
      return isOver || isCut ? [button.textContent ?? ""] : [];
    });
  });
}

test("what took how long, and what is selected", async ({ page }) => {
  await page.goto("./");
  await runToEnd(page);
  await page.getByRole("tab", { name: "Tracks" }).click();
  await expect
    .poll(async () => Math.min(...(await paintedInLanes(page))), "every lane is drawn")
    .toBeGreaterThan(20);

  await test.step("keys select, zoom and pan", async () => {
    await tracks(page).focus();
    await page.keyboard.press("Home");
    await expect(tracks(page)).toHaveAttribute("aria-valuenow", "1");
    await expect(tracks(page)).toHaveAttribute(
      "aria-valuetext",
      /^token 1 of \d+, .*; Reading the prompt [\d.]+ m?s; Sampling /,
    );
    await expect(caption(page)).toHaveText(/^Token 1 took [\d.]+ m?s$/);
    for (let times = 0; times < 3; times += 1) await page.keyboard.press("Shift+ArrowRight");
    await expect(selected(page)).toHaveCount(4);
    await expect(tracks(page)).toHaveAttribute("aria-valuetext", /4 tokens selected/);
    await expect(page.locator(".summary-own")).toContainText("4 selected");
    await expect(caption(page)).toHaveText(/^Tokens 1 to 4 took/);
    await expect(
      page
        .getByRole("list", { name: "Every forward pass, sampling step and mod call" })
        .getByRole("listitem")
        .first(),
    ).toHaveText(/^Prompt: \d+ tokens? read/);

    await expect(wholeRun(page)).toBeDisabled();
    await page.keyboard.press("z");
    await expect(wholeRun(page)).toBeEnabled();
    await page.keyboard.press("0");
    await expect(wholeRun(page)).toBeDisabled();
    await expect(page.locator(".overview-shown")).toHaveCount(0);
    for (const key of ["+", "+", "+", "d"]) await page.keyboard.press(key);
    await expect(wholeRun(page)).toBeEnabled();
    await expect(page.locator(".overview-shown")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(selected(page)).toHaveCount(1);
    await expect(tracks(page)).toHaveAttribute("aria-valuenow", "4");
    await page.keyboard.press("0");
  });

  await test.step("a drag selects, a click chooses, pointing tells", async () => {
    await page.mouse.move(...(await placeIn(page, 0.3, 40)));
    await page.mouse.down();
    await page.mouse.move(...(await placeIn(page, 0.45, 90)), { steps: 4 });
    await page.mouse.up();
    const many = await selected(page).count();
    expect(many).toBeGreaterThan(8);
    await expect(caption(page)).toHaveText(/^Tokens \d+ to \d+ took/);
    await expect(page.locator(".overview-range")).toBeVisible();
    await page.mouse.click(...(await placeIn(page, 0.5, 40)));
    await expect(selected(page)).toHaveCount(1);
    await page.mouse.move(...(await placeIn(page, 0.505, 44)));
    await expect(page.locator(".track-tip")).toHaveText(/Forward pass for token \d+: \d+ tokens? read/);
  });

  await test.step("a wheel with Ctrl zooms where it points, a drag of the axis pans", async () => {
    const [x, y] = await placeIn(page, 0.5, 40);
    const before = await cursorOf(page);
    await page.mouse.move(x, y);
    await page.keyboard.down("Control");
    for (let times = 0; times < 4; times += 1) await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    await expect(wholeRun(page)).toBeEnabled();
    await page.mouse.click(x, y);
    expect(await cursorOf(page), "what was pointed at stays there").toBe(before);
    await page.mouse.move(...(await placeIn(page, 0.5, 8)));
    await page.mouse.down();
    await page.mouse.move(...(await placeIn(page, 0.3, 8)), { steps: 3 });
    await page.mouse.up();
    await page.mouse.click(x, y);
    expect(await cursorOf(page)).toBeGreaterThan(before);
    await page.mouse.wheel(-400, 0);
    const underPointer = async () => {
      await page.mouse.click(x, y);
      return cursorOf(page);
    };
    await expect.poll(underPointer, "the wheel has moved the tracks").toBeLessThan(before);
    await wholeRun(page).click();
  });

  await test.step("two fingers zoom, one pans, a tap chooses", async () => {
    const session = await page.context().newCDPSession(page);
    const [x, y] = await placeIn(page, 0.5, 40);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
      session.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: xs.map((at, id) => ({ x: at, y, id })),
      });
    await touch("touchStart", x - 20, x + 20);
    for (const away of [40, 80, 120]) await touch("touchMove", x - away, x + away);
    await touch("touchEnd");
    await expect(wholeRun(page)).toBeEnabled();
    await touch("touchStart", x);
    await touch("touchEnd");
    const before = await cursorOf(page);
    await touch("touchStart", x);
    for (const by of [20, 60, 120]) await touch("touchMove", x - by);
    await touch("touchEnd");
    expect(await cursorOf(page), "a finger that moves chooses nothing").toBe(before);
    await touch("touchStart", x);
    await touch("touchEnd");
    await expect.poll(() => cursorOf(page)).toBeGreaterThan(before);
    await session.detach();
    await wholeRun(page).click();
  });

  await test.step("by time, the same token is where it was made", async () => {
    const before = await cursorOf(page);
    await page.getByRole("radio", { name: "By time" }).check();
    expect(await cursorOf(page)).toBe(before);
    // Where a time lies among the tokens, the machine decides: that it is no longer the first one is all that is sure.
    await tracks(page).focus();
    await page.keyboard.press("Home");
    await page.mouse.click(...(await placeIn(page, 0.9, 40)));
    expect(await cursorOf(page)).toBeGreaterThan(1);
    expect(Math.min(...(await paintedInLanes(page)))).toBeGreaterThan(20);
  });

  await test.step("a drag on the overview selects; the events and the document show it; the address keeps it", async () => {
    const box = await page.locator(".overview-strip").boundingBox();
    if (!box) throw new Error("No overview.");
    await page.mouse.move(box.x + box.width * 0.1, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.2, box.y + 20, { steps: 3 });
    await page.mouse.up();
    const many = await selected(page).count();
    expect(many).toBeGreaterThan(4);
    await page.getByRole("tab", { name: "Events" }).click();
    await expect(page.locator(".event-in-range, .event-selected").first()).toBeAttached();
    await page.getByRole("tab", { name: "Transcript" }).click();
    await expect(page.locator(".transcript-text mark").first()).toBeVisible();
    await expect(page).toHaveURL(/\?select=\d+-\d+$/);
    await page.reload();
    await expect(selected(page)).toHaveCount(many);
    await page.getByRole("tab", { name: "Tracks" }).click();
  });

  await test.step("the overview: zoomed by keys, a wheel and a button; said in words; linked with the tracks", async () => {
    const overview = page.getByRole("slider", { name: "Overview" });
    const all = page.getByRole("button", { name: "Show all tokens in the overview" });
    const zoomIn = page.getByRole("button", { name: "Zoom in on the overview" });
    const place = page.locator(".overview-scroll");
    await expect(overview).toHaveAttribute(
      "aria-description",
      /^All \d+ tokens\. Surprisal .* Tokens that mods changed: /,
    );
    await overview.focus();
    await page.keyboard.press("Home");
    await expect(overview).toHaveAttribute("aria-valuetext", /^token 1 of /);
    await expect(all).toBeDisabled();
    await page.keyboard.press("+");
    await expect(all).toBeEnabled();
    await expect(overview).toHaveAttribute("aria-description", /^Tokens 1 to \d+ of \d+ are in view\./);
    await page.keyboard.press("End");
    await expect(overview, "what is selected is brought in sight").toHaveAttribute(
      "aria-description",
      /^Tokens (?!1 to)\d+ to \d+ of /,
    );
    await page.keyboard.press("0");
    await expect(all).toBeDisabled();
    await expect(place).toHaveCount(0);

    const strip = await overview.boundingBox();
    if (!strip) throw new Error("No overview.");
    const at = (share: number): [number, number] => [strip.x + share * strip.width, strip.y + 20];
    await page.mouse.click(...at(0.3));
    const pointed = await overview.getAttribute("aria-valuenow");
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    await expect(place).toBeVisible();
    await page.mouse.click(...at(0.3));
    expect(await overview.getAttribute("aria-valuenow"), "what was pointed at stays there").toBe(pointed);

    // Brings a few tokens in the middle of the tracks in sight, and drags them along.
    await page.getByRole("radio", { name: "By token" }).check();
    await page.getByRole("button", { name: "Zoom in", exact: true }).click();
    await page.getByRole("button", { name: "Zoom in", exact: true }).click();
    const bracket = page.locator(".overview-shown");
    const leftOf = async () => (await bracket.boundingBox())?.x ?? Number.NaN;
    const before = await leftOf();
    const box = await bracket.boundingBox();
    if (!box) throw new Error("What the tracks show is not in sight.");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 3);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 60, box.y + box.height - 3, { steps: 4 });
    await page.mouse.up();
    await expect.poll(leftOf).toBeLessThan(before - 20);
    await all.click();
    await expect(place).toHaveCount(0);
    await wholeRun(page).click();
    await expect(zoomIn).toBeEnabled();
    await overview.focus();
    await page.keyboard.press("Home");
    for (let times = 0; times < 5; times += 1) await page.keyboard.press("Shift+ArrowRight");
    await expect(selected(page)).toHaveCount(6);
  });

  await test.step("no axe violations; nothing is cut off on a narrow page", async () => {
    await inEachLook(page, async (look) => {
      expect(await axeViolations(page), look).toEqual([]);
      expect(Math.min(...(await paintedInLanes(page)))).toBeGreaterThan(20);
    });
    const size = page.viewportSize();
    await tracks(page).focus();
    await page.keyboard.press("+");
    await expect(wholeRun(page)).toBeEnabled();
    await page.setViewportSize({ width: 360, height: 740 });
    // The same pane, with its panel and its zoom; also after another place was looked at.
    await expect(wholeRun(page)).toBeEnabled();
    await page.getByRole("tab", { name: "Run", exact: true }).click();
    await expect(wholeRun(page)).toBeHidden();
    await page.getByRole("tab", { name: "Read", exact: true }).click();
    await expect(wholeRun(page)).toBeEnabled();
    await expect.poll(() => overlapping(page), "buttons over the summary, or out of sight").toEqual([]);
    expect(await axeViolations(page), "narrow").toEqual([]);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    if (size) await page.setViewportSize(size);
    await expect.poll(() => overlapping(page)).toEqual([]);
    await wholeRun(page).click();
  });

  await test.step("a link opens at what is selected; one without times has tracks by token", async () => {
    const many = await selected(page).count();
    const link = await sharedLink(page);
    expect(link).toMatch(/\?select=\d+-\d+#t1\./);
    await page.goto(link);
    await expect(page.getByText("Recorded by someone else.")).toBeVisible();
    await expect(selected(page)).toHaveCount(many);
    await page.getByRole("tab", { name: "Tracks" }).click();
    await expect(caption(page)).toHaveText(/: the times were not saved$/);
    await expect(page.getByRole("radio", { name: "By time" })).toHaveCount(0);
  });
});
