/**
 * decode() against generate() on WebGPU, on models of real shapes with random weights in q4 and q4f16, after a short and a long prompt:
 * the section `shapes`.
 */
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { ensureGeneratedModel } from "../../../scripts/models/generated.ts";
import { readShapesOption, type WantedShape } from "../../../scripts/models/read-shapes.ts";
import { messageOf } from "../../../src/core/base/message-of.ts";
import { deviceNames, isOnProcessor } from "../device-option.ts";
import { atLeast, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { median } from "../statistics.ts";
import { servedFolder } from "./browser.ts";
import { entrantsOf, perToken, ratio, timesOf } from "./contest-rows.ts";
import type { Subject } from "./rival.ts";
import { contestOn } from "./sections.ts";

const dtypes = ["q4", "q4f16"] as const;
/** Settings of the measurement of a shape; `sentences` is the length of the long prompt. */
const whole = { timedTokens: 48, warmUps: 2, rounds: 8, sentences: 24 };
/** A shape with fewer layers than its own is for tries on slow devices. */
const cut = { timedTokens: 8, warmUps: 1, rounds: 2, sentences: 4 };
/**
 * A size whose rows end within minutes on software that poses as a card: one layer of one shape, after the short prompt. The rows name the
 * number of layers. There a token takes 0.2 to 0.5 s and a prompt of 38 tokens 2 to 10 s, most of it for the 49,152 logits.
 */
const onProcessor = { timedTokens: 12, warmUps: 1, rounds: 4, sentences: 0 };
const shapeOnProcessor = "smollm2-135m-random:1";
const short = "Tell me a story about a fox.";
const entrants = entrantsOf(["ours", "forward", "peer"], 1);

/** Each contest's rows when it has ended. A graph that fails leaves a row that says so, and the next one is measured. */
export async function* realShapes(gpu: WebGpuDevice, option: string | undefined): AsyncGenerator<BenchRow[]> {
  const isShort = isOnProcessor(gpu) && option === undefined;
  const shapes = readShapesOption(isShort ? shapeOnProcessor : option);
  if (gpu === "software") {
    // A token of the smallest takes seconds there.
    yield missingRows("real shapes on WebGPU", "--device gpu");
    return;
  }
  for (const shape of shapes) for (const dtype of dtypes) yield* rowsOf(gpu, shape, dtype, isShort);
}

async function* rowsOf(
  gpu: WebGpuDevice,
  { name, layers }: WantedShape,
  dtype: (typeof dtypes)[number],
  isShort: boolean,
): AsyncGenerator<BenchRow[]> {
  const title = `${deviceNames[gpu]}, ${name}${layers === undefined ? "" : ` of ${layers} layers`} ${dtype}`;
  const ofShape = layers === undefined ? whole : cut;
  const { sentences, ...timing } = isShort ? onProcessor : ofShape;
  const long = "The fox went over the hill to see what was there. ".repeat(sentences);
  try {
    const folder = ensureGeneratedModel(name, [dtype], layers);
    for (const content of sentences === 0 ? [short] : [short, long]) {
      const subject = { id: title, folder: servedFolder(folder), dtype, content };
      yield await contestRows(subject, folder, timing, gpu);
    }
  } catch (error) {
    yield [exactly(`${title}: failed: ${messageOf(error).slice(0, 300)}`, 1, "", 0)];
  }
}

export interface ShapeTiming {
  readonly timedTokens: number;
  readonly warmUps: number;
  readonly rounds: number;
}

/** Rows of a model on WebGPU: time per token of each rival, and time to the first token. */
export async function contestRows(
  subject: Subject,
  folder: string,
  timing: ShapeTiming,
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
