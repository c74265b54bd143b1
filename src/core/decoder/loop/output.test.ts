import { describe, expect, test } from "vitest";
import { byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { Output } from "./output.ts";

const encode = byteTokenizer.encode;

/** Adds text, takes n tokens away, or looks for stop sequences; expected is what the last look found. */
type Step = string | number | { readonly stops: readonly string[] };

function play(steps: readonly Step[]) {
  const output = new Output(encode("prompt"), byteTokenizer);
  let found = -1;
  for (const step of steps) {
    if (typeof step === "string") output.append(encode(step), "sampled");
    else if (typeof step === "number") output.remove(step);
    else found = output.findStop(step.stops);
  }
  return { output, found };
}

describe("stop sequences", () => {
  const look = (...stops: string[]) => ({ stops });
  test.each<[string, Step[], number]>([
    ["none", ["abc", look()], -1],
    ["not there", ["abc", look("x")], -1],
    ["there", ["abc", look("b")], 1],
    ["over two looks", ["ab", look("bc"), "c", look("bc")], 1],
    ["the earliest of several", ["abcd", look("cd", "bcd", "d")], 1],
    ["not in the prompt", ["abc", look("ta", "prompt")], -1],
    ["built anew after a removal", ["abx", look("bc"), 1, "c", look("bc")], 1],
    ["built anew from far back", ["abxyz", look("bc"), 3, "c", look("bc")], 1],
    ["a character in two tokens", ["aé", look("é")], 1],
  ])("%s", (_, steps, expected) => expect(play(steps).found).toBe(expected));
});

test("tokens, text and indices follow what is added and removed", () => {
  const { output } = play(["abc", 2, "xy"]);
  expect(output.emitted.map(({ token, index }) => [token, index])).toEqual([
    [97, 0],
    [120, 3],
    [121, 4],
  ]);
  expect(output.tokens).toEqual(encode("axy"));
  expect(output.sequence).toEqual(encode("promptaxy"));
  expect([output.textOf(2), output.textOf(3), output.length, output.lastToken]).toEqual([
    "ax",
    "axy",
    3,
    121,
  ]);
});

test("removing gives the removed tokens in their order", () => {
  const { output } = play(["abc"]);
  expect(output.remove(2).map(({ index, text }) => [index, text])).toEqual([
    [1, "b"],
    [2, "c"],
  ]);
});

test("an incomplete character at the end is in no text, until a token completes it", () => {
  const output = new Output([], byteTokenizer);
  const [entry] = output.append([0xc3], "sampled");
  expect([entry?.text, output.textOf(1)]).toEqual(["", ""]);
  output.append([0xa9], "sampled");
  expect([output.textOf(1), output.textOf(2)]).toEqual(["", "é"]);
  output.append([0xc3, END], "sampled");
  expect([output.textOf(3), output.textOf(4)]).toEqual(["é", "é"]);
});
