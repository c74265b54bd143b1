import { LogitsProcessorList } from "@huggingface/transformers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choices } from "../strategies/choices.ts";
import { regex } from "../strategies/regex.ts";
import { type ConstraintLogitsProcessor, createLogitsProcessor } from "./logits-processor.ts";
import type { TokenRow } from "./sequence-rows.ts";
import { vocabularyFromList } from "./vocabulary-from-list.ts";

/** Digits are their own ids; 12 and 13 end a sequence. */
const texts = [..."0123456789", "-", "12", null, null];
const end = 12;
const vocabulary = vocabularyFromList(texts, { eosTokenIds: [end, 13] });
/** As wide as a model that pads its vocabulary. */
const width = 16;

/** Their Tensor needs a runtime that is not in Node here; e2e/peer runs with it. */
interface Logits {
  readonly data: Float32Array;
  readonly dims: number[];
}

function logitsFor(count: number): Logits {
  return { data: new Float32Array(count * width).fill(1), dims: [count, width] };
}

const never = Number.NEGATIVE_INFINITY;

/** The tokens that the processor leaves possible, in each row. */
function possible(processor: ConstraintLogitsProcessor, rows: readonly TokenRow[]): number[][] {
  const logits = processor(rows, logitsFor(rows.length));
  return rows.map((_, row) =>
    Array.from({ length: width }, (_, token) => token).filter(
      (token) => Number(logits.data[row * width + token]) > never,
    ),
  );
}

const ids = (...tokens: number[]) => tokens.map(BigInt);

describe("a constraint as a LogitsProcessor", () => {
  test("is what generate() takes, typed and called", () => {
    const processor = createLogitsProcessor(regex("7-?"), vocabulary);
    const asList: LogitsProcessorList = processor;
    const prepared = new LogitsProcessorList();
    prepared.extend(asList as never);
    expect(prepared.processors).toHaveLength(1);
    const logits: Logits = prepared([ids(1, 2)], logitsFor(1));
    expect(logits.data.indexOf(1)).toBe(7);
    processor.push((_, given) => {
      if (given.data instanceof Float32Array) given.data[0] = 5;
      return given;
    });
    processor.reset();
    expect(possible(processor, [ids(1, 2)])).toEqual([[0, 7]]);
  });

  test("the answer begins behind the prompt, may end where it can, and must where it is complete", () => {
    const processor = createLogitsProcessor(regex("12?-?"), vocabulary);
    expect(possible(processor, [ids(5, 5)])).toEqual([[1, 11]]);
    expect(possible(processor, [ids(5, 5, 1)])).toEqual([[2, 10, 12, 13]]);
    expect(possible(processor, [ids(5, 5, 1, 10)])).toEqual([[12, 13]]);
  });

  test("rows of a batch end one by one, and are filled with ends until all have", () => {
    const processor = createLogitsProcessor(regex("1|2-"), vocabulary, { eosTokenIds: end });
    expect(possible(processor, [ids(0), ids(3)])).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(possible(processor, [ids(0, 1), ids(3, 2)])).toEqual([[12], [10]]);
    expect(possible(processor, [ids(0, 1, end), ids(3, 2, 10)])).toEqual([[12], [12]]);
    const read = createLogitsProcessor(regex("1|2-"), vocabulary, { promptLength: 1 });
    // The processor does not read the tokens with which a loop fills an ended row.
    expect(possible(read, [ids(0, 1, end, 0, 9), ids(3, 2)])).toEqual([[12, 13], [10]]);
    expect(() => possible(processor, [ids(0, 1, end, end), ids(3, 2, 10, end)])).toThrow(
      "Every output has ended with token 12, but generate() continued",
    );
  });

  test("prompts may differ in length, and each row may have its own strategy", () => {
    const processor = createLogitsProcessor([choices(["12"]), choices(["-"])], vocabulary);
    expect(possible(processor, [ids(0, 0, 0), ids(9)])).toEqual([[1, 11], [10]]);
    expect(possible(processor, [ids(0, 0, 0, 11), ids(9, 10)])).toEqual([
      [12, 13],
      [12, 13],
    ]);
    expect(() => possible(processor, [ids(0)])).toThrow(
      "2 strategies were given for a batch of 1: give one for each row, or one for all.",
    );
  });

  test("serves one request after the other, also with the same prompt", () => {
    const processor = createLogitsProcessor(regex("1-*"), vocabulary);
    for (const prompt of [ids(1), ids(1), ids(1, 1, 10, 3)]) {
      expect(possible(processor, [prompt])).toEqual([[1]]);
      expect(possible(processor, [[...prompt, 1n]])).toEqual([[10, 12, 13]]);
    }
  });

  test("goes on where generate() is called again with what it gave", () => {
    const processor = createLogitsProcessor(regex("1-2"), vocabulary);
    possible(processor, [ids(4)]);
    // The token that was chosen last, 1, was not seen.
    expect(possible(processor, [ids(4, 1)])).toEqual([[10]]);
    processor.reset();
    expect(possible(processor, [ids(4, 1)])).toEqual([[1]]);
  });

  test("reads an answer that has begun from promptLength on", () => {
    const processor = createLogitsProcessor(regex("1-2"), vocabulary, { promptLength: 2 });
    expect(possible(processor, [ids(4, 4, 1, 10)])).toEqual([[2]]);
    expect(possible(processor, [ids(4, 4, 1)])).toEqual([[10]]);
    expect(possible(processor, [ids(4)])).toEqual([[1]]);
  });

  test("takes plain numbers and rows that grow in place", () => {
    const processor = createLogitsProcessor(regex("1-2"), vocabulary);
    const row = [4];
    expect(possible(processor, [row])).toEqual([[1]]);
    row.push(1);
    expect(possible(processor, [row])).toEqual([[10]]);
  });

  test("rows that are reordered, doubled and dropped keep their places, as a reading from the start says", () => {
    const strategy = regex("(1[0-4]*-|2[5-9]+)+");
    const step = fc.tuple(
      fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const processor = createLogitsProcessor(strategy, vocabulary);
        let rows: TokenRow[] = [ids(3), ids(3), ids(9)];
        let open = possible(processor, rows);
        for (const [origins, picks] of steps) {
          const grown = origins.map((origin, place): TokenRow | null => {
            const from = origin % rows.length;
            const choice = (open[from] ?? []).filter((token) => token < end);
            const token = choice[(picks[place] ?? 0) % choice.length];
            return token === undefined ? null : [...(rows[from] ?? []), BigInt(token)];
          });
          rows = grown.filter((row) => row !== null);
          if (rows.length === 0) return;
          open = possible(processor, rows);
          expect(open).toEqual(
            possible(createLogitsProcessor(strategy, vocabulary, { promptLength: 1 }), rows),
          );
        }
      }),
    );
  });
});

