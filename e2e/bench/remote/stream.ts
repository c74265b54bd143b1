/** The server's stream as a draft: time against a plain stream, requests, and tokens that the server computes. */

import { smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { writeSmolLm2Gguf } from "../../../scripts/remote/smollm2-gguf.ts";
import { KvCache } from "../../../src/core/decoder/kv-cache/kv-cache.ts";
import type { ModHost } from "../../../src/core/decoder/ports/mod-host.ts";
import { inProcessMod } from "../../../src/core/decoder/testing/in-process-mod.ts";
import { runDecode } from "../../../src/core/decoder/testing/run-decode.ts";
import { createFolderSource } from "../../../src/package/node/folder-source.ts";
import { createHttpExchange } from "../../../src/package/node/http-exchange.ts";
import type { ModelReference } from "../../../src/runtime/engine/base/model-reference.ts";
import { ServerConnection } from "../../../src/runtime/remote/connection.ts";
import type { HttpExchange } from "../../../src/runtime/remote/exchange.ts";
import { loadRemoteModel } from "../../../src/runtime/remote/load-remote-model.ts";
import { streamRequestBody } from "../../../src/runtime/remote/step-body.ts";
import { atMost, type BenchRow, figure } from "../machine.ts";
import { median } from "../statistics.ts";
import { smolLm2Reference, storyFolder, storyReference, withServer, writeStory } from "./servers.ts";

const tokens = 300;
const listed = 64;
const rounds = 3;

interface StreamedModel {
  readonly name: string;
  readonly url: string;
  readonly folder: string;
  readonly reference: ModelReference;
  readonly prompt: string;
  /** False: a token takes a server so little time that its list and our loop are most of it. */
  readonly hasTimeLimits: boolean;
}

/** Reads the five most likely tokens of each step, and changes nothing. */
const watching = (): ModHost => ({
  ...inProcessMod("watching", { forwardPass: (event) => void event.top?.(5), added: () => undefined }),
  needs: { topK: 5, logits: false },
});

/** Puts other words into the text five times. */
function steppingIn(words: readonly number[]): ModHost {
  let times = 0;
  const mod = inProcessMod("stepping in", {
    added(event) {
      if (times === 5 || event.step < 50 * (times + 1) || event.source !== "sampled") return undefined;
      times += 1;
      return { type: "forceTokens", tokens: words };
    },
  });
  return { ...mod, needs: { topK: 5, logits: false } };
}

/** The server has to be started with `--metrics`. */
async function streamRows(about: StreamedModel): Promise<BenchRow[]> {
  const { name, url, folder, reference, prompt, hasTimeLimits } = about;
  const send = createHttpExchange();
  let requests = 0;
  const exchange: HttpExchange = (request) => {
    if (request.url.endsWith("/completion")) requests += 1;
    return send(request);
  };
  const loaded = await loadRemoteModel(reference, {
    source: createFolderSource(folder),
    access: { url, listed },
    exchange,
  });
  const { model, tokenizer } = loaded;
  const kvCache = new KvCache(model);
  const ids = loaded.formatPrompt([{ role: "user", content: prompt }]);
  const connection = new ServerConnection({ url }, send);

  async function plain(): Promise<number> {
    let events = 0;
    const start = performance.now();
    await connection.stream("/completion", streamRequestBody({ text: ids, listed }, tokens, null), {
      maxBytes: 100_000_000,
      onEvent: () => {
        events += 1;
      },
    });
    return (performance.now() - start) / events;
  }
  async function modded(mod: ModHost): Promise<number> {
    const start = performance.now();
    const { finished } = await runDecode({
      mods: [mod],
      kvCache,
      tokenizer,
      now: () => performance.now(),
      request: { prompt: ids, maxTokens: tokens },
    });
    if (finished.reason === "error") throw new Error(finished.error?.message);
    return (performance.now() - start) / finished.usage.completionTokens;
  }

  const words = tokenizer.encode(" and then suddenly").slice(-3);
  const times = { plain: [await plain()], watching: [] as number[], steppingIn: [] as number[] };
  times.plain.length = 0;
  const steps = { requests: 0, computed: 0 };
  for (let round = 0; round < rounds; round++) {
    times.plain.push(await plain());
    times.watching.push(await modded(watching()));
    const [before, computed] = [requests, await computedTokens(url)];
    times.steppingIn.push(await modded(steppingIn(words)));
    steps.requests = Math.max(steps.requests, requests - before);
    steps.computed = Math.max(steps.computed, ((await computedTokens(url)) - computed) / tokens);
  }
  await model.dispose();
  const ratio = (of: readonly number[]): number =>
    median(of.map((each, round) => each / (times.plain[round] as number)));
  const timeRow = (what: string, of: readonly number[], limit: number): BenchRow => {
    const shown = `${name}: ${what} over the server's plain stream, per token`;
    return hasTimeLimits ? atMost(shown, ratio(of), "times", limit) : figure(shown, ratio(of), "times");
  };
  return [
    timeRow("watching mod", times.watching, 1.05),
    timeRow("a mod that steps in 5 times", times.steppingIn, 1.25),
    atMost(`${name}: its requests for ${tokens} tokens`, steps.requests, "requests", 12),
    atMost(`${name}: its tokens computed for each step`, steps.computed, "tokens", 2),
  ];
}

/** The bundled model, and SmolLM2 if it is there. */
export async function* allStreamRows(): AsyncIterable<BenchRow[]> {
  const flags = ["--metrics"];
  yield await withServer(writeStory, { flags }, ({ url }) =>
    streamRows({
      name: "bundled model",
      url,
      folder: storyFolder,
      reference: storyReference,
      prompt: "Once upon a time",
      hasTimeLimits: false,
    }),
  );
  const folder = smolLm2WithWeights();
  if (folder === null) return;
  yield await withServer(writeSmolLm2Gguf, { flags, contextLength: 1_024 }, ({ url }) =>
    streamRows({
      name: "SmolLM2",
      url,
      folder,
      reference: smolLm2Reference,
      prompt: "Tell me a long story about a lighthouse.",
      hasTimeLimits: true,
    }),
  );
}

/** Tokens that the server has read and made since its start. */
async function computedTokens(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (name: string): number =>
    Number(new RegExp(`^llamacpp:${name} ([\\d.e+]+)$`, "m").exec(text)?.[1]);
  return of("prompt_tokens_total") + of("tokens_predicted_total");
}
