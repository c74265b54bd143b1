/** Files of models are downloaded, stored, resumed, repaired and updated: over real HTTP, into a store in memory. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Fault, type HubServer, startHubServer } from "../../../../scripts/testing/hub-server.ts";
import type { LoadProgress } from "../base/model-reference.ts";
import { createUrlSource, type UrlSourceOptions } from "../files/url-source.ts";
import { createLocalLocks, type Locks } from "./locks.ts";
import { createMemoryModelStore, type MemoryModelStore } from "./testing/memory-store.ts";
import { findNewerVersion, updateModel } from "./update-model.ts";

const size = 300_000;
const blockBytes = 40_000;
const weights = (seed: number) =>
  Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8) * 7 + seed) & 255);
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const path = "onnx/model.onnx";
const first = new Map([
  ["config.json", json({ a: 1 })],
  ["onnx/same.onnx", weights(9)],
  [path, weights(1)],
]);
const second = new Map([...first, ["config.json", json({ a: 2 })], [path, weights(2)]]);

const repository = { main: first, revisions: { old: first } };
const faults = new Map<string, Fault>();
const requests: string[] = [];
const hub: HubServer = await startHubServer({
  repositories: { "test/model": repository },
  faults,
  onRequest: (file, range) => requests.push(range === null ? file : `${file} ${range.replace("bytes=", "")}`),
});
afterAll(() => hub.close());
beforeEach(() => {
  faults.clear();
  requests.length = 0;
  repository.main = first;
});

const url = hub.url("test/model");
const binary = { kind: "binary", maxBytes: 1e9 } as const;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const small = (options: Parameters<typeof createMemoryModelStore>[0] = {}) =>
  createMemoryModelStore({ blockBytes, ...options });
const source = ({ store }: MemoryModelStore, options: UrlSourceOptions = {}, address = url) =>
  createUrlSource(address, { store, retryDelayMs: 0, ...options });
const bytesOf = async (content: Blob) => new Uint8Array(await content.arrayBuffer());
/** Not `toEqual`, which takes seconds for megabytes. */
const isSame = (a: Uint8Array, b: Uint8Array | undefined) => b !== undefined && Buffer.compare(a, b) === 0;

/** Locks, and a promise that resolves when work begins to wait for a lock. */
function tellingLocks(): { readonly locks: Locks; readonly waits: Promise<void> } {
  const local = createLocalLocks();
  let resolve = (): void => {};
  const waits = new Promise<void>((done) => {
    resolve = done;
  });
  const locks: Locks = {
    run(name, work, options = {}) {
      const onWait = (): void => {
        options.onWait?.();
        resolve();
      };
      return local.run(name, work, { ...options, onWait });
    },
  };
  return { locks, waits };
}

/** A fetch, and a promise that resolves when this many bytes of a body were read through it. */
function untilCame(bytes: number) {
  let came = 0;
  let resolve = (): void => {};
  const enough = new Promise<void>((done) => {
    resolve = done;
  });
  const counting = (): TransformStream<Uint8Array, Uint8Array> =>
    new TransformStream({
      transform(piece, out) {
        out.enqueue(piece);
        came += piece.length;
        if (came >= bytes) setTimeout(resolve, 0);
      },
    });
  const fetchCounted: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    return String(input).endsWith(path)
      ? new Response(response.body?.pipeThrough(counting()), response)
      : response;
  };
  return { came: enough, fetch: fetchCounted };
}

/** Opens the weights, and stops when this many bytes are stored. */
async function stopAt(kept: MemoryModelStore, bytes: number): Promise<void> {
  const controller = new AbortController();
  const reason = new Error("stopped");
  const opening = source(kept, {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).endsWith(path)) return response;
      let came = 0;
      const counting = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, out) {
          for (let at = 0; at < piece.length; at += 1000) out.enqueue(piece.subarray(at, at + 1000));
          came += piece.length;
          if (came > bytes) controller.abort(reason);
        },
      });
      return new Response(response.body?.pipeThrough(counting), response);
    },
  }).open(path, { ...binary, signal: controller.signal });
  await expect(opening).rejects.toBe(reason);
}

