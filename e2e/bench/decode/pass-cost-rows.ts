/**
 * The section `cost`: what a pass of several tokens costs in passes of one. On WebAssembly the figures check the curve of
 * `engine/graph/pass-cost.ts`; on a graphics adapter they are what a curve of its own has to be made of, and nothing here guesses one.
 */
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { passCostOnWasm } from "../../../src/runtime/engine/graph/pass-cost.ts";
import { deviceNames, isOnProcessor } from "../device-option.ts";
import { type BenchRow, figure, missingRows, onAdapter } from "../machine.ts";
import { median } from "../statistics.ts";
import { servedFolder } from "./browser.ts";
import type { PassCostResult } from "./pass-cost.ts";
import { subjectsOf } from "./real-model.ts";
import type { Subject } from "./rival.ts";
import { onPage, story } from "./sections.ts";

const lengths = [1, 2, 4, 8, 16];

/** Rows for the bundled model and for the graphs of the model in `folder`, if given; on WebAssembly for its first graph alone. */
export async function passCostRows(gpu: WebGpuDevice, folder: string | null): Promise<BenchRow[]> {
  const real = folder === null ? [] : subjectsOf(folder);
  // The processor takes seconds for a pass of the real model.
  const leavesOutReal = isOnProcessor(gpu);
  if (leavesOutReal && real.length > 0)
    missingRows("passes of the real model on WebGPU", "--device gpu on a machine with a graphics card");
  const onGpu = leavesOutReal ? [story] : [story, ...real];
  const rows: BenchRow[] = [];
  for (const subject of onGpu) rows.push(...(await rowsOn(subject, "webgpu", gpu, folder)));
  for (const subject of real.slice(0, 1)) rows.push(...(await rowsOn(subject, "wasm", gpu, folder)));
  return rows;
}

async function rowsOn(
  subject: Subject,
  device: "wasm" | "webgpu",
  gpu: WebGpuDevice,
  folder: string | null,
): Promise<BenchRow[]> {
  // WebGPU on the processor takes so long that less has to do.
  const effort =
    device === "webgpu" && isOnProcessor(gpu) ? { warmUps: 1, rounds: 3 } : { warmUps: 3, rounds: 12 };
  const options = { subject, device, lengths, context: 128, ...effort };
  const { adapter, ...result } = await onPage(
    async (page, adapter) => ({
      adapter,
      ...(await page.evaluate((o) => window.decodeBench.engine.passCosts(o), options)),
    }),
    {
      gpu,
      folders: folder === null || subject.folder !== servedFolder(folder) ? [] : [folder],
    },
  );
  const where = device === "wasm" ? "WebAssembly" : deviceNames[gpu];
  const rows = rowsFor(`${subject.id} ${subject.dtype}, ${where}`, result, device);
  return device === "wasm" ? rows : onAdapter(adapter, rows);
}

function rowsFor(title: string, { ms, difference, otherTokens }: PassCostResult, device: string): BenchRow[] {
  const times = ms.map((rounds) => median(rounds));
  const single = times[0] ?? Number.NaN;
  const curve = passCostOnWasm({
    cache: "shared-cache",
    states: 0,
    operators: new Map(),
    lastLogitsOnly: false,
  });
  return [
    figure(`${title}: a pass of one token behind 128, with its logits`, single, "ms"),
    ...lengths.slice(1).map((length, i) => {
      const taken = device === "wasm" ? ` (taken for ${curve?.(length)})` : "";
      return figure(
        `${title}: a pass of ${length} tokens${taken}`,
        (times[i + 1] ?? Number.NaN) / single,
        "passes of one",
      );
    }),
    figure(`${title}: logits of a pass of 16 from those of 16 passes, furthest`, difference, ""),
    figure(`${title}: other likeliest tokens in it`, otherTokens, "of 16"),
  ];
}
