/**
 * SmolLM2's greedy text after a prompt that is cut at a random character, with token healing and without it.
 *
 * Example: after "The capital of France" the model writes " is Paris, and …". The cut text is "The capital of France is Pa". With
 * healing the model continues with "ris, and …"; without healing, with whatever follows the token " Pa".
 */
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { type ExportedModel, openExportedModel } from "../../../src/page/examples/testing/exported-model.ts";
import { atLeast, atMost, type BenchRow, figure, missingRows } from "../machine.ts";
import { greedyRun } from "./greedy-run.ts";
import { sentenceStarts } from "./sentence-starts.ts";

/** Tokens that the model writes after each start, and tokens that are compared after a cut. */
const uncutTokens = 24;
const comparedTokens = 8;
const cutsOfEach = 10;

interface Cut {
  readonly text: string;
  /** The model's next text if the prompt is not cut. */
  readonly rest: string;
}

interface Continuation {
  readonly text: string;
  /** Forward passes beyond one for each token that the model chose. */
  readonly extraPasses: number;
}

export async function tokenHealing(cutCount = sentenceStarts.length * cutsOfEach): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (!folder) return missingRows("token healing on SmolLM2", smolLm2SetupHint);
  const model = await openExportedModel(folder, "onnx/model_int8.onnx");
  try {
    return await measure(model, cutCount);
  } finally {
    await model.dispose();
  }
}

async function measure(model: ExportedModel, cutCount: number): Promise<BenchRow[]> {
  const cuts = (await cutsOf(model)).slice(0, cutCount);
  const right = { healed: 0, unhealed: 0 };
  let mostExtraPasses = 0;
  for (const cut of cuts) {
    const healed = await continuation(model, cut.text, true);
    const unhealed = await continuation(model, cut.text, false);
    if (isSame(healed.text, cut.rest)) right.healed += 1;
    else console.error(`  ${JSON.stringify({ cut: cut.text, rest: cut.rest, healed: healed.text })}`);
    if (isSame(unhealed.text, cut.rest)) right.unhealed += 1;
    mostExtraPasses = Math.max(mostExtraPasses, healed.extraPasses - unhealed.extraPasses);
  }
  const share = (count: number) => (100 * count) / cuts.length;
  const what = `${cuts.length} cuts of ${sentenceStarts.length} texts, greedy: continued as the uncut text`;
  return [
    atLeast(`${what}, with token healing`, share(right.healed), "%", 95),
    figure(`${what}, without`, share(right.unhealed), "%"),
    atMost("forward passes that healing adds to a request, at most", mostExtraPasses, "", 1),
  ];
}

/** Whether both texts are the same as far as the shorter goes. */
function isSame(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return length > 0 && one.slice(0, length) === other.slice(0, length);
}

/** Ten cuts of each text, within what the model itself wrote. The cuts of all texts alternate. */
async function cutsOf(model: ExportedModel): Promise<Cut[]> {
  const random = randomNumbers(20_261_126);
  const written: { readonly start: string; readonly text: string }[] = [];
  for (const start of sentenceStarts)
    written.push({ start, text: (await continuation(model, start, false, uncutTokens)).text });
  const rounds = Array.from({ length: cutsOfEach }, () =>
    written.map(({ start, text }): Cut => {
      const place = 1 + Math.floor(random() * (text.length / 2));
      return { text: start + text.slice(0, place), rest: text.slice(place) };
    }),
  );
  return rounds.flat();
}

async function continuation(
  model: ExportedModel,
  text: string,
  heal: boolean,
  maxTokens = comparedTokens,
): Promise<Continuation> {
  const { finished, records } = await greedyRun(model, { prompt: text, maxTokens, heal }, []);
  const passes = records.filter((record) => record.type === "forwardPass" && record.tokenCount > 0).length;
  // Two texts may have different numbers of tokens, because the model ends some before the limit.
  const chosen = records.filter(({ type }) => type === "sampled").length;
  return { text: finished.text, extraPasses: passes - chosen };
}

/** Numbers from 0 to 1 that are the same in every run: a linear congruential generator (Numerical Recipes). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