describe("a download that is stopped", () => {
  test("goes on at the very byte where it ended, and says so", async () => {
    const kept = small();
    faults.set(path, { kind: "stall", bytes: 123_456, times: 1 });
    const controller = new AbortController();
    const { came, fetch } = untilCame(123_456);
    const opening = source(kept, { retryDelayMs: 0, fetch }).open(path, {
      ...binary,
      signal: controller.signal,
    });
    await came;
    controller.abort();
    await expect(opening).rejects.toMatchObject({ name: "AbortError" });
    const [model] = await kept.store.list();
    expect(model?.partialFiles).toEqual([{ path, bytes: 123_456, size }]);
    requests.length = 0;
    const seen: LoadProgress[] = [];
    const content = await source(kept).open(path, { ...binary, onProgress: (each) => seen.push(each) });
    expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
    expect(requests).toEqual([`${path} 123456-`]);
    expect(seen[0]).toMatchObject({ loadedBytes: 123_456, totalBytes: size, resumedBytes: 123_456 });
    expect(seen.at(-1)).toMatchObject({ loadedBytes: size, fromCache: false });
  });

  test("anywhere, by a stop or by the death of its tab, gives the file, and no byte twice but of the last block", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.integer({ min: 0, max: size - 1 }), isKilled: fc.boolean() }), {
          minLength: 1,
          maxLength: 3,
        }),
        async (stops) => {
          const kept = small();
          let wire = 0;
          let most = size;
          for (const { at, isKilled } of [...stops, { at: size, isKilled: false }]) {
            requests.length = 0;
            const writes = kept.tree.write.bind(kept.tree);
            // A killed tab writes nothing more, and what it held in memory is lost.
            let isDead = false;
            kept.tree.write = async (...args) => (isDead ? undefined : writes(...args));
            const controller = new AbortController();
            const opening = source(kept, {
              fetch: async (input, init) => {
                const response = await fetch(input, init);
                if (!String(input).endsWith(path)) return response;
                const start = Number(
                  /^bytes=(\d+)/.exec(new Headers(init?.headers).get("range") ?? "")?.[1] ?? 0,
                );
                const body = response.body?.getReader();
                let came = start;
                // The stream asks for the next piece only when the previous one was processed.
                const cut = new ReadableStream<Uint8Array>(
                  {
                    async pull(out) {
                      if (came >= at && at < size) {
                        isDead = isKilled;
                        controller.abort();
                        await body?.cancel();
                        return out.error(new Error("stopped"));
                      }
                      const piece = await body?.read();
                      if (!piece || piece.done) return out.close();
                      const part = piece.value.subarray(0, Math.max(1, at - came));
                      came += part.length;
                      wire += part.length;
                      out.enqueue(part);
                    },
                  },
                  { highWaterMark: 0 },
                );
                return new Response(cut, response);
              },
            }).open(path, { ...binary, signal: controller.signal });
            const content = await opening.catch(() => null);
            kept.tree.write = writes;
            if (isKilled) most += blockBytes;
            if (content) expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
            else expect(at).toBeLessThan(size);
          }
          const [whole] = (await kept.store.list()) ?? [];
          expect(whole).toMatchObject({ bytes: size, partialFiles: [] });
          expect(wire).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 12 },
    );
  });

  test("and whose kept part is damaged by then fetches what follows the damage", async () => {
    const kept = small();
    await stopAt(kept, 200_000);
    const blocks = [...kept.tree.files.keys()].filter((file) => /\d{6}$/.test(file)).sort();
    const damaged = kept.tree.files.get(blocks[1] as string);
    if (damaged) damaged[7] = (damaged[7] ?? 0) ^ 1;
    requests.length = 0;
    const content = await source(kept).open(path, binary);
    expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
    expect(requests).toEqual([`${path} ${blockBytes}-`]);
  });
});

