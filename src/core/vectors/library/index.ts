/** The library of vectors for SmolLM2 135M Instruct, with their descriptions. */
import { cheerful } from "./cheerful.ts";
import type { HandwrittenExample, VectorExample } from "./example.ts";
import { food } from "./food.ts";
import { formal } from "./formal.ts";
import { french } from "./french.ts";
import { libraryVectors } from "./made.ts";
import { refusal } from "./refusal.ts";
import { terse } from "./terse.ts";

export const handwrittenExamples: readonly HandwrittenExample[] = [
  cheerful,
  formal,
  terse,
  french,
  food,
  refusal,
];

export const vectorExamples: readonly VectorExample[] = handwrittenExamples.flatMap(
  ({ name, texts, does, breaks }) => {
    const made = libraryVectors[name];
    return made ? [{ does, breaks, effect: made.effect, vector: { ...made.vector, texts } }] : [];
  },
);
