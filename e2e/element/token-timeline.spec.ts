/** `<token-timeline>` in a page of anyone's, under `script-src 'self'; style-src 'self'`. */
import { gzipSync } from "node:zlib";
import { expect, type Page, test } from "@playwright/test";
import { buildElement } from "../../scripts/build-element.ts";
import type { RequestEvent } from "../../src/package/api/midtoken-engine.ts";
import type { TokenTimelineElement } from "../../src/package/element/index.ts";
import { Firefox } from "../firefox/marionette.ts";
import { axeViolations, listenForErrors } from "../page/page.ts";
import { type ElementPage, serveElement, shortTrace } from "./serve-element.ts";

let site: ElementPage;
test.beforeAll(async () => {
  site = await serveElement();
});
test.afterAll(() => site.close());

/** Puts elements into the page, in place of those that were there; answers once none of them is still reading. */
async function put(page: Page, html: string): Promise<void> {
  await page.evaluate((text) => {
    const main = document.querySelector("main");
    if (main) main.innerHTML = `<h1>A page with timelines</h1>${text}`;
  }, html);
  await expect.poll(() => statuses(page)).not.toContain("loading");
}

const statuses = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("token-timeline")].map((timeline) => timeline.status ?? "loading"),
  );

async function open(page: Page, html: string): Promise<string[]> {
  const errors = listenForErrors(page);
  await page.goto(site.address);
  await page.waitForFunction(() => customElements.get("token-timeline") !== undefined);
  await put(page, html);
  return errors;
}

const timeline = (page: Page, place = 0) => page.locator("token-timeline").nth(place);
const words = (page: Page, place = 0) => timeline(page, place).locator("[data-index]");

test("a permalink, a file and bytes are drawn with their marks, and nothing of the page's styles gets in", async ({
  page,
}) => {
  const errors = await open(
    page,
    `<token-timeline src="https://elsewhere.example/${site.fragment}"></token-timeline>
     <token-timeline src="/run.trace"></token-timeline>
     <token-timeline id="bytes"></token-timeline>`,
  );
  await page.evaluate(async () => {
    const bytes = await (await fetch("/run.trace")).arrayBuffer();
    const element = document.querySelector<TokenTimelineElement>("#bytes");
    if (element) element.file = bytes;
  });
  await expect.poll(() => statuses(page)).toEqual(["finished", "finished", "finished"]);
  const texts = await page.evaluate(() =>
    [...document.querySelectorAll("token-timeline")].map(
      ({ shadowRoot }) => shadowRoot?.querySelector("[role=listbox]")?.textContent ?? "",
    ),
  );
  expect(texts[0]).toContain("named Sam");
  expect(new Set(texts).size).toBe(1);
  const looks = await timeline(page)
    .locator(".cell-forced .word")
    .first()
    .evaluate((word) => {
      const { backgroundImage, letterSpacing, fontFamily } = getComputedStyle(word);
      const part = word.getRootNode() as ShadowRoot;
      const button = part.querySelector("button");
      return {
        backgroundImage,
        letterSpacing,
        fontFamily,
        border: button && getComputedStyle(button).borderTopColor,
      };
    });
  expect(looks.backgroundImage).toContain("gradient");
  expect(looks.letterSpacing).not.toBe("2px");
  expect(looks.fontFamily).toContain("system-ui");
  expect(looks.border).not.toBe("rgb(255, 0, 0)");
  // Nothing was refused by the policy, and nothing else went wrong.
  expect(errors).toEqual([]);
});

