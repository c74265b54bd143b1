/** Each way to share a run is saved and opened again: a page from the disk, a picture dropped on the page, a setup link, Markdown. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Download } from "@playwright/test";
import { runToEnd as inOneGo } from "../../src/core/base/resumable-work.ts";
import { encodeTraceFile } from "../../src/core/trace/codec/codec.ts";
import { htmlWithTrace, type InlineViewer } from "../../src/core/trace/file/export-formats/html.ts";
import { pngWithTrace, traceInPng } from "../../src/core/trace/file/export-formats/png.ts";
import { bytesOfFragment, fragmentOf } from "../../src/core/trace/file/fragment.ts";
import { createTraceBuilder, requestRecord } from "../../src/core/trace/testing/trace-builder.ts";
import { Firefox } from "../firefox/marionette.ts";
import { axeViolations, cells, listenForErrors, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const notice = (page: Page) => page.locator(".notice");

async function openShare(page: Page, way: string): Promise<void> {
  await page.getByRole("button", { name: "Share this run" }).click();
  await page.getByRole("tab", { name: way, exact: true }).click();
}

async function saved(page: Page, button: string): Promise<Download> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return download;
}

/** Drops a file on the page, as a hand would. */
async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, base64]) => {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName));
      return transfer;
    },
    [name, Buffer.from(bytes).toString("base64")] as const,
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await expect(page.locator(".drop-target")).toBeVisible();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

