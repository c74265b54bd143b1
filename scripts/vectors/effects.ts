/** The effect that is counted for each vector of the library, in answers to neutral questions, and the scales at which it is counted. */
import type { MeasuredEffect } from "../../src/core/vectors/library/example.ts";
import { percentageOfWords, wordsOf } from "./count-words.ts";
import { cheerfulWords } from "./mood-words.ts";

export interface VectorEffectMeasure {
  readonly counted: string;
  readonly scales: readonly number[];
  count(answers: readonly string[]): number;
}

const frenchWords =
  "à au aux avec c'est ce cette dans de des du elle en est et il ils je la le les leur mais ne nous on ou où par pas pour qu'il que qui sa se ses son sont sur très tu un une vous votre".split(
    " ",
  );

const foodWords =
  "apple apples bake baked banana beef bread breakfast butter cake cheese chicken chocolate coffee cook cooked cooking cream cuisine culinary delicious dinner dish dishes drink eat eating egg eggs fish flavor flavors flour food foods fresh fried fruit fruits garlic herbs honey ingredients juice lemon lunch meal meals meat milk mushrooms oil onion onions oven pasta pepper pizza potatoes recipe recipes rice roasted salad salt sauce savory snack soup spices sugar sweet taste tea tomato tomatoes vegetables wine yogurt".split(
    " ",
  );

const sides = [-4, -2, 0, 2, 4] as const;

const inWords = (list: readonly string[]) => (answers: readonly string[]) => percentageOfWords(answers, list);

export const vectorEffectMeasures: Readonly<Record<string, VectorEffectMeasure>> = {
  cheerful: { counted: "Cheerful words, %", scales: sides, count: inWords(cheerfulWords) },
  formal: {
    counted: "Contractions and “!”, per 100 words",
    scales: sides,
    count(answers) {
      const marks = answers.flatMap((answer) => answer.match(/!|\p{L}['’](?:s|m|re|ve|ll|d|t)\b/giu) ?? []);
      return (100 * marks.length) / answers.flatMap(wordsOf).length;
    },
  },
  terse: {
    counted: "Words per answer (cut after 28 tokens)",
    scales: sides,
    count: (answers) => answers.flatMap(wordsOf).length / answers.length,
  },
  French: { counted: "French words, %", scales: sides, count: inWords(frenchWords) },
  food: { counted: "Food words, %", scales: sides, count: inWords(foodWords) },
  refusal: {
    counted: "Refusals, %",
    scales: sides,
    count: (answers) => (100 * answers.filter(isRefusalAnswer).length) / answers.length,
  },
};

/** Whether the answer is a refusal, recognized by phrases that models use for refusals. */
export const isRefusalAnswer = (answer: string) =>
  /\b(?:sorry|can(?:no|['’])t|unable|not able|decline|refuse|won['’]t|not allowed|don['’]t have the ability)\b/i.test(
    answer,
  );

/** Formats the effect for display: two digits, whole numbers from 10 on. */
export function roundVectorEffect(
  { counted, scales }: VectorEffectMeasure,
  values: readonly number[],
): MeasuredEffect {
  const rounded = (value: number) => (value >= 10 ? Math.round(value) : Number(value.toFixed(1)));
  return {
    counted,
    scales: scales.map((scale, place) => ({ scale, value: rounded(values[place] as number) })),
  };
}
