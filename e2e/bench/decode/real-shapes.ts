/**
 * decode() against generate() on WebGPU, on models of real shapes with random weights in q4 and q4f16, after a short and a long prompt:
 * the section `shapes`.
 */
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { generatedModel } from "../../../scripts/models/generated.ts";
import { readShapes, type WantedShape } from "../../../scripts/models/read-shapes.ts";
import { messageOf } from "../../../src/core/base/message-of.ts";
import { deviceNames } from "../device-option.ts";
import { atLeast, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { median } from "../statistics.ts";
import { servedFolder } from "./browser.ts";
import { entrantsOf, perToken, ratio, timesOf } from "./contest-rows.ts";
import type { Subject } from "./rival.ts";
import { contestOn } from "./sections.ts";

const dtypes = ["q4", "q4f16"] as const;
const prompts = [
  "Tell me a story about a fox.",
  "The fox went over the hill to see what was there. ".repeat(24),
] as const;
const whole = { timedTokens: 48, warmUps: 2, rounds: 8 };
/** A shape with fewer layers than its own is for tries on slow devices. */
const cut = { timedTokens: 8, warmUps: 1, rounds: 2 };
const entrants = entrantsOf(["ours", "forward", "peer"], 1);

export async function realShapes(gpu: WebGpuDevice, option: string | undefined): Promise<BenchRow[]> {
  const shapes = readShapes(option);
  // A token of the smallest takes seconds there.
  if (gpu === "software") return missingRows("real shapes on WebGPU", "--device gpu");
  const rows: BenchRow[] = [];
  for (const shape of shapes) for (const dtype of dtypes) rows.push(...(await rowsOf(gpu, shape, dtype)));
  return rows;
}

/** A graph that fails leaves a row that says so, and the next one is measured. */
async function rowsOf(
  gpu: WebGpuDevice,
  { name, layers }: WantedShape,
  dtype: (typeof dtypes)[number],
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const title = `${deviceNames[gpu]}, ${name}${layers === undefined ? "" : ` of ${layers} layers`} ${dtype}`;
  try {
    const folder = generatedModel(name, [dtype], layers);
    const timing = layers === undefined ? whole : cut;
    for (const content of prompts) {
      const subject = { id: title, folder: servedFolder(folder), dtype, content };
      rows.push(...(await contestRows(subject, folder, timing, gpu)));
    }
    return rows;
  } catch (error) {
    return [...rows, exactly(`${title}: failed: ${messageOf(error).slice(0, 300)}`, 1, "", 0)];
  }
}

async function contestRows(
  subject: Subject,
  folder: string,
  timing: typeof whole,
  gpu: WebGpuDevice,
): Promise<BenchRow[]> {
  const result = await contestOn(
    { subject, device: "webgpu", entrants, ...timing },
    { folders: [folder], gpu },
  );
  const where = `${subject.id}, a prompt of ${result.promptTokens}`;
  const [ours = [], peer = []] = ["ours", "peer"].map((each) => result.times[each]?.firstTokenMs);
  return onAdapter(result.adapter, [
    ...perToken(where, result, { entrants, ...timing }),
    atLeast(
      `${where}: generate() over decode()`,
      ratio(timesOf(result, "peer"), timesOf(result, "ours")),
      "×",
      1,
    ),
    figure(`${where}: first token, decode()`, median(ours), "ms"),
    figure(`${where}: first token, generate()`, median(peer), "ms"),
  ]);
}
