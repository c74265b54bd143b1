/** An answer is read at every position at which it may be cut: whole calls are found, and no result changes later. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ParsedCall, PartialCall, ToolFormat } from "./format.ts";
import { createGraniteFormat } from "./granite.ts";
import { hermesFormat } from "./hermes.ts";
import { llama3Format, plainFormat } from "./leading-object.ts";
import { lfm2Format } from "./lfm2.ts";
import { type PartialAnswer, readPartialCalls } from "./partial-calls.ts";

/** The compiler asks for every format here. */
const formatsByName: Readonly<Record<ToolFormat["name"], ToolFormat>> = {
  hermes: hermesFormat,
  llama3: llama3Format,
  lfm2: lfm2Format,
  granite: createGraniteFormat("<|tool_call|>"),
  plain: plainFormat,
};
const formats: readonly (readonly [string, ToolFormat])[] = [
  ...Object.entries(formatsByName),
  ["an earlier granite", createGraniteFormat("<tool_call>")],
];

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constantFrom("é\n", "😀", "</tool_call>", '"\\')),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.string({ minLength: 1 }), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const call: fc.Arbitrary<ParsedCall> = fc.record({
  name: fc.stringMatching(/^[a-z_][a-z0-9_-]{0,8}$/),
  // LFM2's calls write each argument as `name=value`, so a name must be a word.
  arguments: fc
    .dictionary(fc.stringMatching(/^[a-z]{1,6}$/), json, { maxKeys: 3 })
    .map((value) => JSON.stringify(value)),
});

const rules = (format: ToolFormat) => ({ format: format.name, hasText: true });
const read = (format: ToolFormat, text: string, isOver = false): PartialAnswer =>
  readPartialCalls(text, rules(format), isOver);

/** Whether `later` is the same call, with the same or longer arguments. */
function goesOn(later: ParsedCall | undefined, earlier: PartialCall): boolean {
  if (later?.name !== earlier.name) return false;
  return earlier.isWhole
    ? later.arguments === earlier.arguments
    : later.arguments.startsWith(earlier.arguments);
}

describe.each(formats)("%s", (_, format) => {
  const mayHaveText = format !== plainFormat && format !== llama3Format;

  test("an answer that ended is read as it is parsed", () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
        const text = `${mayHaveText ? "I look.\n" : ""}${format.write(calls)}`;
        const parsed = format.parse(text);
        const { calls: whole, isOpen, textLength } = read(format, text, true);
        expect(whole?.map(({ isWhole: _, ...each }) => each)).toEqual(parsed?.calls);
        expect({ isOpen, content: text.slice(0, textLength) || null }).toEqual({
          isOpen: false,
          content: parsed?.content,
        });
      }),
    );
  });

  test("at every cut the calls before it are whole, and what was read stays", () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
        const text = `${mayHaveText ? "I look.\n" : ""}${format.write(calls)}`;
        const whole = format.parse(text)?.calls ?? [];
        let before = read(format, "");
        for (let length = 1; length <= text.length; length++) {
          // Text comes in whole characters.
          if (/[\uD800-\uDBFF]$/.test(text.slice(0, length))) continue;
          const now = read(format, text.slice(0, length));
          expect(now.textLength >= before.textLength).toBe(true);
          const grows = (before.calls ?? []).every((earlier, place) => goesOn(now.calls?.[place], earlier));
          const ends = (now.calls ?? []).every((each, place) => goesOn(whole[place], each));
          expect([text.slice(0, length), grows, ends]).toEqual([text.slice(0, length), true, true]);
          // Only the last call may be cut.
          expect(now.calls?.slice(0, -1).every(({ isWhole }) => isWhole) ?? true).toBe(true);
          before = now;
        }
        expect(before.calls?.length).toBe(whole.length);
      }),
      { numRuns: 25 },
    );
  });

  test("text without a call is all text, when it has ended", () => {
    for (const text of ["It rains.", "2 <", "[1]", "{", '{ "', "<|", "a `b`", "\n hello "])
      expect(read(format, text, true)).toEqual({ textLength: text.length, calls: null, isOpen: false });
  });

  test("cut before the name is complete, the answer has a call without an entry", () => {
    const text = `${mayHaveText ? "I look.\n" : ""}${format.write([{ name: "get_rain", arguments: "{}" }])}`;
    const named = text.indexOf("get_rain") + "get_rain".length;
    const start = mayHaveText ? "I look.".length : 0;
    const first = start + (mayHaveText ? 1 : 0) + (mayHaveText ? 4 : text.indexOf("n") + 1);
    for (let length = first; length <= named; length++)
      expect([text.slice(0, length), read(format, text.slice(0, length), true)]).toEqual([
        text.slice(0, length),
        { textLength: start, calls: [], isOpen: true },
      ]);
  });

  test("a required call is a call from its first character", () => {
    const text = format.write([{ name: "get_rain", arguments: "{}" }]);
    const required = { format: format.name, hasText: false, isRequired: true };
    for (let length = 1; length <= text.indexOf("get_rain"); length++)
      expect(readPartialCalls(text.slice(0, length), required, true)).toEqual({
        textLength: 0,
        calls: [],
        isOpen: true,
      });
    expect(readPartialCalls(" ", required, true).calls).toBe(null);
  });

  test("arguments come before they are whole", () => {
    const text = format.write([{ name: "rain", arguments: '{"city":"Oslo"}' }]);
    const { calls, isOpen } = read(format, text.slice(0, text.indexOf("lo")));
    expect(calls).toEqual([
      { name: "rain", arguments: expect.stringMatching(/^\{"city":"Os$/), isWhole: false },
    ]);
    expect(isOpen).toBe(true);
  });

  test("a further call whose name has not come is open", () => {
    const one = { name: "rain", arguments: "{}" };
    const text = format.write([one, { name: "snow", arguments: "{}" }]);
    const cut = read(format, text.slice(0, text.indexOf("now")), true);
    expect(cut).toMatchObject({ calls: [{ ...one, isWhole: true }], isOpen: true });
  });
});

test("where no text may stand before a call, marks inside the answer begin none", () => {
  for (const [, format] of formats) {
    for (const answer of [`{"note": "${format.markers[0] ?? "x"}"}`, '{"na', '{"name', "{"]) {
      const partial = readPartialCalls(answer, { format: format.name, hasText: false }, true);
      expect(partial.calls).toBe(null);
    }
  }
});
