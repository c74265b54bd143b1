/** Events contain the output's text in whole characters, and its last tokens. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Output } from "../decoder/loop/output.ts";
import { UnsentOutputChanges } from "../decoder/ports/output-changes.ts";
import { byteTokenizer, END } from "../decoder/testing/byte-tokenizer.ts";
import type { LastTokens } from "./event.ts";
import { runMods } from "./flow/testing/run-mod.ts";
import { mod } from "./mod.ts";
import { OutputCopy } from "./output-so-far.ts";

const { encode } = byteTokenizer;

describe("texts of events", () => {
  // Every byte is a token: a unicorn has four tokens, a Chinese character three.
  const said = "ok 🦄 字, é!";
  const says = (text: string) => {
    const tokens = [...encode(text), END];
    return (context: readonly number[]) => {
      const logits = new Float32Array(257);
      logits[tokens[context.length - 1] ?? END] = 20;
      return logits;
    };
  };
  const run = (mods: Parameters<typeof runMods>[0], text = said) =>
    runMods(mods, { prompt: "p", request: { maxTokens: 80 }, model: { logits: says(text) } });

  test("put together they are the text, character by character", async () => {
    const added: string[] = [];
    const sampled: string[] = [];
    const { text } = await run([
      mod({
        sampled: (event) => void sampled.push(event.text),
        added: (event) => void added.push(event.text),
      }),
    ]);
    expect(text).toBe(said);
    expect(added.join("")).toBe(said);
    expect(sampled).toEqual(added);
    expect(added.filter((piece) => piece !== "")).toEqual([...said]);
  });

  test("a character that is taken back in its middle is whole again when it is written anew", async () => {
    const added: string[] = [];
    const removed: string[] = [];
    let times = 0;
    const tearing = mod({
      added(event, actions) {
        added.push(event.text);
        if (event.tokens[0] === 0xa6 && times++ < 2) return actions.backtrack(2);
        return null;
      },
      backtracked: (event) => void removed.push(event.text),
    });
    const { text, faults } = await run([tearing]);
    expect(faults).toEqual([]);
    expect([text, added.join(""), removed]).toEqual([said, said, ["", ""]]);
  });

  test("a whole character that is taken back is told as it was added", async () => {
    const removed: string[] = [];
    let isDone = false;
    const taking = mod({
      added(event, actions) {
        if (isDone || event.text !== "字") return null;
        isDone = true;
        return actions.backtrack(4, " 月");
      },
      backtracked: (event) => void removed.push(event.text),
    });
    const { text } = await run([taking], "a 字.");
    expect([text, removed]).toEqual(["a 月.", [" 字"]]);
  });

  test("event.output has all that stands, whoever put it there and whatever was taken back", async () => {
    const seen: string[] = [];
    const first = mod({
      added: (event, actions) => {
        if (event.text === "字") return actions.backtrack(3, "月🌙");
        return event.text === "!" ? actions.backtrack(1) : null;
      },
    });
    const reading = mod((event) => {
      if (event.type === "prefilled" || event.type === "finished") return null;
      seen.push(`${event.type} ${event.output.text}`);
      expect(byteTokenizer.decode(event.output.tokens).startsWith(event.output.text)).toBe(true);
      expect(event.output.tokens).toHaveLength(event.step);
      return null;
    });
    await runMods([first, reading], {
      prompt: "p",
      request: { maxTokens: 9 },
      model: { logits: says("a字!!!!") },
    });
    expect(seen).toEqual([
      ...["forwardPass ", "sampled ", "added a", "forwardPass a", "sampled a", "added a"],
      ...[
        "forwardPass a",
        "sampled a",
        "added a",
        "forwardPass a",
        "sampled a",
        "added a字",
        "backtracked a",
      ],
      "added a月🌙",
      ...["forwardPass a月🌙", "sampled a月🌙", "added a月🌙"],
    ]);
  });

  test("a mod that reads the output only now and then misses nothing of it", async () => {
    const seen: string[] = [];
    const reading = mod({
      forwardPass(event) {
        if (event.step % 5 === 0) seen.push(event.output.text);
      },
    });
    await run([reading]);
    expect(seen).toEqual(["", "ok ", "ok 🦄 ", "ok 🦄 字, é"]);
  });
});

test("what is hidden is apart", async () => {
  const seen: unknown[] = [];
  const asking = mod({
    forwardPass: (event, actions) =>
      event.step === 1 && !event.hidden && seen.length === 0
        ? actions.forceTokens("字?", { hidden: true })
        : null,
    added(event, actions) {
      if (!event.hidden) return null;
      const { text, tokens, hiddenTokens } = event.output;
      seen.push([text, tokens.length, hiddenTokens.length, event.output.lastTokensWith("?")]);
      return hiddenTokens.length === 6 ? actions.backtrack(hiddenTokens.length) : null;
    },
    backtracked: (event) =>
      void seen.push([event.hidden, event.output.text, event.output.hiddenTokens.length]),
  });
  const { text, faults } = await runMods([asking], { prompt: "abcd", request: { maxTokens: 3 } });
  expect([text, faults]).toEqual(["efg", []]);
  expect(seen).toEqual([
    ["e", 1, 4, null],
    ["e", 1, 5, null],
    ["e", 1, 6, null],
    [true, "e", 0],
  ]);
});

describe("the last tokens with a text", () => {
  /** `pieces`: texts of the tokens. `wanted`: the text that is looked for. `newest`: the number of newest tokens. */
  test.each<
    [name: string, pieces: readonly string[], wanted: string, newest: number, expected: LastTokens | null]
  >([
    ["in one token", ["a", " ball"], " ball", 1, { count: 1, text: " ball" }],
    ["over two tokens", ["a", " ba", "ll"], " ball", 1, { count: 2, text: " ball" }],
    ["with what clings to it", ["my ba", "ll."], "ball", 1, { count: 2, text: "my ball." }],
    ["not there yet", ["a", " ba"], " ball", 1, null],
    ["no longer new", ["a", " ball", " is"], " ball", 1, null],
    ["new with the group", ["a", " ball", " is"], " ball", 2, { count: 2, text: " ball is" }],
    ["the last of two", ["ball", " ball"], "ball", 2, { count: 1, text: " ball" }],
    ["one that overlaps itself", ["aa", "a"], "aa", 1, { count: 2, text: "aaa" }],
    ["nothing was written", [], "a", 1, null],
  ])("%s", (_, pieces, wanted, newest, expected) => {
    const copy = new OutputCopy({ tokenBytes: (token) => new TextEncoder().encode(pieces[token]) });
    copy.change({ keep: 0, tokens: [...pieces.keys()], hidden: 0 });
    expect(copy.view(newest).lastTokensWith(wanted)).toEqual(expected);
  });

  test("never begin in the middle of a character", () => {
    const copy = new OutputCopy({
      tokenBytes: (token) => Uint8Array.from([[0x61, 0xe5, 0xad], [0x97, 0x62], [0x63]][token] ?? []),
    });
    copy.change({ keep: 0, tokens: [0, 1, 2], hidden: 0 });
    expect(copy.view(2).lastTokensWith("字b")).toEqual({ count: 3, text: "a字bc" });
    expect(copy.view(1).lastTokensWith("bc")).toEqual({ count: 3, text: "a字bc" });
  });

  test.each([[""], [undefined], [4]])("of %j are refused", (wanted) => {
    const copy = new OutputCopy(byteTokenizer);
    expect(() => copy.view(1).lastTokensWith(wanted as string)).toThrow(TypeError);
    expect(() => copy.view(1).lastTokensWith(wanted as string)).toThrow("give the text to look for");
  });

  test("put back with another text in its place, they leave the rest as it was", () => {
    const anyPieces = fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(anyPieces, fc.nat(), fc.nat(), (pieces, from, length) => {
        const tokens = encode(pieces.join(""));
        const whole = byteTokenizer.decode(tokens);
        const characters = [...whole];
        const start = from % characters.length;
        const wanted = characters.slice(start, start + 1 + (length % 4)).join("");
        const copy = new OutputCopy(byteTokenizer);
        copy.change({ keep: 0, tokens, hidden: 0 });
        const last = copy.view(tokens.length).lastTokensWith(wanted);
        if (last === null) throw new Error(`${wanted} is in ${whole}`);
        const left = byteTokenizer.decode(tokens.slice(0, tokens.length - last.count));
        expect(left + last.text).toBe(whole);
        expect(last.text).toContain(wanted);
      }),
    );
  });
});

test("a copy that is told what changed is the output, whenever it is told and read", () => {
  const step = fc.record({
    remove: fc.nat(6),
    add: fc.array(fc.nat(255), { maxLength: 4 }),
    isTold: fc.boolean(),
    isRead: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const output = new Output([1], byteTokenizer);
      const changes = new UnsentOutputChanges();
      const copy = new OutputCopy(byteTokenizer);
      const tell = () => copy.change(changes.next(output.emitted));
      for (const { remove, add, isTold, isRead } of steps) {
        output.remove(Math.min(remove, output.length));
        output.append(add, "sampled");
        if (isTold) tell();
        if (isRead) void copy.view(1).text;
      }
      tell();
      expect(copy.view(1).tokens).toEqual(output.tokens);
      expect(copy.view(1).text).toBe(output.emitted.map(({ text }) => text).join(""));
    }),
  );
});