describe("what the server does wrong", () => {
  // [name, fault, error or null if the file arrives, number of requests for it]
  test.each<[string, Fault, RegExp | null, number]>([
    ["a connection that breaks", { kind: "drop", bytes: 100_000, times: 1 }, null, 2],
    ["one that ends early without an error", { kind: "short", bytes: 100_000, times: 1 }, null, 2],
    ["no length", { kind: "no-length" }, null, 1],
    ["no ranges", { kind: "no-range" }, null, 1],
    ["another validator at each answer", { kind: "new-etag" }, null, 1],
    ["a moment's failure", { kind: "status", status: 503, times: 1 }, null, 2],
    ["a moment's refusal", { kind: "status", status: 429, times: 2 }, null, 3],
    ["always too many requests", { kind: "status", status: 429 }, /HTTP 429.*Wait a minute/, 3],
    ["a failure that lasts", { kind: "status", status: 500 }, /HTTP 500.*Try again later/, 3],
    ["no such file", { kind: "status", status: 404 }, /HTTP 404.*Check the model's id/, 1],
    ["a login", { kind: "status", status: 403 }, /HTTP 403.*gated/, 1],
    ["a web page", { kind: "html" }, /web page instead of onnx\/model\.onnx/, 1],
    [
      "a connection that always breaks",
      { kind: "drop", bytes: 0 },
      /could not be fetched: 127\.0\.0\.1:\d+ cannot be reached/,
      3,
    ],
  ])("%s", async (_what, fault, message, count) => {
    const kept = small();
    faults.set(path, fault);
    const opening = source(kept).open(path, binary);
    if (message) await expect(opening).rejects.toThrow(message);
    else expect(isSame(await bytesOf(await opening), first.get(path))).toBe(true);
    expect(requests).toHaveLength(count);
    // The next request works, and other files are still stored.
    faults.clear();
    const again = await source(kept).open(path, binary);
    expect(isSame(await bytesOf(again), first.get(path))).toBe(true);
    expect((await source(kept).read("config.json", { kind: "text", maxBytes: 100 })).length).toBe(7);
  });

  test("a connection that says nothing is broken off and taken up", async () => {
    const kept = small();
    faults.set(path, { kind: "stall", bytes: 100_000, times: 1 });
    const content = await source(kept).open(path, { ...binary, stallMs: 3_000 });
    expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
    expect(requests).toEqual([path, `${path} 100000-`]);
  });

  test("other bytes than the hash says are fetched once more, and refused then", async () => {
    for (const times of [1, Number.POSITIVE_INFINITY]) {
      const kept = small();
      let count = 0;
      const lying: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).endsWith(path) || count++ >= times) return response;
        const bytes = new Uint8Array(await response.arrayBuffer());
        bytes[size >> 1] = (bytes[size >> 1] ?? 0) ^ 1;
        return new Response(bytes, response);
      };
      const opening = source(kept, { fetch: lying }).open(path, binary);
      if (times === 1) expect(isSame(await bytesOf(await opening), first.get(path))).toBe(true);
      else
        await expect(opening).rejects.toThrow(/arrived twice from .* with bytes that do not match its hash/);
      if (times !== 1) expect(await kept.store.list()).toEqual([]);
    }
  });

  test("a small file with other bytes than Git's hash says is refused too", async () => {
    const lying: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      return String(input).endsWith("config.json") ? new Response('{"a":3}', response) : response;
    };
    const reading = source(small(), { fetch: lying }).read("config.json", { kind: "text", maxBytes: 100 });
    await expect(reading).rejects.toThrow("config.json arrived twice");
  });

  test("where the hub does not say what it has, files are checked by their size, and continued by their validator", async () => {
    const kept = small();
    const silent: typeof fetch = async (input, init) =>
      String(input).includes("/api/") ? new Response("", { status: 500 }) : fetch(input, init);
    faults.set(path, { kind: "short", bytes: 100_000, times: 1 });
    const content = await source(kept, { fetch: silent }).open(path, binary);
    expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
    expect(requests).toEqual([path, `${path} 100000-`]);
    // A missing optional file is requested once. Later loads do not request it again, so they work offline.
    const missing = () => source(kept, { fetch: silent }).read("x.json", { kind: "text", maxBytes: 10 });
    await expect(missing()).rejects.toMatchObject({ status: 404 });
    const offline: typeof fetch = async () => {
      throw new TypeError("Failed to fetch");
    };
    const text = { kind: "text", maxBytes: 10 } as const;
    const reading = source(kept, { fetch: offline }).read("x.json", text);
    await expect(reading).rejects.toMatchObject({ status: 404 });
    await expect(source(kept, { fetch: offline }).read("y.json", text)).rejects.toMatchObject({
      status: null,
    });
    expect((await source(kept, { fetch: offline }).open(path, binary)).size).toBe(size);
  });
});

