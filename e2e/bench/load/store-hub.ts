/** A hub with a made-up model and a page that keeps its files: what the sections on downloads share. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fault, type HubServer, startHubServer } from "../../../scripts/testing/hub-server.ts";
import { type BenchPage, openBenchPage } from "../decode/browser.ts";
import type {} from "./store-page.ts";

export interface StoreHub {
  readonly page: BenchPage["page"];
  readonly hub: HubServer;
  /** Address of the model's folder. */
  readonly url: string;
  /** By path; used up as they say. */
  readonly faults: Map<string, Fault>;
  /** SHA-256 of the weights, in hex digits. */
  readonly sha256: string;
  /** Called for each request for a file's content, before the fault of its answer is looked up. */
  onRequest: (file: string, firstByte: number) => void;
}

export const weights = "onnx/model.onnx";
export const otherWeights = "onnx/other.onnx";

/** @param size bytes of the weights. */
export async function onStore<Result>(
  size: number,
  work: (given: StoreHub) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "midtoken-bench-"));
  const faults = new Map<string, Fault>();
  try {
    await mkdir(join(folder, "onnx"));
    const content = madeUp(size, 1);
    const other = madeUp(2_000_000, 2);
    await writeFile(join(folder, weights), content);
    await writeFile(join(folder, otherWeights), other);
    for (const name of ["config.json", "tokenizer.json"]) await writeFile(join(folder, name), "{}");
    const sha256 = createHash("sha256").update(content).digest("hex");
    const { page, close } = await openBenchPage({ at: { path: "load/store.html", global: "storeBench" } });
    const hub = await startHubServer({
      repositories: { "bench/model": folder, "bench/other": folder },
      faults,
      onRequest: (file, range) => given.onRequest(file, Number(/^bytes=(\d+)/.exec(range ?? "")?.[1] ?? 0)),
    });
    const url = hub.url("bench/model");
    const given: StoreHub = { page, hub, url, faults, sha256, onRequest: () => undefined };
    try {
      return await work(given);
    } finally {
      await close();
      await hub.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bytes of which no block is like another (xorshift32). */
function madeUp(size: number, seed: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(size / 4));
  let state = seed;
  for (let at = 0; at < words.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return new Uint8Array(words.buffer, 0, size);
}
