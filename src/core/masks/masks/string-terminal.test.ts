import { describe, expect, test } from "vitest";
import { Automaton } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { stringTerminalMachine } from "../automaton/string-terminal-machine.ts";
import { anyString } from "../json-schema/scalars/scalars.ts";
import { stringTerminal } from "../json-schema/scalars/string-terminal.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import { describeRepositoryVocabularies } from "../testing/describe-repository-vocabularies.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { makeMask } from "./mask.ts";
import { PlainRuns } from "./plain-run.ts";
import { testStringTerminals } from "./string-terminal.conformance.ts";

describeRepositoryVocabularies("string terminals over %s", testStringTerminals);

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