test("a run is saved in each way, and opens again from each", async ({ page, context }, info) => {
  await page.goto("./");
  await runToEnd(page);
  const words = await cells(page);
  const folder = info.outputDir;
  mkdirSync(folder, { recursive: true });
  const pageFile = join(folder, "run.html");
  const pictureFile = join(folder, "run.png");

  await test.step("a page, from the disk, reaches nothing", async () => {
    await openShare(page, "Web page");
    await expect(page.locator(".share-length")).toContainText("for the viewer");
    const says = page.getByRole("checkbox", { name: "Add my name" });
    await expect(says).not.toBeChecked();
    await says.check();
    await page.getByLabel("Your name").fill("Ada\u202e Lovelace");
    await expect(
      page.getByText("Your name is public: anyone who receives the run can read it."),
    ).toBeVisible();
    await expect(page.locator(".share-length")).toContainText("for the viewer");
    expect(await axeViolations(page)).toEqual([]);
    const download = await saved(page, "Save the page");
    expect(download.suggestedFilename()).toBe("midtoken-stories260k.html");
    await download.saveAs(pageFile);
    await page.keyboard.press("Escape");

    const other = await context.newPage();
    const errors = listenForErrors(other);
    const asked: string[] = [];
    other.on("request", (request) => asked.push(request.url()));
    await other.goto(pathToFileURL(pageFile).href);
    await expect(other.locator(".link-banner")).toContainText(
      "A recorded run by “Ada Lovelace”, in a file. Nothing has run on this device.",
    );
    expect(await cells(other)).toEqual(words);
    await expect(other.locator(".inspector-word, .step-inspector, .read-panel").first()).not.toBeEmpty();
    for (const name of ["Tracks", "Charts", "Events", "Transcript", "Step"]) {
      await other.getByRole("tab", { name }).click();
      await expect(other.locator(".read-panel")).not.toBeEmpty();
      await expect(other.locator(".pane-fault")).toHaveCount(0);
      if (name === "Charts") await expect(other.locator(".recharts-surface path").first()).toBeVisible();
    }
    await other.getByRole("button", { name: "Show the mods" }).click();
    await expect(other.getByRole("dialog")).toContainText("midtoken/mod");
    await other.keyboard.press("Escape");
    expect(await axeViolations(other)).toEqual([]);
    expect(errors).toEqual([]);
    expect(asked).toEqual([pathToFileURL(pageFile).href]);
    // The policy holds: what asks for more is refused.
    const refused = await other.evaluate(async () => {
      const fetched = await fetch("https://example.org/").catch(() => "refused");
      const script = document.createElement("script");
      script.textContent = "window.ranInline = true";
      document.body.append(script);
      return [fetched, "ranInline" in window];
    });
    expect(refused).toEqual(["refused", false]);
    await other.close();
  });

  await test.step("a picture, dropped on the page, opens the run", async () => {
    await openShare(page, "Picture");
    await expect(page.locator(".share-length")).toContainText("KB");
    const download = await saved(page, "Save the picture");
    await download.saveAs(pictureFile);
    await page.keyboard.press("Escape");
    const other = await context.newPage();
    await other.goto("./");
    await expect(other.locator(".run-controls")).toBeVisible();
    await drop(other, "run.png", readFileSync(pictureFile));
    await expect(other.locator("[data-index]").first()).toBeVisible();
    await expect.poll(() => cells(other)).toEqual(words);
    await expect(other.locator(".recorded-banner")).toContainText("Recorded elsewhere by “Ada Lovelace”.");
    await other.getByRole("button", { name: "Save to my runs" }).click();
    await expect(other.getByRole("button", { name: "Saved" })).toBeVisible();
    await other.getByRole("button", { name: "History", exact: true }).click();
    await expect(other.locator(".run-elsewhere")).toHaveText("recorded elsewhere by Ada Lovelace");
    await other.getByRole("button", { name: "Share this run" }).click();
    await expect(other.getByRole("dialog")).toContainText("The run names “Ada Lovelace” as its author");
    await expect(other.getByRole("checkbox", { name: "Add my name" })).toHaveCount(0);
    await other.keyboard.press("Escape");
    await drop(other, "lost.png", withoutRun(readFileSync(pictureFile)));
    await expect(notice(other).filter({ hasText: "lost.png was not opened" })).toContainText(
      "The picture contains no run.",
    );
    await other.close();
  });

  await test.step("the page, chosen in the browser's dialog, opens the run; what is no run is refused", async () => {
    const other = await context.newPage();
    await other.goto("./");
    await other.getByRole("button", { name: "History", exact: true }).click();
    const choose = async (file: string) => {
      const chooser = other.waitForEvent("filechooser");
      await other.getByRole("button", { name: "Open a file" }).click();
      await (await chooser).setFiles(file);
    };
    const wrong = join(folder, "wrong.html");
    writeFileSync(wrong, "<!doctype html><title>A page</title>");
    await choose(wrong);
    await expect(notice(other)).toContainText("wrong.html was not opened. This page contains no run.");
    await choose(pageFile);
    await expect(other.locator("[data-index]").first()).toBeVisible();
    expect(await cells(other)).toEqual(words);
    await other.close();
  });

  await test.step("Markdown has the text, its marks, its figures and the link", async () => {
    await openShare(page, "Markdown");
    await expect(page.getByLabel("Markdown of the run")).toHaveValue(/^> .*\*\*.*\| Model \| .*#t1\.\w+/s);
    await page.keyboard.press("Escape");
  });

  await test.step("a setup link is read before it goes into the editor, and runs nothing", async () => {
    await openShare(page, "Setup only");
    const address = (await page.locator("[data-address]").getAttribute("data-address")) ?? "";
    expect(address).toMatch(/#s1\.[\w-]+z$/);
    await page.keyboard.press("Escape");
    const other = await context.newPage();
    const asked: string[] = [];
    other.on("request", (request) => asked.push(request.url()));
    await other.goto(address);
    await expect(other.getByRole("heading", { name: "A setup from someone else" })).toBeVisible();
    await expect(other.locator(".source").first()).toContainText("midtoken/mod");
    expect(asked.filter((url) => /models\/|worker|editor|playground/.test(url))).toEqual([]);
    expect(await axeViolations(other)).toEqual([]);
    await other.getByRole("button", { name: "Open in the editor" }).click();
    await expect(notice(other)).toContainText("mods, prompt and settings are in the editor");
    await expect(other.locator(".mod-name").first()).toBeVisible();
    expect(new URL(other.url()).hash).toBe("");
    // A setup cut in its middle is no setup.
    await other.goto("about:blank");
    await other.goto(address.slice(0, -40));
    await expect(other.getByRole("heading", { name: "This link cannot be opened" })).toBeVisible();
    await other.goto("about:blank");
    await other.goto(address.replace(/#.*/, fragmentOf("s", bytesOfFragment(hostileRun.link, "t"))));
    await expect(other.locator("main")).toContainText("The link is marked as a setup");
    await other.close();
  });
});

/** The same picture without what a chat would take out. */
function withoutRun(png: Uint8Array): Uint8Array {
  const file = traceInPng(png);
  const at = Buffer.from(png).indexOf("mtTr") - 4;
  return Buffer.concat([png.subarray(0, at), png.subarray(at + 12 + file.length)]);
}

const attack = "</script></title><script>window.hacked=1</script><img src=x onerror=window.hacked=2>\u202e";
const hostileRun = (() => {
  const request = requestRecord({
    mods: [{ name: attack, source: attack }],
    messages: [{ role: "user", content: attack }],
  });
  const builder = createTraceBuilder({
    ...request,
    maker: attack,
    model: { ...request.model, id: attack },
  });
  builder.prefill([{ token: 1, text: attack }]);
  builder.add([{ token: 97, text: attack }], "forced", { mod: 0 });
  const file = encodeTraceFile(builder.finish("length"));
  return { file, link: fragmentOf("t", file) };
})();

/** The viewer that the built page puts into files. */
async function builtViewer(): Promise<InlineViewer> {
  const assets = resolve("dist/assets");
  const name = readdirSync(assets).find((file) => file.startsWith("inline-viewer-"));
  return (await import(join(assets, name ?? ""))).viewer;
}

test("a page whose run is made of markup shows it as text, in Chromium and in Firefox", async ({
  page,
}, info) => {
  const file = info.outputPath("hostile.html");
  writeFileSync(file, inOneGo(htmlWithTrace(hostileRun.file, await builtViewer(), attack)));
  const address = pathToFileURL(file).href;
  await page.goto(address);
  const isHacked = () => "hacked" in window;
  await expect(page.locator("[data-index]")).toHaveCount(1);
  await expect(page.locator("[data-index]")).toContainText("</script></title><script>");
  await page.getByRole("button", { name: "Show the mods" }).click();
  await expect(page.getByRole("dialog")).toContainText("<img src=x onerror=window.hacked=2>⟨U+202E⟩");
  expect(await page.evaluate(isHacked)).toBe(false);
  await expect(page.locator("img")).toHaveCount(0);

  const firefox = await Firefox.launch();
  try {
    await firefox.goto(address);
    await firefox.waitForText(
      "body",
      /A recorded run by “<\/script><\/title><script>window\.hacked=1.+, in a file\. Nothing has run on this device\./,
    );
    await firefox.waitForText("#ribbon", /<\/script><\/title><script>/);
    expect(await firefox.evaluate(isHacked)).toBe(false);
  } finally {
    await firefox.close();
  }
});

test("the picture of a run made of markup is a picture, and opens", async ({ page }) => {
  await page.goto(`./${hostileRun.link}`);
  await openShare(page, "Picture");
  await expect(page.locator(".share-length")).toContainText("KB");
  const download = await saved(page, "Save the picture");
  const bytes = readFileSync(await download.path());
  expect(Buffer.compare(traceInPng(bytes), traceInPng(pngWithTrace(bytes, traceInPng(bytes))))).toBe(0);
  await expect(page.getByRole("img", { name: "Picture of the run" })).toBeVisible();
});
