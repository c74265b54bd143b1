/** Runs inside pictures and pages are read back unchanged. Damaged and hostile files are refused with a message. */
import { deflateSync } from "fflate";
import { expect, test } from "vitest";
import { runToEnd } from "../../../base/resumable-work.ts";
import { crc32 } from "../../codec/bytes.ts";
import { decodeTraceFile, encodeTraceFile } from "../../codec/codec.ts";
import { traceLimits } from "../../format/limits.ts";
import { TraceError } from "../../format/trace-error.ts";
import { sampleTrace, seededRandom } from "../../testing/sample-trace.ts";
import { createTraceBuilder, requestRecord } from "../../testing/trace-builder.ts";
import { checkRunFileSize, runFileFormats, traceFileIn } from "./export-format.ts";
import { htmlWithTrace, isHtml, traceInHtml } from "./html.ts";
import { pngWithTrace, traceInPng } from "./png.ts";

const trace = sampleTrace({ tokens: 30 });
const file = encodeTraceFile(trace);
const open = (bytes: Uint8Array) => decodeTraceFile(traceFileIn(Uint8Array.from(bytes))).trace;
const refusal = (bytes: Uint8Array): string => {
  try {
    open(bytes);
  } catch (error) {
    if (error instanceof TraceError) return error.message;
    throw error;
  }
  throw new Error("It was opened.");
};

const letters = (name: string) => Array.from(name, (letter) => letter.charCodeAt(0));

function chunk(name: string, data: Uint8Array, length = data.length, crc?: number): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  bytes.set(letters(name), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc ?? crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

const signature = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
const head = chunk("IHDR", Uint8Array.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]));
const image = chunk("IDAT", deflateSync(Uint8Array.from([0, 0])));
const end = chunk("IEND", new Uint8Array());
const png = joined(signature, head, image, end);

const viewer = { script: "show()", scriptHash: "sha256-x", style: "p{}", styleHash: "sha256-y" };
const page = (title = "A run", bytes: Uint8Array = file) => runToEnd(htmlWithTrace(bytes, viewer, title));

test("a run comes out of a picture and out of a page as it went in", () => {
  expect(open(pngWithTrace(png, file))).toStrictEqual(trace);
  expect(open(page())).toStrictEqual(trace);
  expect(open(file)).toStrictEqual(trace);
  expect(traceInPng(pngWithTrace(pngWithTrace(png, file.slice(0, 9)), file))).toStrictEqual(file);
});

test("each kind of file has an example here, which only this kind fits, and opens", () => {
  const examples: Readonly<Record<string, Uint8Array>> = { ".png": pngWithTrace(png, file), ".html": page() };
  for (const { ending, traceIn } of runFileFormats) {
    const example = examples[ending];
    if (!example) throw new Error(`No example of a ${ending} file: add one.`);
    expect(runFileFormats.filter(({ fits }) => fits(example)).map((format) => format.ending)).toEqual([
      ending,
    ]);
    expect(decodeTraceFile(traceIn(example)).trace).toStrictEqual(trace);
  }
});

test("a run of several pieces comes out of a page", () => {
  const long = Uint8Array.from({ length: 500_000 }, (_, place) => (place * 7919) & 255);
  expect(Buffer.compare(traceInHtml(page("long", long)), long)).toBe(0);
});

test.each([
  "</script><script>alert(1)</script>",
  '</title><script type="text/plain" id="midtoken-trace">AAAA</script>',
  '"><img src=x onerror=alert(1)>',
  "<!--",
  "&lt;b&gt;",
])("a run whose texts are %j changes nothing of the page around it", (text) => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: text, source: text }] }));
  builder.prefill([{ token: 1, text }]);
  builder.add([{ token: 97, text }], "sampled");
  const hostile = encodeTraceFile(builder.finish("length"));
  const html = new TextDecoder().decode(page(text, hostile));
  const plain = new TextDecoder().decode(page("", hostile));
  expect(html.match(/<[a-z!/]/gi)).toHaveLength(plain.match(/<[a-z!/]/gi)?.length ?? 0);
  expect(open(page(text, hostile)).records).toHaveLength(5 - 1);
});

