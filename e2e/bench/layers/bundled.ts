/** The bundled model's stream, lens and logits against the plain forward pass of `scripts/stories260k/testing`, as it is and steered. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { type Checkpoint, readCheckpoint } from "../../../scripts/stories260k/checkpoint.ts";
import { llama2LogitsOfHidden, llama2PassResults } from "../../../scripts/stories260k/testing/llama2.ts";
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { readGraph } from "../../../src/runtime/engine/testing/graph-folder.ts";
import { bundledGraphs } from "../../webgpu/graphs.ts";
import { openBenchPage } from "../decode/browser.ts";
import { deviceNames } from "../device-option.ts";
import { atMost, type BenchRow, exactly, onAdapter } from "../machine.ts";
import { type PlainMetrics, type PlainRow, plainMetrics, withLayers } from "./figures.ts";

const tolerance = 1e-4;
const source = join(import.meta.dirname, "../../../scripts/stories260k/source/stories260K.bin");
const tokens = [1, 403, 407, 261, 378, 432, 383, 286, 261, 376, 400, 268, 266, 352, 433, 265];

type Steering = (position: number, layer: number) => Float32Array | undefined;

/** About as large as what a layer adds itself; behind one layer, behind two, and nowhere, in turns. */
function waves(hiddenSize: number): Steering {
  return (position, layer) =>
    position >= 4 && position % 3 !== 0 && (layer === 1 || layer === position % 5)
      ? Float32Array.from({ length: hiddenSize }, (_, i) => Math.sin(i * (layer + 1) + position))
      : undefined;
}

export async function bundledAgainstPlain(device: WebGpuDevice): Promise<BenchRow[]> {
  const checkpoint = readCheckpoint(readFileSync(source));
  const runs = {
    "as it is": rowsUnder(checkpoint, () => undefined),
    steered: rowsUnder(checkpoint, waves(checkpoint.dim)),
  };
  const all = Object.values(runs);
  return [
    ...rowsOf("WebAssembly", Object.keys(runs), await inNode(all)),
    ...(await rowsInChromium(device, Object.keys(runs), all)),
  ];
}

function rowsUnder(checkpoint: Checkpoint, steering: Steering): PlainRow[] {
  return llama2PassResults(checkpoint, tokens, steering).map(({ hidden, logits }, position) => ({
    steering: hidden.flatMap((_, layer) => {
      const vector = steering(position, layer);
      return vector ? [[layer, vector] as const] : [];
    }),
    hidden,
    logits,
    lens: hidden.map((row) => llama2LogitsOfHidden(checkpoint, row)),
  }));
}

function bundled() {
  const graph = bundledGraphs.find(({ name }) => name === "stories260k/model");
  if (!graph) throw new Error("The bundled model is not there.");
  return graph;
}

async function inNode(runs: readonly (readonly PlainRow[])[]): Promise<PlainMetrics[]> {
  const options = { ...readGraph(bundled()), device: "wasm", endOfSequence: [], openLayers: true } as const;
  const { model } = await createModel(options);
  const figures: PlainMetrics[] = [];
  for (const rows of runs) figures.push(await plainMetrics(withLayers(model), tokens, rows));
  await model.dispose();
  return figures;
}

async function rowsInChromium(
  device: WebGpuDevice,
  names: readonly string[],
  runs: readonly (readonly PlainRow[])[],
): Promise<BenchRow[]> {
  const listed = runs.map((rows) =>
    rows.map(({ steering, hidden, logits, lens }) => ({
      steering: steering.map(([layer, vector]) => [layer, [...vector]] as const),
      hidden: hidden.map((row) => [...row]),
      logits: [...logits],
      lens: lens.map((row) => [...row]),
    })),
  );
  const { page, adapter, close } = await openBenchPage({
    gpu: device,
    at: { path: "layers/index.html", global: "layersBench" },
  });
  try {
    const asked = [bundled().address, tokens, listed] as const;
    const figures = await page.evaluate(([a, t, r]) => window.layersBench.plain(a, t, r), asked);
    return onAdapter(adapter, rowsOf(deviceNames[device], names, figures));
  } finally {
    await close();
  }
}

function rowsOf(device: string, names: readonly string[], figures: readonly PlainMetrics[]): BenchRow[] {
  return figures.flatMap(({ hidden, lens, logits, rows }, i) => {
    const title = `${device}, the bundled model ${names[i]}, from the plain forward pass`;
    return [
      exactly(`${title}: rows of the stream compared`, rows, "", tokens.length * 5),
      atMost(`${title}: the stream behind every layer at every position`, hidden, "", tolerance),
      atMost(`${title}: each of these rows through the lens`, lens, "", tolerance),
      atMost(`${title}: the logits`, logits, "", tolerance),
    ];
  });
}