describe("what is kept", () => {
  const files = (kept: MemoryModelStore) =>
    [...kept.tree.files.keys()].filter((file) => /\d{6}$/.test(file)).sort();

  test("a block that is gone or cut short is noticed when the file is opened, and it alone is fetched", async () => {
    const kept = small();
    await source(kept).open(path, binary);
    kept.tree.files.delete(files(kept)[2] as string);
    kept.tree.files.set(files(kept)[4] as string, new Uint8Array(5));
    requests.length = 0;
    const content = await source(kept).open(path, binary);
    expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
    expect(requests).toEqual([`${path} 80000-119999`, `${path} 200000-239999`]);
  });

  test("a bit that turned is found when all is read, and its block is fetched again", async () => {
    const kept = small();
    await source(kept).open(path, binary);
    const damaged = kept.tree.files.get(files(kept)[3] as string);
    if (damaged) damaged[11] = (damaged[11] ?? 0) ^ 4;
    requests.length = 0;
    expect(await source(kept).repair?.({})).toEqual([path]);
    expect(requests).toEqual([`${path} 120000-159999`]);
    expect(isSame(await bytesOf(await source(kept).open(path, binary)), first.get(path))).toBe(true);
    expect(await source(kept).repair?.({})).toEqual([]);
  });

  test("a record that nobody can read is as good as none", async () => {
    const kept = small();
    await source(kept).open(path, binary);
    for (const file of kept.tree.files.keys())
      if (file.endsWith("file.json")) kept.tree.files.set(file, json({ path, state: "whole" }));
    expect(isSame(await bytesOf(await source(kept).open(path, binary)), first.get(path))).toBe(true);
    expect(requests).toEqual([path, path]);
  });

  test("without room for it a file is used from memory, which is said; or refused, where it must be kept", async () => {
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    const kept = small({ room: async () => 50_100_000 });
    const content = await source(kept, { onNotice }).open(path, binary);
    expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
    expect(notices).toEqual([
      "onnx/model.onnx needs 300 KB, but the browser's storage has room for only 100 KB more. The model works now, but this file will be downloaded again next time. Delete other models or free disk space.",
    ]);
    expect(await kept.store.list()).toEqual([]);
  });

  test("a disk that is full in the middle costs nothing but the keeping", async () => {
    const notices: string[] = [];
    const kept = small();
    kept.tree.limit = 150_000;
    const seen: LoadProgress[] = [];
    const reading = { ...binary, onProgress: (each: LoadProgress) => seen.push(each) };
    const content = await source(kept, { onNotice: (notice) => notices.push(notice) }).open(path, reading);
    expect(isSame(await bytesOf(content), first.get(path))).toBe(true);
    // Once the disk is full, `resumedBytes` is absent: if the download stopped now, the bytes in memory would be lost.
    expect(seen[0]).toMatchObject({ resumedBytes: 0 });
    expect(seen.at(-1)).not.toHaveProperty("resumedBytes");
    expect(notices).toEqual([
      expect.stringMatching(
        /^onnx\/model\.onnx \(300 KB\) could not be saved in .* \(QuotaExceededError\)\. The model works now/,
      ),
    ]);
    kept.tree.limit = Number.POSITIVE_INFINITY;
    requests.length = 0;
    await source(kept).open(path, binary);
    expect(requests).toEqual([`${path} 120000-`]);
    expect(await kept.store.list()).toMatchObject([{ bytes: size, partialFiles: [] }]);
  });

  test("two that ask at once share one download, and the other sees how far it is", async () => {
    const { locks, waits } = tellingLocks();
    const kept = small({ locks });
    faults.set(path, { kind: "short", bytes: 200_000, times: 1 });
    const { came, fetch } = untilCame(200_000);
    // The rest of the file is asked for once the other waits.
    const fetchRestLater: typeof fetch = async (input, init) => {
      if (new Headers(init?.headers).has("range")) await waits;
      return fetch(input, init);
    };
    const one = source(kept, { fetch: fetchRestLater }).open(path, binary);
    await came;
    const seen: LoadProgress[] = [];
    const onProgress = (each: LoadProgress) => seen.push(each);
    const other = source(kept).open(path, { ...binary, onProgress });
    expect(isSame(await bytesOf(await one), await bytesOf(await other))).toBe(true);
    expect(requests).toEqual([path, `${path} 200000-`]);
    expect(seen.some(({ loadedBytes }) => loadedBytes > 0 && loadedBytes < size)).toBe(true);
    expect(seen.at(-1)).toMatchObject({ loadedBytes: size, fromCache: true });
  });

  test("when the one that downloads is stopped, the other goes on", async () => {
    const kept = small();
    faults.set(path, { kind: "stall", bytes: 200_000, times: 1 });
    const controller = new AbortController();
    const { came, fetch } = untilCame(200_000);
    const stopped = source(kept, { fetch }).open(path, { ...binary, signal: controller.signal });
    const outcome = expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    await came;
    const other = source(kept).open(path, binary);
    // By then it should wait for the first download; if it does not yet, the result is the same.
    setTimeout(() => controller.abort(), 50);
    await outcome;
    expect(isSame(await bytesOf(await other), first.get(path))).toBe(true);
    expect(requests).toEqual([path, `${path} 200000-`]);
  });
});