test("the page’s policy lets nothing out", () => {
  const [, policy = ""] =
    /Content-Security-Policy" content="([^"]+)"/.exec(new TextDecoder().decode(page())) ?? [];
  expect(policy).toBe(
    "default-src 'none'; script-src 'sha256-x'; style-src 'sha256-y'; base-uri 'none'; form-action 'none'",
  );
});

const traceChunk = chunk("mtTr", file);
const text = (html: string) => new TextEncoder().encode(html);
const opening = '<script type="text/plain" id="midtoken-trace">';

test.each<[string, Uint8Array, string]>([
  ["a picture without a run", png, "The picture contains no run"],
  ["a picture with two", joined(signature, head, traceChunk, image, traceChunk, end), "it contains 2 runs"],
  [
    "a wrong checksum",
    joined(signature, head, chunk("mtTr", file, file.length, 7), end),
    "checksum of its run",
  ],
  [
    "a chunk longer than the file",
    joined(signature, head, chunk("mtTr", file, 0xffff_ffff)),
    "middle of a chunk",
  ],
  ["a picture cut in its head", png.subarray(0, 20), "middle of a chunk"],
  ["a picture without an end", joined(signature, head, image), "its end is missing"],
  ["many empty chunks", joined(signature, new Uint8Array(1_300_000)), "more than 100000 chunks"],
  ["a run behind the end", joined(png, traceChunk), "The picture contains no run"],
  [
    "a picture whose run is none",
    joined(signature, head, chunk("mtTr", text("hello")), end),
    "not a recorded run",
  ],
  ["a page without a run", text("<!doctype html><title>x</title>"), "This page contains no run"],
  [
    "a page whose run is no text of ours",
    text(`<!doctype html>${opening}a<b</script>`),
    "The page is damaged",
  ],
  ["a page with signs in its run", text(`<html>${opening}a.b!</script>`), "The page is damaged"],
  ["a page cut in its run", text(`<!doctype html>${opening}AAAA`), "ends in the middle of its run"],
  ["a page whose run is empty", text(`<!doctype html>${opening}</script>`), "not a recorded run"],
  [
    "a run too far inside",
    text(`<!doctype html>${" ".repeat(9000)}${opening}AAAA</script>`),
    "contains no run",
  ],
  ["a text", text("once upon a time"), "not a recorded run"],
  ["nothing", new Uint8Array(), "not a recorded run"],
])("%s is refused", (_, bytes, message) => expect(refusal(bytes)).toContain(message));

test("a file is refused by its size before it is read", () => {
  const limit = traceLimits.fileBytes;
  expect(() => checkRunFileSize(file.subarray(0, 64), limit + 1)).toThrow("the limit is");
  expect(() => checkRunFileSize(page().subarray(0, 64), limit + 1)).not.toThrow();
  expect(() => checkRunFileSize(page().subarray(0, 64), 2 * limit)).toThrow("the limit is");
  expect(() => checkRunFileSize(png.subarray(0, 64), 2 * limit)).toThrow("the limit is");
});

test("pages are told by how they begin", () => {
  for (const head of ["<!doctype html>", "<HTML lang=en>", "\ufeff\n <!DOCTYPE HTML>"])
    expect(isHtml(text(head))).toBe(true);
  expect(isHtml(file)).toBe(false);
});

test("1,000 damaged pictures and pages: each opens as a run or is refused with words", () => {
  const random = seededRandom(3);
  const exportFormats = [pngWithTrace(png, file), page()];
  const seen = { opened: 0, refused: 0 };
  for (let round = 0; round < 1_000; round += 1) {
    const bytes = (exportFormats[round % 2] ?? file).slice();
    for (let flips = 1 + Math.floor(random() * 3); flips > 0; flips -= 1)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    const cut = random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
    try {
      open(cut);
      seen.opened += 1;
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      expect(error.message.length).toBeLessThan(300);
      seen.refused += 1;
    }
  }
  expect(seen.opened).toBeGreaterThan(5);
  expect(seen.refused).toBeGreaterThan(700);
});
