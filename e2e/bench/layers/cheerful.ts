/**
 * The effect of a mod that steers by the library's cheerful vector on SmolLM2's answers to neutral questions, at temperature 0.
 * Moods are counted by words of fixed lists.
 */
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { percentageOfWords } from "../../../scripts/vectors/count-words.ts";
import { cheerfulWords, gloomyWords } from "../../../scripts/vectors/mood-words.ts";
import { neutralPrompts } from "../../../scripts/vectors/neutral-prompts.ts";
import { steeringModSource } from "../../../src/core/vectors/insert-vector.ts";
import { libraryVectors } from "../../../src/core/vectors/library/made.ts";
import { inProcessMod } from "../../../src/page/examples/testing/in-process-mod.ts";
import { openRealTestModel, type RealTestModel } from "../../../src/page/examples/testing/test-model.ts";
import { atLeast, type BenchRow, exactly, figure, missingRows } from "../machine.ts";

const scales = [-2, 0, 2] as const;
const maxTokens = 32;

export async function cheerfulVector(): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (!folder) return missingRows("what a cheerful vector does to SmolLM2's answers", smolLm2SetupHint);
  const model = await openRealTestModel(folder, "onnx/model_int8.onnx");
  try {
    return await measure(model);
  } finally {
    await model.dispose();
  }
}

async function measure(model: RealTestModel): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const shares: number[] = [];
  for (const scale of scales) {
    const answers: string[] = [];
    for (const prompt of neutralPrompts) answers.push(await answerTo(model, prompt, scale));
    const cheerful = percentageOfWords(answers, cheerfulWords);
    const words = `${neutralPrompts.length} neutral prompts, cheerful vector times ${scale}`;
    rows.push(figure(`${words}: cheerful words`, cheerful, "%"));
    rows.push(figure(`${words}: gloomy words`, percentageOfWords(answers, gloomyWords), "%"));
    shares.push(cheerful);
  }
  const rises = shares.filter((share, place) => place > 0 && share > (shares[place - 1] ?? 0)).length;
  return [
    ...rows,
    exactly(
      "steps from scale to scale at which the share of cheerful words rises",
      rises,
      "",
      scales.length - 1,
    ),
    atLeast("share of cheerful words at 2, of that at 0", (shares[2] ?? 0) / (shares[1] || 1), "times", 1.5),
  ];
}

/** @throws Error if the mod fails, or steers nothing. */
async function answerTo(model: RealTestModel, prompt: string, scale: number): Promise<string> {
  const vector = libraryVectors.cheerful?.vector;
  if (!vector) throw new Error("There is no cheerful vector: npx tsx scripts/vectors make cheerful.");
  const mods =
    scale === 0 ? [] : [inProcessMod(steeringModSource("cheerful", vector.text, scale), model.tokenizer)];
  const { finished, recordsOf } = await model.run(
    { messages: [{ role: "user", content: prompt }], maxTokens },
    mods,
  );
  const calls = recordsOf("modCall");
  const [fault] = calls.flatMap(({ fault }) => fault?.message ?? []);
  if (fault !== undefined) throw new Error(`The mod that steers failed: ${fault}`);
  if (scale !== 0 && !calls.some(({ action }) => action.type === "steer"))
    throw new Error("The mod did not steer.");
  return finished.text;
}
