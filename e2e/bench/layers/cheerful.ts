/** What the library's cheerful vector does to SmolLM2's answers to neutral questions: moods are counted by words of fixed lists. */
import { shareOfWords } from "../../../scripts/vectors/count-words.ts";
import { loadInstructModel } from "../../../scripts/vectors/instruct-model.ts";
import { cheerfulWords, gloomyWords } from "../../../scripts/vectors/mood-words.ts";
import { neutralPrompts } from "../../../scripts/vectors/neutral-prompts.ts";
import { steeringVector } from "../../../src/sdk/steering-vector.ts";
import { madeVectors } from "../../../src/vectors/library/made.ts";
import { atLeast, type BenchRow, exactly, figure, missingRows } from "../machine.ts";

const scales = [-2, 0, 2] as const;
const tokens = 32;

export async function cheerfulVector(): Promise<BenchRow[]> {
  const model = await loadInstructModel();
  if (!model) return missingRows("what a cheerful vector does to SmolLM2's answers");
  const { text } = madeVectors.cheerful?.vector ?? { text: "" };
  const { layer, vector } = steeringVector(text);
  const rows: BenchRow[] = [];
  const shares: number[] = [];
  try {
    for (const scale of scales) {
      const answers: string[] = [];
      for (const prompt of neutralPrompts)
        answers.push(await model.answer(prompt, scale === 0 ? [] : [{ layer, vector, scale }], tokens));
      const cheerful = shareOfWords(answers, cheerfulWords);
      const words = `${neutralPrompts.length} neutral prompts, cheerful vector times ${scale}`;
      rows.push(figure(`${words}: cheerful words`, cheerful, "%"));
      rows.push(figure(`${words}: gloomy words`, shareOfWords(answers, gloomyWords), "%"));
      shares.push(cheerful);
    }
  } finally {
    await model.dispose();
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
