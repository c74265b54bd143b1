import { describe, expect, test } from "vitest";
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { compileJsonSchema } from "../json-schema/compile.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import { describeRepositoryVocabularies } from "../testing/describe-repository-vocabularies.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { strings, testDistinctMasks, unique } from "./distinct-mask.conformance.ts";
import { makeMask } from "./mask.ts";
import { PlainRuns } from "./plain-run.ts";

describeRepositoryVocabularies("%s", testDistinctMasks);

describe("hostile sizes", () => {
  const parts = (schema: object, mostWork?: number) => {
    const expressions = new Expressions(mostWork);
    const automaton = new Automaton(expressions, compileJsonSchema(schema)(expressions));
    const vocabulary = vocabularyOf(repositoryTokenizer("stories260k"));
    return { automaton, vocabulary, runs: new PlainRuns(automaton) };
  };
  const long = "a way that all of them share, and that is longer than forty bytes/";

  test.each<[string, object, (index: number) => string]>([
    ["integers", unique({ type: "integer" }), String],
    ["strings that begin alike", unique(strings), (index) => JSON.stringify(long + index)],
    [
      "strings that begin one another",
      unique(strings),
      (index) => JSON.stringify("a".repeat(index % 40) + index),
    ],
  ])("many items: %s", (_, schema, itemOf) => {
    const { automaton, ...others } = parts(schema);
    let state = automaton.walk(automaton.start, Uint8Array.of(0x5b));
    let most = 0;
    for (let index = 0; index < 1000; index++) {
      for (const byte of new TextEncoder().encode(`${itemOf(index)},`)) {
        automaton.expressions.begin();
        if (index % 100 === 99) makeMask({ automaton, ...others }, state);
        state = automaton.step(state, byte);
        most = Math.max(most, automaton.expressions.work);
      }
    }
    expect(state).not.toBe(DEAD);
    expect(most).toBeLessThan(50_000);
    expect(automaton.walk(state, new TextEncoder().encode(`${itemOf(500)},`))).toBe(DEAD);
  });

  test("an item that is too long to be remembered is an error", () => {
    const { automaton } = parts(unique(strings), 10_000);
    let state = automaton.walk(automaton.start, new TextEncoder().encode('["'));
    for (let length = 0; length < 11_000; length++) {
      automaton.expressions.begin();
      state = automaton.step(state, 0x61);
    }
    expect(() => automaton.step(state, 0x22)).toThrow(ConstraintLimitError);
  });
});
