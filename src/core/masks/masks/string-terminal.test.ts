import { describe, expect, test } from "vitest";
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { Derivatives } from "../automaton/derivative.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import { stringTerminalMachine } from "../automaton/string-terminal-machine.ts";
import { anyString } from "../json-schema/scalars/scalars.ts";
import { stringContent } from "../json-schema/scalars/string.ts";
import { stringTerminal } from "../json-schema/scalars/string-terminal.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import { describeRepositoryVocabularies } from "../testing/describe-repository-vocabularies.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { makeMask } from "./mask.ts";
import { PlainRuns } from "./plain-run.ts";
import { testStringTerminals } from "./string-terminal.conformance.ts";

describeRepositoryVocabularies("string terminals over %s", testStringTerminals);

describe("counts in strings", () => {
  // A vocabulary of its own: other tests in this process may have made masks, or so many that masks are dropped.
  const tokenizer = repositoryTokenizer("stories260k");
  const vocabulary = vocabularyOf({
    vocabSize: tokenizer.vocabSize,
    eosTokenIds: tokenizer.eosTokenIds,
    tokenBytes: (token) => tokenizer.tokenBytes(token),
    encode: (text) => tokenizer.encode(text),
  });
  const make = (start: (e: Expressions) => Expression) => {
    const e = new Expressions();
    return new Automaton(e, start(e));
  };
  const maskOf = (automaton: Automaton, state: number) =>
    makeMask({ automaton, vocabulary, runs: new PlainRuns(automaton) }, state);

  test.each<[pattern: string, maxLength: number, text: string]>([
    ["^(?:\\S+\\s+){0,30}\\S+$", 60, "a é "],
    ["^(?:\\S+\\s+){0,30}\\S+$", 5000, "a b "],
    ["^$|^(?:\\S+\\s+){20,40}\\S+$", 130, "on é "],
    ["^([a-z]{1,40}-){0,30}[a-z]{9}$", 70, "abcdefgh-"],
    ["^([a-z]|[0-9]{4}){2,50}$", 45, "a1234"],
    ["^[^b]{0,30}b{0,40}$", 50, "cab"],
    ["a.{3}b", 40, "aaaab"],
  ])("%s of at most %i characters: masks are those of a plain walk", (pattern, maxLength, text) => {
    const alternative = { ...anyString, minLength: 1, maxLength, patterns: [pattern] };
    const subject = make((e) => stringTerminal(e, [alternative]));
    const reference = make((e) => e.sequence(stringContent(e, alternative), e.literal('"')));
    let [state, expected] = [subject.start, reference.start];
    for (const byte of new TextEncoder().encode(text.repeat(40))) {
      subject.begin();
      reference.begin();
      const mask = maskOf(subject, state);
      const wrong: string[] = [];
      for (let token = 0; token < vocabulary.size; token++) {
        const bytes = vocabulary.bytesOf(token);
        const isAllowed = bytes.length > 0 && reference.walk(expected, bytes) !== DEAD;
        if (isAllowed !== hasToken(mask, token)) wrong.push(`${token}: ${isAllowed}`);
      }
      expect(wrong).toEqual([]);
      [state, expected] = [subject.step(state, byte), reference.step(expected, byte)];
      if (state === DEAD) break;
    }
    expect(expected).toBe(DEAD);
  });

  test("counts that no token reaches need no states of their own", () => {
    const alternative = {
      ...anyString,
      minLength: 1,
      maxLength: 5000,
      patterns: ["^(?:\\S+\\s+){0,99}\\S+$"],
    };
    // Other tests may have made so many states that the shared arena forgot its expressions: then equal ones are not the same.
    const { automaton: shared } = stringTerminalMachine;
    shared.expressions.forget();
    shared.derivatives = new Derivatives(shared.expressions);
    const automaton = make((e) => stringTerminal(e, [alternative]));
    const after = (text: string) => automaton.walk(automaton.start, new TextEncoder().encode(text));
    const first = ["a", "a ", "a b"].map((text) => maskOf(automaton, after(text)));
    const { rowOf } = stringTerminalMachine.automaton;
    const rows = rowOf.filter((row) => row >= 0).length;
    const further = ["aaaa", "aa a a ", "a b c d e f"].map(after);
    const walked = rowOf.filter((row) => row >= 0).length;
    expect(walked).toBeGreaterThan(rows);
    expect(further.map((state) => maskOf(automaton, state))).toEqual(first);
    expect(rowOf.filter((row) => row >= 0)).toHaveLength(walked);
  });
});

describe("the machine of all string terminals", () => {
  test("charges a union to the arena that makes the union, not to one that used up its work", () => {
    const text = (e: Expressions, minLength: number) =>
      e.sequence(stringTerminal(e, [{ ...anyString, minLength }]), e.literal("!"));
    const tired = new Expressions(1_000);
    text(tired, 2);
    expect(() => tired.spend(1_000)).toThrow(ConstraintLimitError);
    const fresh = new Expressions();
    const [two, three] = [text(fresh, 2), text(fresh, 3)];
    stringTerminalMachine.chargeTo(tired);
    expect(() => fresh.union(two, three)).not.toThrow();
  });

  test("lets go of what is too much, and older states stay what they were", () => {
    const vocabulary = vocabularyOf(repositoryTokenizer("stories260k"));
    const e = new Expressions();
    const start = e.sequence(
      stringTerminal(e, [{ ...anyString, minLength: 3, maxLength: 1_000_000 }]),
      e.literal("!"),
    );
    const automaton = new Automaton(e, start);
    const parts = { automaton, vocabulary, runs: new PlainRuns(automaton) };
    automaton.begin();
    const first = makeMask(parts, automaton.start);
    const { epoch } = stringTerminalMachine.automaton;
    const text = new Uint8Array(500).fill(0x61);
    let at = automaton.expressionOf(automaton.start);
    for (let round = 0; stringTerminalMachine.automaton.epoch === epoch; round++) {
      expect(round).toBeLessThan(100);
      automaton.begin();
      at = automaton.expressionOf(automaton.walk(automaton.stateOf(at), text));
    }
    expect(makeMask(parts, automaton.stateOf(start))).toEqual(first);
    const quote = automaton.step(automaton.stateOf(at), 0x22);
    expect(automaton.expressionOf(quote)).toBe(e.literal("!"));
  });

  test("gives one terminal for one language, and nothing where there is no string", () => {
    const e = new Expressions();
    expect(stringTerminal(e, [anyString])).toBe(stringTerminal(e, [{ ...anyString }]));
    expect(stringTerminal(e, [{ ...anyString, patterns: ["^a$"], minLength: 2 }])).toBe(e.nothing);
    expect(stringTerminal(e, [])).toBe(e.nothing);
  });
});
