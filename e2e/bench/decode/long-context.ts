/**
 * A token at 2,048 tokens of context on WebGPU: the section `peer2048`. The cache of @huggingface/transformers is joined anew at
 * every token, by copying all of it; ours has a fixed size, into which a token is written.
 */
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { ensureGeneratedModel } from "../../../scripts/models/generated.ts";
import { deviceNames } from "../device-option.ts";
import { atLeast, type BenchRow, onAdapter } from "../machine.ts";
import { servedFolder } from "./browser.ts";
import { entrantsOf, perToken, ratio, timesOf } from "./contest-rows.ts";
import { contestOn } from "./sections.ts";

/**
 * Its weights are next to nothing, and of its layers, of which each has 4 KB of cache a token, two are enough: what is timed is
 * attention, the copy and the dispatches.
 */
const model = "large-cache";
const layers = 2;

/** 38 tokens of the bundled model's tokenizer. */
const sentence = "The fox went over the hill to see what was there, and came home before the rain. ";

/** Each generation goes on where the last one ended: software WebGPU reads 2,000 tokens for a minute. */
const timing = { timedTokens: 16, warmUps: 1, rounds: 6, goesOn: true };

export async function longContext(gpu: WebGpuDevice): Promise<BenchRow[]> {
  const folder = ensureGeneratedModel(model, ["fp32"], layers);
  const subject = { id: model, folder: servedFolder(folder), dtype: "fp32", content: sentence.repeat(53) };
  const entrants = entrantsOf(["ours", "peer"], 1);
  const result = await contestOn(
    { subject, device: "webgpu", entrants, ...timing },
    { folders: [folder], gpu },
  );
  const where = `${deviceNames[gpu]}, ${model}, after ${result.promptTokens} tokens`;
  return onAdapter(result.adapter, [
    ...perToken(where, result, { entrants, ...timing }),
    atLeast(
      `${where}: generate() over decode()`,
      ratio(timesOf(result, "peer"), timesOf(result, "ours")),
      "×",
      2,
    ),
  ]);
}
