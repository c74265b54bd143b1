/** The recorded answers of SmolLM2: its int8 graph on WebAssembly, and the same weights in float32 on a llama.cpp server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { writeSmolLm2Gguf } from "../../../scripts/remote/smollm2-gguf.ts";
import { createFolderSource } from "../../../src/package/node/folder-source.ts";
import { createHttpExchange } from "../../../src/package/node/http-exchange.ts";
import { loadModel } from "../../../src/runtime/engine/load/load-model.ts";
import { loadRemoteModel } from "../../../src/runtime/remote/load-remote-model.ts";
import { atMost, type BenchRow, exactly } from "../machine.ts";
import { worstOfTop } from "./compare.ts";
import { smolLm2Reference, withServer } from "./servers.ts";

interface Case {
  readonly prompt: readonly number[];
  readonly greedy: readonly number[];
}

/** Tokens that each step lists. */
const listed = 64;

export async function smolLm2Rows(): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (folder === null) {
    console.error(`Skipped: set ${smolLm2SetupHint}.`);
    return [];
  }
  const cases: Case[] = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")).cases;
  return withServer(writeSmolLm2Gguf, { contextLength: 1_024 }, async ({ url }) => {
    const source = createFolderSource(folder);
    const local = await loadModel(smolLm2Reference, "wasm", { source });
    const remote = await loadRemoteModel(smolLm2Reference, {
      source,
      access: { url },
      exchange: createHttpExchange(),
    });
    const { model } = remote;
    let same = 0;
    let worst = 0;
    for (const { prompt, greedy } of cases) {
      local.model.truncate(0);
      model.truncate(0);
      let [next, isSame] = [prompt, true];
      for (const token of greedy) {
        const here = await local.model.forward(next);
        const [there] = (await model.forwardListed?.(next, 1, listed)) ?? [];
        if (!there) throw new Error("The server gave no row.");
        isSame &&= there.tokens[0] === token;
        const known = new Map(Array.from(there.tokens, (each, i) => [each, there.logprobs[i] as number]));
        worst = Math.max(worst, worstOfTop(here, known, 60));
        next = [token];
      }
      if (isSame) same += 1;
    }
    await local.model.dispose();
    return [
      exactly("SmolLM2: answers with the same tokens, 64 listed", same, `of ${cases.length}`, cases.length),
      atMost(
        "SmolLM2: worst difference of the 60 most likely tokens (-ctk f32 -ctv f32 -fa off)",
        worst,
        "nats",
        1e-3,
      ),
    ];
  });
}
