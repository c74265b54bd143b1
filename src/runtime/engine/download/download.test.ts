import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fault } from "../../../../scripts/testing/hub-server.ts";
import { ByteSink } from "../base/byte-sink.ts";
import { type ModelHub, startModelHub } from "../testing/model-hub.ts";
import { type DownloadOptions, download } from "./download.ts";

const size = 3_000_000;
const content = Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8)) & 255);
let hub: ModelHub;

beforeAll(async () => {
  hub = await startModelHub();
  hub.write("onnx/model.onnx", content);
  hub.write("config.json", '{"a": 1}');
});
beforeEach(() => {
  hub.faults.clear();
  hub.requests.length = 0;
});
afterAll(() => hub.close());

const get = (options: Partial<DownloadOptions> = {}, file = "onnx/model.onnx") =>
  download(hub.url() + file, { file, kind: "binary", maxBytes: 1e9, retryDelayMs: 0, ...options });
const fail = (fault: Fault) => hub.faults.set("onnx/model.onnx", fault);

/** Not `toEqual`, which takes seconds for megabytes. */
const isContent = (bytes: Uint8Array) => Buffer.compare(bytes, content) === 0;

test("a file comes whole, with its progress, through the hub's redirect", async () => {
  const progress: [number, number][] = [];
  const bytes = await get({ onBytes: (...report) => progress.push(report) });
  expect(isContent(bytes)).toBe(true);
  expect(progress.at(0)).toEqual([0, size]);
  expect(progress.at(-1)).toEqual([size, size]);
  expect(progress.length).toBeLessThan(220);
  expect(progress.map(([loaded]) => loaded)).toEqual(
    progress.map(([loaded]) => loaded).sort((a, b) => a - b),
  );
});

test("memory that runs out is said, and the file is not asked for again", async () => {
  fail({ kind: "no-length" });
  const append = vi.spyOn(ByteSink.prototype, "append").mockImplementation(() => {
    throw new RangeError("Array buffer allocation failed");
  });
  await expect(get()).rejects.toThrow(/not enough memory for onnx\/model\.onnx, .*Close other tabs/);
  append.mockRestore();
  expect(hub.requests).toEqual(["onnx/model.onnx"]);
});

describe("a connection that breaks", () => {
  test("is taken up where it broke", async () => {
    fail({ kind: "drop", bytes: 1_000_000, times: 2 });
    expect(isContent(await get())).toBe(true);
    expect(hub.requests).toEqual(["onnx/model.onnx", "onnx/model.onnx 1000000-", "onnx/model.onnx 2000000-"]);
  });

  test("begins anew where the server knows no ranges", async () => {
    const url = `${hub.url()}onnx/model.onnx`;
    let count = 0;
    const bytes = await get({
      fetch: async (input, init) => {
        fail(count++ === 0 ? { kind: "drop", bytes: 1_000_000 } : { kind: "no-range" });
        return fetch(input, init);
      },
    });
    expect(isContent(bytes), url).toBe(true);
    expect(hub.requests).toEqual(["onnx/model.onnx", "onnx/model.onnx 1000000-"]);
  });

  test("begins anew where the file has become another", async () => {
    let count = 0;
    const bytes = await get({
      fetch: async (input, init) => {
        fail(count++ === 0 ? { kind: "drop", bytes: 1_000_000 } : { kind: "new-etag" });
        return fetch(input, init);
      },
    });
    expect(isContent(bytes)).toBe(true);
    expect(hub.requests).toEqual(["onnx/model.onnx", "onnx/model.onnx 1000000-", "onnx/model.onnx"]);
  });

  test("begins anew where the file has become shorter than what came", async () => {
    let count = 0;
    const bytes = await get(
      {
        fetch: async (input, init) => {
          if (count++ === 0) {
            hub.write("onnx/shrinking.onnx", content);
            hub.faults.set("onnx/shrinking.onnx", { kind: "drop", bytes: 1_000_000, times: 1 });
          } else hub.write("onnx/shrinking.onnx", "short");
          return fetch(input, init);
        },
      },
      "onnx/shrinking.onnx",
    );
    expect(new TextDecoder().decode(bytes)).toBe("short");
    expect(hub.requests.at(-2)).toBe("onnx/shrinking.onnx 1000000-");
  });

  test("after the last byte has lost nothing", async () => {
    fail({ kind: "drop", bytes: size });
    expect(isContent(await get())).toBe(true);
    expect(hub.requests).toHaveLength(1);
  });

  test("always at the same place is an error that says how far it came", async () => {
    let count = 0;
    const broken = get({
      fetch: async (input, init) => {
        fail({ kind: "drop", bytes: count++ === 0 ? 1_000_000 : 0 });
        return fetch(input, init);
      },
    });
    await expect(broken).rejects.toThrow(
      /The download of .*model\.onnx broke off after 1000000 of 3000000 bytes from 127\.0\.0\.1/,
    );
    expect(hub.requests).toHaveLength(3);
  });
});