test("the text comes with 30 KB, what reads a record comes beside it, and each panel when it is opened", async ({
  page,
}) => {
  const chunks = await buildElement();
  const sizes = new Map(chunks.map(({ fileName, code }) => [fileName, gzipSync(code).length]));
  const partsAsked = () => site.asked.flatMap((path) => path.match(/^\/timeline\/(.+)$/)?.[1] ?? []);
  site.asked.length = 0;
  const errors = await open(page, '<token-timeline src="/run.trace"></token-timeline>');
  await expect(words(page)).not.toHaveCount(0);
  const forText = partsAsked();
  const needed = (names: readonly string[]) => {
    const all = new Set(names);
    for (const name of all)
      for (const each of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) all.add(each);
    return all;
  };
  const ofText = needed(["timeline.js"]);
  const ofReader = needed(forText.filter((name) => name.includes("open-recorded-run")));
  const isReader = (name: string) => ofReader.has(name) && !ofText.has(name);
  const size = (names: readonly string[]) => names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  expect(forText.every((name) => sizes.has(name))).toBe(true);
  // The line of who chose the words follows the words.
  const isSummary = (name: string) => /summary-bar|paged|mark-labels/.test(name);
  expect(size(forText.filter((name) => !isReader(name) && !isSummary(name)))).toBeLessThan(30_000);
  expect(size(forText.filter(isSummary))).toBeLessThan(3_000);
  expect(size(forText.filter(isReader))).toBeLessThan(27_000);

  await timeline(page).evaluate((element) => element.setAttribute("view", "full"));
  for (const [panel, seen] of [
    ["Step", /token \d+ of 70/],
    ["Tracks", /By token/],
    ["Charts", /Entropy/],
    ["Events", /rows/],
    ["Transcript", /Copy with marks.*The model would have written/],
  ] as const) {
    await timeline(page).getByRole("tab", { name: panel }).click();
    await expect(timeline(page).getByRole("tabpanel")).toContainText(seen);
    expect(await axeViolations(page), panel).toEqual([]);
  }
  expect(partsAsked().some((name) => name.includes("charts-panel"))).toBe(true);
  expect(errors).toEqual([]);
});

test("what a model thought first is folded behind a line that opens it", async ({ page }) => {
  const errors = await open(page, '<token-timeline src="/thought.trace"></token-timeline>');
  const line = timeline(page).getByRole("button", { name: /^Reasoning: \d+ tokens?$/ });
  await expect(line).toHaveAttribute("aria-expanded", "false");
  const thought = timeline(page).locator(".cell-reasoning").first();
  await expect(thought).toBeHidden();
  await expect(words(page).last()).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
  await line.click();
  await expect(thought).toBeVisible();
  expect(errors).toEqual([]);
});

test("attributes, properties and events, before and after the element is known", async ({ page }) => {
  const errors = listenForErrors(page);
  // Its script comes late: what was set before counts.
  let release = () => {};
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/timeline/timeline.js", async (route) => {
    await late;
    await route.continue();
  });
  await page.goto(site.address, { waitUntil: "commit" });
  await page.waitForSelector("main");
  await page.evaluate(() => {
    const element = document.createElement("token-timeline") as TokenTimelineElement;
    const told: unknown[] = [];
    Object.assign(window, { told });
    element.addEventListener("load", ({ detail }) => told.push(["load", detail]));
    element.addEventListener("tokenselect", ({ detail }) => told.push(["tokenselect", detail]));
    element.addEventListener("error", ({ detail }) => told.push(["error", detail.error.message]));
    element.src = "/run.trace";
    element.shade = true;
    element.setAttribute("select", "3-5");
    document.querySelector("main")?.append(element);
  });
  release();
  await expect.poll(() => statuses(page)).toEqual(["finished"]);
  const told = () => page.evaluate(() => (window as unknown as { told: unknown[] }).told);
  await expect.poll(told).toEqual([
    ["tokenselect", { selection: { anchor: 2, cursor: 4 }, text: expect.stringMatching(/^\S*\w+/) }],
    ["load", { tokens: 70 }],
  ]);
  await expect(timeline(page).locator("[aria-selected=true]")).toHaveCount(3);
  await expect(timeline(page).locator(".ribbon-shaded")).toHaveCount(1);

  await page.evaluate(() => {
    const element = document.querySelector("token-timeline");
    if (!element) return;
    element.selection = { anchor: 9, cursor: 9 };
    element.src = "/missing.trace";
  });
  await expect(timeline(page).getByRole("alert")).toContainText("The server answered 404");
  await expect.poll(async () => (await told()).at(-1)).toEqual(["error", expect.stringContaining("404")]);
  await page.route("**/missing.trace", async (route) =>
    route.fulfill({ response: await route.fetch({ url: `${site.address}run.trace` }) }),
  );
  await timeline(page).getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => statuses(page)).toEqual(["finished"]);
  expect(errors).toEqual([expect.stringContaining("404")]);
});

