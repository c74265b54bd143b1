/** Files that the page fetches before it shows itself: the playground fetches no gallery and no sandbox program, a link little. */
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type APIRequestContext, expect, test } from "@playwright/test";
import { maxFileBytes, measureFolder } from "../../scripts/package/largest-file.ts";
import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";

/** The mods of a first visit are shown at once: their texts belong to the page. */
const shownAtOnce = ["swap-name.ts", "plot-twist.ts"];

/** Scripts by address: those that index.html names and the playground's entry, with all that they import statically. */
async function firstScripts(request: APIRequestContext, baseURL: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const html = await (await request.get(baseURL)).text();
  const [, entry = ""] = /<script[^>]+src="([^"]+\.js)"/.exec(html) ?? [];
  const waiting = [new URL(entry, baseURL).href];
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (found.has(address)) continue;
    const text = await (await request.get(address)).text();
    found.set(address, text);
    const imported = text.matchAll(/(?:from|import)\s*["'](\.\/[^"']+\.js)["']/g);
    const playground = text.matchAll(/import\(\s*["'`](\.\/playground-entry[^"'`]+\.js)["'`]\s*\)/g);
    for (const [, path = ""] of [...imported, ...playground]) waiting.push(new URL(path, address).href);
  }
  return found;
}

/** A line of a mod that no other text has: the longest one that stands in a bundle as it is written. */
function ownLine(source: string): string {
  const lines = source.split("\n").filter((line) => !/["'`\\$]/.test(line));
  return lines.reduce((longest, line) => (line.length > longest.length ? line : longest), "").trim();
}

test("the first scripts carry no gallery, no sandbox program and no compiler", async ({
  request,
  baseURL,
}) => {
  const scripts = await firstScripts(request, baseURL ?? "");
  const names = [...scripts.keys()].map((address) => address.split("/").at(-1) ?? "");
  expect(names.some((name) => name.startsWith("playground-entry"))).toBe(true);
  // Each is asked for and compressed by itself: there were sixty.
  expect(names.length).toBeLessThanOrEqual(4);
  const text = [...scripts.values()].join("\n");
  expect(text).not.toContain("sourceURL=guest.js");
  // Words of the compiler's errors: it stands in a worker of its own.
  expect(text).not.toContain("Error transforming");

  const folder = "src/page/examples";
  const mods = readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file));
  const withLine = mods
    .map((file) => ({ file, line: ownLine(readFileSync(`${folder}/${file}`, "utf8")) }))
    .filter(({ line }) => line.length > 30);
  expect(withLine.length).toBeGreaterThan(30);
  const carried = withLine.filter(({ line }) => text.includes(line)).map(({ file }) => file);
  expect(carried.filter((file) => !shownAtOnce.includes(file))).toEqual([]);
  // The code that reads saved runs comes after the first paint.
  expect(text).not.toContain("its checksum is wrong");
  // 439 KB on 29 November; the compiler has 211, the sandboxes' program 262, the reading and saving of runs 66, the gallery 47.
  expect(Buffer.byteLength(text)).toBeLessThan(455_000);
});

test("no file of the built page is over 25 MB, which static hosts refuse, and each runtime is there once, packed", () => {
  expect(measureFolder("dist").largest.bytes).toBeLessThan(maxFileBytes);
  const runtimes = readdirSync("dist/assets").filter((name) => name.includes(".wasm"));
  expect(runtimes.map((name) => name.replace(/-[\w-]{8}\.gz$/, ".gz")).toSorted()).toEqual([
    "ort-wasm-simd-threaded.asyncify.wasm.gz",
    "ort-wasm-simd-threaded.jspi.wasm.gz",
    "ort-wasm-simd-threaded.wasm.gz",
  ]);
});

/** Whether one of the texts imports the script at this address, now or later; for the page itself, whether it has a tag for it. */
function isImportedBy(texts: readonly string[], address: string): boolean {
  const name = address.slice(address.lastIndexOf("/") + 1);
  return texts.some((text) => new RegExp(`(from|import\\(?|src=)["'\`]\\./(assets/)?${name}`).test(text));
}

test("a link is drawn with 80 KB of compressed scripts: no React, no editor, no engine, no mod", async ({
  page,
  request,
  baseURL,
}) => {
  const asked: string[] = [];
  page.on("request", (each) => asked.push(each.url()));
  await page.goto(`${baseURL}${encodePermalink(sampleTrace({ tokens: 100 })).fragment}`);
  await expect(page.locator("[data-index]").first()).toBeVisible();
  await expect(page.locator(".inspector-word, .inspector-empty").first()).toBeVisible();
  // These scripts follow the words and the inspector, and may come before this line or after; the banner only if reading takes long.
  const follows =
    /page-translation|draw-panel|overview-labels|printed-run|transcript|answer-calls|reading-banner|run-end|step-details|draw-labels|paged|offline-use|live-text|copy-button|json-bounds|read-tools|popover|legend|summary-bar|summary-labels|mark-labels|run-announcer|run-line-metrics|run-metrics|run-times|question-text|output-text|visible-source/;
  const texts = new Map<string, string>();
  for (const address of asked.filter((each) => each.endsWith(".js")))
    texts.set(address, await (await request.get(address)).text());
  const [followers, others] = [true, false].map((isFollower) =>
    [...texts].flatMap(([address, text]) => (follows.test(address) === isFollower ? [text] : [])),
  ) as [string[], string[]];
  others.push(await (await request.get(baseURL ?? "")).text());
  // A script that only followers import follows as they do.
  const addresses = [...texts.keys()].filter(
    (address) =>
      !follows.test(address) && (isImportedBy(others, address) || !isImportedBy(followers, address)),
  );
  const scripts = addresses.map((address) => texts.get(address) ?? "");
  const text = scripts.join("\n");
  expect(text.includes(" by someone else")).toBe(true);
  // Words of React's errors, of the editor, of the runtime, and of a first visit's mod.
  const foreign = [
    "react.dev/errors",
    "MonacoEnvironment",
    "ort-wasm",
    ownLine(readFileSync("src/page/examples/swap-name.ts", "utf8")),
  ];
  expect(foreign.filter((word) => text.includes(word))).toEqual([]);
  expect(addresses.filter((address) => /playground|worker|gallery|editor/.test(address))).toEqual([]);
  const weight = scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0);
  // About 79,300 on 29 November.
  expect(weight).toBeLessThan(80_000);
  // The script for offline use comes last, and brings nothing of the playground with it.
  await expect.poll(() => asked.some((address) => address.includes("offline-use"))).toBe(true);
  await page.waitForLoadState("networkidle");
  expect(asked.filter((address) => address.includes("playground"))).toEqual([]);
});