test("a body that ends early without an error is found by its length", async () => {
  let count = 0;
  const short = get({
    fetch: async (input, init) => {
      fail({ kind: "short", bytes: count++ === 0 ? 1234 : 0 });
      return fetch(input, init);
    },
  });
  await expect(short).rejects.toThrow("broke off after 1234 of 3000000 bytes");
});

test("a connection that breaks every few bytes is given up", async () => {
  fail({ kind: "short", bytes: 10 });
  await expect(get()).rejects.toThrow("broke off after 500 of 3000000 bytes");
});

test("a body without a length is taken as it is", async () => {
  fail({ kind: "no-length" });
  const totals: number[] = [];
  expect(isContent(await get({ onBytes: (_, total) => totals.push(total) }))).toBe(true);
  expect(new Set(totals)).toEqual(new Set([0]));
});

describe("cancelling", () => {
  const reason = new DOMException("The user changed their mind.", "AbortError");

  test("before", async () => {
    await expect(get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(hub.requests).toEqual([]);
  });

  test("in the middle of the body", async () => {
    fail({ kind: "stall", bytes: 1_500_000 });
    const controller = new AbortController();
    const loading = get({
      signal: controller.signal,
      onBytes: (loaded) => {
        if (loaded > 1_000_000) controller.abort(reason);
      },
    });
    await expect(loading).rejects.toBe(reason);
    expect(hub.requests).toHaveLength(1);
  });

  test("between two attempts", async () => {
    fail({ kind: "drop", bytes: 10 });
    const controller = new AbortController();
    const loading = get({
      signal: controller.signal,
      retryDelayMs: 60_000,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        setTimeout(() => controller.abort(reason), 100);
        return response;
      },
    });
    await expect(loading).rejects.toBe(reason);
  });
});

describe("what is no file", () => {
  test.each<[string, Fault, RegExp]>([
    ["a web page", { kind: "html" }, /answered with a web page instead of onnx\/model\.onnx/],
    ["a login", { kind: "status", status: 401 }, /HTTP 401.*gated and private/],
    ["a refusal", { kind: "status", status: 403 }, /HTTP 403.*gated or private model, accept/],
    ["too many requests", { kind: "status", status: 429 }, /HTTP 429.*Wait a minute/],
    ["a broken server", { kind: "status", status: 503 }, /HTTP 503.*Try again later/],
  ])("%s", async (_what, fault, message) => {
    fail(fault);
    await expect(get()).rejects.toThrow(message);
  });

  test("nothing there", async () => {
    const missing = get({}, "onnx/model_q4.onnx");
    await expect(missing).rejects.toMatchObject({
      name: "ModelFileError",
      status: 404,
      file: "onnx/model_q4.onnx",
    });
    await expect(missing).rejects.toThrow(`${hub.url()}onnx/model_q4.onnx (HTTP 404)`);
  });

  test("nobody there", async () => {
    const away = download("http://127.0.0.1:9/x", {
      file: "x",
      kind: "binary",
      maxBytes: 9,
      retryDelayMs: 0,
    });
    await expect(away).rejects.toThrow("x could not be fetched: 127.0.0.1:9 cannot be reached");
  });
});

test.each<[string, Fault | null]>([
  ["announced", null],
  ["not announced", { kind: "no-length" }],
])("more than is read, %s", async (_what, fault) => {
  if (fault) fail(fault);
  await expect(get({ maxBytes: 1_000_000 })).rejects.toThrow(/the limit for such a file is 1\.0 MB/);
});

test("text that came compressed may be shorter or longer than the wire says", async () => {
  const lying: typeof fetch = async () => new Response('{"a": 1}', { headers: { "content-length": "20" } });
  expect(new TextDecoder().decode(await get({ kind: "text", fetch: lying }))).toBe('{"a": 1}');
});