describe("a newer version on the hub", () => {
  test("is noticed and taken when asked for; of what did not change nothing is fetched; the old one is used until then", async () => {
    const kept = small();
    for (const file of first.keys()) await source(kept).open(file, binary);
    const current = await kept.store.current(url);
    if (!current) throw new Error("Nothing is kept.");
    expect(await findNewerVersion(current, {})).toBeNull();
    repository.main = second;
    expect(await findNewerVersion(current, {})).toMatch(/^[0-9a-f]{40}$/);
    const notices: string[] = [];
    const old = await source(kept, { onNotice: (notice) => notices.push(notice) }).open(path, binary);
    expect(isSame(await bytesOf(old), first.get(path))).toBe(true);
    expect(notices).toEqual([
      "A newer version of this model is on Hugging Face; the saved version is still used.",
    ]);
    requests.length = 0;
    faults.set(path, { kind: "status", status: 403, times: 1 });
    await expect(updateModel(kept.store, url)).rejects.toThrow("HTTP 403");
    expect(isSame(await bytesOf(await source(kept).open(path, binary)), first.get(path))).toBe(true);
    const seen: [number, number][] = [];
    expect(await updateModel(kept.store, url, { onProgress: (...each) => seen.push(each) })).toBe(true);
    const all = [...second.values()].reduce((sum, { length }) => sum + length, 0);
    expect(seen.at(-1)).toEqual([all, all]);
    expect(requests.filter((request) => request.startsWith("onnx/same"))).toEqual([]);
    expect(isSame(await bytesOf(await source(kept).open(path, binary)), second.get(path))).toBe(true);
    expect(await kept.store.list()).toMatchObject([{ bytes: all, files: 3, newer: null }]);
    expect(await updateModel(kept.store, url)).toBe(false);
  });

  test("the rest of a model comes from the commit of what is kept", async () => {
    const kept = small();
    await source(kept).open("config.json", { kind: "text", maxBytes: 100 });
    repository.main = second;
    const content = await source(kept).open(path, binary);
    expect(sha256(await bytesOf(content))).toBe(sha256(first.get(path) as Uint8Array));
  });
});