test("an element that is taken away stops reading, one that is moved does not read again", async ({
  page,
}) => {
  const errors = await open(page, '<token-timeline src="/run.trace"></token-timeline>');
  site.asked.length = 0;
  // The element fetches its own parts when it needs them, so the paths of its parts may stand among those of the traces.
  const tracesAsked = () => site.asked.filter((path) => path.includes(".trace"));
  await page.evaluate(() => {
    const element = document.querySelector("token-timeline");
    document.body.append(element as Node);
    document.body.insertAdjacentHTML("beforeend", '<token-timeline src="/endless.trace"></token-timeline>');
  });
  await expect.poll(tracesAsked).toEqual(["/endless.trace"]);
  await expect(words(page)).not.toHaveCount(0);
  await page.evaluate(() => document.querySelectorAll("token-timeline")[1]?.remove());
  await expect.poll(tracesAsked).toEqual(["/endless.trace", "endless.trace was left"]);
  await put(
    page,
    '<token-timeline src="/huge.trace"></token-timeline><token-timeline src="/damaged.trace"></token-timeline><token-timeline src="/page.html"></token-timeline>',
  );
  await expect(timeline(page, 0).getByRole("alert")).toContainText("the limit is 67108864");
  await expect(timeline(page, 1).getByRole("alert")).toContainText("damaged");
  await expect(timeline(page, 2).getByRole("alert")).toContainText("no run");
  expect(errors).toEqual([]);
});

test("by keyboard and for screen readers, light, dark and narrow; the page stays where it is", async ({
  page,
}) => {
  const errors = await open(
    page,
    `<button id="before">Before</button><div class="room"></div>
     <token-timeline src="/run.trace" select="60"></token-timeline><token-timeline src="/run.trace"></token-timeline>`,
  );
  await page.evaluate(() => {
    const room = document.querySelector<HTMLElement>(".room");
    if (room) room.style.height = "2000px";
  });
  await expect(timeline(page).locator(".cell-cursor")).toHaveCount(1);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.locator("#before").focus();
  for (const role of ["button", "button", "listbox"]) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(() => {
      const active = document.activeElement?.shadowRoot?.activeElement;
      return active?.getAttribute("role") ?? active?.localName;
    });
    expect(found).toBe(role);
  }
  const active = () => timeline(page).getByRole("listbox").getAttribute("aria-activedescendant");
  expect(await active()).toBe("token-59");
  await page.keyboard.press("ArrowLeft");
  expect(await active()).toBe("token-58");
  await page.keyboard.press("p");
  await expect(timeline(page).locator(".cell-cursor.cell-adjusted")).toHaveCount(1);
  // The other one has a selection of its own.
  await expect(timeline(page, 1).locator(".cell-cursor")).toHaveCount(0);
  await expect(timeline(page).getByRole("listbox", { name: "Tokens" })).toBeFocused();
  for (const scheme of ["light", "dark"]) {
    await page.evaluate((name) => document.documentElement.classList.toggle("dark", name === "dark"), scheme);
    expect(await axeViolations(page), scheme).toEqual([]);
    const ground = await timeline(page)
      .locator("[part=timeline]")
      .evaluate((part) => getComputedStyle(part).backgroundColor);
    expect(ground).toBe(scheme === "light" ? "rgb(255, 255, 255)" : "rgb(24, 24, 27)");
  }
  await timeline(page, 1).evaluate((element: TokenTimelineElement) => {
    element.theme = "light";
  });
  const light = await timeline(page, 1)
    .locator("[part=timeline]")
    .evaluate((part) => getComputedStyle(part).backgroundColor);
  expect(light).toBe("rgb(255, 255, 255)");
  await page.setViewportSize({ width: 360, height: 700 });
  const spill = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await spill()).toBeLessThanOrEqual(0);
  expect(errors).toEqual([]);
});

