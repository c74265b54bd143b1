import { describe, test } from "vitest";
import { languageModelConformance } from "../ports/language-model.conformance.ts";
import { alphabetLogits, END } from "./byte-tokenizer.ts";
import { scriptedModel } from "./scripted-model.ts";

const create = async () =>
  scriptedModel({ vocabularySize: 257, endOfSequence: [END], logits: alphabetLogits, capacity: 512 });

describe("the scripted model keeps what every model has to", () => {
  for (const check of languageModelConformance("scripted", create, { tolerance: 0 }))
    test(check.name, check.run);
});
