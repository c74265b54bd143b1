/** A record of 1,000 steps whose mod is asked again in Chromium, in its sandbox, without a model. */
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { createServer } from "vite";
import { mix32, randomBits } from "../../../src/core/base/random.ts";
import { KvCache } from "../../../src/core/decoder/kv-cache/kv-cache.ts";
import { decode } from "../../../src/core/decoder/loop/decode.ts";
import { decodeRequest } from "../../../src/core/decoder/testing/run-decode.ts";
import { scriptedModel } from "../../../src/core/decoder/testing/scripted-model.ts";
import { defaultSampling } from "../../../src/core/sdk/request.ts";
import { encodeTraceFile } from "../../../src/core/trace/codec/codec.ts";
import { TRACE_VERSION, type TraceRecord } from "../../../src/core/trace/format/format.ts";
import { inProcessMod } from "../../../src/page/examples/testing/in-process-mod.ts";
import { launchChromium } from "../decode/browser.ts";
import { type BenchRow, exactly, figure, timeAtMost } from "../machine.ts";
import { openStoryteller } from "../record-story.ts";
import { median } from "../statistics.ts";

const steps = 1_000;
const repeats = 9;
const visits = 3;

/** Reads 64 most likely tokens at each step; bans, forces and takes back now and then. */
const reader = {
  name: "reader",
  source: `import { mod } from "midtoken/mod";
export default mod({
  forwardPass(event, actions) {
    const all = event.topK(64);
    const first = all[0];
    if (first && event.step % 10 === 3) return actions.adjustLogits({ ban: [first.token] });
  },
  added(event, actions) {
    if (event.forced) return;
    if (event.step % 100 === 50) return actions.forceTokens(" and");
    if (event.step % 100 === 80) return actions.backtrack(1, " so");
  },
});
`,
};

/** Logits of no model, since the bundled one's context ends at 512 tokens. */
async function recordedFile(): Promise<{ readonly file: Uint8Array; readonly calls: number }> {
  const storyteller = await openStoryteller();
  const { tokenizer } = storyteller;
  await storyteller.dispose();
  const vocabularySize = 512;
  const logits = (context: readonly number[]) => {
    const key = context.slice(-8).reduce((hash, token) => mix32(hash + token), context.length);
    return Float32Array.from({ length: vocabularySize }, (_, token) =>
      token < 3 ? -20 : (randomBits(key, token) % 4096) / 500,
    );
  };
  const records: TraceRecord[] = [];
  const kvCache = new KvCache(
    scriptedModel({ vocabularySize, endOfSequence: tokenizer.eosTokenIds, logits }),
  );
  const model = { ...decodeRequest("a").model, id: "models/stories260k", vocabularySize };
  const request = decodeRequest("a", {
    prompt: tokenizer.encode("Once upon a time"),
    model,
    modSources: [reader],
    maxTokens: steps,
    sampling: { ...defaultSampling, temperature: 0.8 },
  });
  const mods = [{ ...inProcessMod(reader.source, tokenizer), name: reader.name }];
  const record = (each: TraceRecord) => records.push(each);
  await decode(request, { kvCache, tokenizer, mods, record, now: () => performance.now() });
  const file = encodeTraceFile({ version: TRACE_VERSION, records });
  return { file, calls: records.filter(({ type }) => type === "modCall").length };
}

export async function verifyRows(): Promise<BenchRow[]> {
  const { file, calls } = await recordedFile();
  const root = resolve(import.meta.dirname, "../../..");
  const server = await createServer({
    configFile: `${root}/e2e/vite.config.ts`,
    cacheDir: `${root}/node_modules/.vite-bench`,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  const browser = await launchChromium();
  const address = new URL("e2e/bench/timeline/verify.html", server.resolvedUrls?.local[0]).href;
  const weights: string[] = [];
  const open = async (): Promise<Page> => {
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.error(`The bench's page failed: ${error.message}`));
    page.on("request", (asked) => {
      if (/\.onnx/.test(asked.url())) weights.push(asked.url());
    });
    await page.goto(address);
    await page.waitForFunction(() => "verifyBench" in globalThis);
    await page.evaluate((bytes) => verifyBench.open(bytes), [...file]);
    return page;
  };
  try {
    // Once before, so that the server has its modules ready.
    await (await open()).evaluate(() => verifyBench.verify());
    const cold: number[] = [];
    const warm: number[] = [];
    let equal = 0;
    for (let visit = 0; visit < visits; visit += 1) {
      const page = await open();
      for (let turn = 0; turn < 1 + repeats / visits; turn += 1) {
        const { ms, found } = await page.evaluate(() => verifyBench.verify());
        (turn === 0 ? cold : warm).push(ms);
        if (found.difference === null && found.missing === null) equal = found.calls;
        else console.error(JSON.stringify(found));
      }
      await page.close();
    }
    return [
      figure("the file", file.length / 1024, "KB"),
      exactly("answers as recorded", equal, "answers", calls),
      exactly("requests for weights", weights.length, "requests", 0),
      await timeAtMost(`a mod against ${steps} steps`, median(warm), "ms", 500),
      figure("the same as the first thing on the page", median(cold), "ms"),
    ];
  } finally {
    await browser.close();
    await server.close();
  }
}