test("as high as its text, as its page says, or as its limit", async ({ page }) => {
  await open(
    page,
    `<token-timeline src="/run.trace"></token-timeline><token-timeline src="/long.trace"></token-timeline>
     <token-timeline class="high" src="/run.trace"></token-timeline><token-timeline class="low" src="/long.trace"></token-timeline>`,
  );
  await page.evaluate(() => {
    for (const [name, height] of [
      ["high", 600],
      ["low", 180],
    ] as const) {
      const element = document.querySelector<HTMLElement>(`.${name}`);
      if (element) element.style.height = `${height}px`;
    }
  });
  const heights = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("token-timeline")].map((element) =>
        Math.round(element.shadowRoot?.querySelector("[part=timeline]")?.getBoundingClientRect().height ?? 0),
      ),
    );
  await expect.poll(heights).toEqual([expect.any(Number), 384, 600, 180]);
  const [short = 0] = await heights();
  expect(short).toBeGreaterThan(120);
  expect(short).toBeLessThan(384);
  // All of a long text can be scrolled to, and little of it is drawn.
  expect(await words(page, 1).count()).toBeLessThan(1500);
  const end = await timeline(page, 1)
    .locator(".ribbon-scroll")
    .evaluate((box) => {
      box.scrollTop = box.scrollHeight;
      return box.scrollTop;
    });
  expect(end).toBeGreaterThan(1000);
});

/** An owner of requests in the page, of which the test says what happens: `window.emit(event)`. */
function followScripted(page: Page): Promise<void> {
  return page.evaluate(() => {
    const listeners = new Set<(event: RequestEvent) => void>();
    const element = document.querySelector("token-timeline");
    const emit = (event: RequestEvent) => {
      for (const listener of listeners) listener(event);
    };
    Object.assign(window, { emit, listeners });
    if (!element) return;
    element.engine = {
      requests: {
        list: () => [],
        subscribe(listener, id) {
          const own = (event: RequestEvent) => {
            if (id === undefined || event.request.id === id) listener(event);
          };
          listeners.add(own);
          return () => listeners.delete(own);
        },
      },
    };
  });
}

test("a request is drawn while it is made, and left when the element is taken away", async ({ page }) => {
  const errors = await open(page, "<token-timeline></token-timeline>");
  await expect(timeline(page).getByRole("status")).toContainText("No run yet.");
  await followScripted(page);
  const emit = (event: object) =>
    page.evaluate((told) => (window as unknown as { emit(event: object): void }).emit(told), event);
  const request = { id: "r", model: "scripted", createdAt: 1, error: null };
  const half = Math.floor(shortTrace.records.length / 2);
  await emit({ type: "status", request: { ...request, status: "waiting" } });
  await expect(timeline(page).getByText("Waiting for the first word")).toBeVisible();
  await emit({
    type: "records",
    request: { ...request, status: "running" },
    records: shortTrace.records.slice(0, half),
  });
  await expect(timeline(page).locator(".caret")).toHaveCount(1);
  await expect(timeline(page).locator(".timeline-status > p").first()).toHaveText("Writing …");
  const soFar = await words(page).count();
  expect(soFar).toBeGreaterThan(10);
  await emit({
    type: "records",
    request: { ...request, status: "running" },
    records: shortTrace.records.slice(half),
  });
  await emit({ type: "status", request: { ...request, status: "finished" } });
  await expect(words(page)).toHaveCount(70);
  await expect(timeline(page).locator(".timeline-status > p").first()).toHaveText(/^Ended/);
  await timeline(page).evaluate((element) => element.remove());
  const listening = () =>
    page.evaluate(() => (window as unknown as { listeners: Set<unknown> }).listeners.size);
  await expect.poll(listening).toBe(0);
  expect(errors).toEqual([]);
});

test("in Firefox too", async () => {
  const firefox = await Firefox.launch();
  try {
    await firefox.goto(site.address);
    await firefox.evaluate((fragment: string) => {
      const element = document.createElement("token-timeline") as TokenTimelineElement;
      element.view = "full";
      element.src = fragment;
      document.querySelector("main")?.append(element);
    }, site.fragment);
    const shown = () => {
      const root = document.querySelector("token-timeline")?.shadowRoot;
      return (
        (root?.querySelector("[part=panels]")?.textContent ?? "") +
        (root?.querySelector("[role=listbox]")?.textContent ?? "")
      );
    };
    await expect.poll(() => firefox.evaluate(shown)).toMatch(/token \d+ of 70.*named Sam/s);
    expect(await firefox.consoleFaults(new URL(site.address).origin)).toEqual([]);
  } finally {
    await firefox.close();
  }
});