describe("what goes wrong is said", () => {
  test("a token that was not allowed", () => {
    const processor = createLogitsProcessor(regex("12"), vocabulary);
    possible(processor, [ids(0)]);
    expect(() => possible(processor, [ids(0, 7)])).toThrow(
      /^Row 0: the constraint does not allow token 7 after 0 tokens of output\. If the mask allowed this token/,
    );
  });

  test("an end that came too early", () => {
    const processor = createLogitsProcessor(regex("12"), vocabulary);
    possible(processor, [ids(0)]);
    possible(processor, [ids(0, 1)]);
    expect(() => possible(processor, [ids(0, 1, end)])).toThrow("does not allow token 12 after 1 tokens");
  });

  test("nothing left to choose from", () => {
    const processor = createLogitsProcessor(regex("1"), vocabulary);
    const withoutOne = logitsFor(1);
    withoutOne.data[1] = never;
    expect(() => processor([ids(0)], withoutOne)).toThrow("Which of bad_words_ids, suppress_tokens");
    const complete = createLogitsProcessor(regex("2"), vocabulary);
    possible(complete, [ids(0)]);
    const withoutEnd = logitsFor(1);
    withoutEnd.data.fill(never, end);
    expect(() => complete([ids(0, 2)], withoutEnd)).toThrow(
      "Does min_new_tokens, min_length or suppress_tokens forbid this token?",
    );
  });

  test("logits of another shape or type", () => {
    const processor = createLogitsProcessor(regex("1"), vocabulary);
    expect(() => processor([ids(0), ids(0)], logitsFor(1))).toThrow(
      "The logits are Float32Array of shape [1, 16]: for 2 sequences, they must be float32 of shape [2, vocabulary].",
    );
    expect(() => processor([ids(0)], { data: new Uint16Array(width), dims: [1, width] })).toThrow(
      "are Uint16Array of shape",
    );
  });

  test("a token far behind others that are ruled out is seen", () => {
    const many = vocabularyFromList([...Array.from({ length: 70 }, (_, token) => `<${token}>`), null], {
      eosTokenIds: [70],
    });
    const processor = createLogitsProcessor(regex("<40>|<69>"), many);
    const logits = { data: new Float32Array(71), dims: [1, 71] };
    logits.data[69] = never;
    expect(processor([ids(0)], logits).data.indexOf(0)).toBe(40);
  });

  test("options that cannot be", () => {
    expect(() => createLogitsProcessor(regex("1"), vocabulary, { promptLength: -1 })).toThrow(
      "promptLength is -1",
    );
    expect(() => createLogitsProcessor(regex("1"), vocabulary, { eosTokenIds: 99 })).toThrow(
      "99 is not in the",
    );
    expect(() => createLogitsProcessor(regex("1"), vocabularyFromList(["1"]))).toThrow(
      "There is no end-of-sequence token",
    );
    expect(() => createLogitsProcessor("[0-9]" as never, vocabulary)).toThrow('"[0-9]" is not a strategy');
  });
});
