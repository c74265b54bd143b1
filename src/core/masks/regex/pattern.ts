/**
 * Patterns of JSON Schema: regular expressions that are searched for in the text. A look-ahead at a fixed distance behind the
 * start of the text, and a look-behind at a fixed distance before its end, become patterns of their own: `^a(?!B)C` holds where
 * `^aC` is found and `^aB` is not. `A(?=B)` without more is found where `AB` is, and `(?<=A)B`, too.
 */
import { emptyNode, fixedLength, hasAnchor, isFreelyNullable, type RegexNode } from "./node.ts";
import { checkWrittenOutSize, parseRegex, readGroupBody, readQuantifier, readTerm } from "./parse.ts";
import { Scanner } from "./scanner.ts";

/** One condition of a pattern: `node` matches somewhere in the text (`isWanted`), or nowhere. */
export interface PatternCondition {
  readonly node: RegexNode;
  readonly isWanted: boolean;
}

const REASON =
  "look-around is supported only at a fixed distance after ^ or before $, as (?=…) at the end, as (?<=…) at the start, and in ^(?:(?!…).)*$";

/**
 * Parses a pattern into conditions, all of which must hold. The first condition has `isWanted`.
 * @throws StrategyError ("column 5") like parseRegex, and for look-around that is not at the ends of the text
 */
export function parsePatternConditions(source: string): readonly PatternCondition[] {
  if (!/\(\?<?[=!]/.test(source)) return [{ node: parseRegex(source), isWanted: true }];
  const parts = new PatternReader(source).read() ?? [{ node: parseRegex(source), isWanted: true }];
  for (const { node } of parts) checkWrittenOutSize(node, source);
  return parts;
}

/** A look-around, and how many parts of the pattern stand before it. */
interface LookAround {
  readonly at: number;
  readonly body: RegexNode;
  readonly isWanted: boolean;
  readonly isAhead: boolean;
  readonly before: number;
}

class PatternReader {
  readonly #scanner: Scanner;
  /** The parts of the pattern; the empty node in place of a look-around. */
  readonly #items: RegexNode[] = [];
  readonly #looks: LookAround[] = [];
  readonly #conditions: PatternCondition[] = [];

  constructor(source: string) {
    this.#scanner = new Scanner(source, "");
  }

  /** Null if the source only seems to contain a look-around, as in `\(?=`, or if the look-arounds are in groups. */
  read(): readonly PatternCondition[] | null {
    const scanner = this.#scanner;
    // Python's flags.
    if (/^\(\?[is]+\)/.test(scanner.source)) readTerm(scanner, REASON);
    while (!scanner.isDone && !/[|)]/.test(scanner.peek())) {
      if (this.#readTempered() || this.#readLook()) continue;
      scanner.countNode();
      this.#items.push(scanner.accept("^") ? { kind: "start" } : readTerm(scanner, REASON));
    }
    const [first] = this.#looks;
    if (first !== undefined && !scanner.isDone) scanner.fail(REASON, first.at);
    for (const look of this.#looks) this.#place(look);
    if (this.#looks.length + this.#conditions.length === 0) return null;
    return [{ node: sequenceOf(this.#items), isWanted: true }, ...this.#conditions];
  }

  /** Reads `((?!A)B)*$` after `^`: every character up to the end is a B, and no A begins anywhere. */
  #readTempered(): boolean {
    const scanner: Scanner = this.#scanner;
    const at = scanner.position;
    const isFirst = this.#items.every(({ kind }) => kind === "start" || kind === "empty");
    if (!isFirst || !startsText(this.#items) || !scanner.match(/\((?:\?:)?(?=\(\?!)/y)) return false;
    const lookAt = scanner.position;
    scanner.match(/\(\?!/y);
    const body = readGroupBody(scanner, lookAt, REASON);
    const one = readTerm(scanner, REASON);
    const isClosed = scanner.accept(")");
    const quantifier = isClosed ? readQuantifier(scanner) : null;
    const isSimple = one.kind === "set" && !hasAnchor(body) && !isFreelyNullable(body);
    const isLast = scanner.source.slice(scanner.position) === "$";
    if (quantifier === null || !isSimple || !isLast) scanner.fail(REASON, lookAt);
    const [min, max] = quantifier;
    if (min > max) scanner.fail(`{${min},${max}} is out of order; write {${max},${min}}`, at);
    this.#items.push({ kind: "repeat", body: one, min, max });
    this.#ask(false, [body]);
    return true;
  }

  #readLook(): boolean {
    const scanner = this.#scanner;
    const at = scanner.position;
    const found = scanner.match(/\(\?(<?)([=!])/y);
    if (found === null) return false;
    const body = readGroupBody(scanner, at, REASON);
    const isAhead = found[1] === "";
    this.#looks.push({ at, body, isAhead, isWanted: found[2] === "=", before: this.#items.length });
    this.#items.push(emptyNode);
    return true;
  }

  /** Makes a condition of a look-around, now that all parts are known, or writes the look-around out. */
  #place({ at, body, isWanted, isAhead, before }: LookAround): void {
    const items = this.#items;
    const [lead, rest] = [items.slice(0, before), items.slice(before)];
    if (isAhead && areFixed(lead) && (startsText(lead) || startsText(rest))) {
      this.#ask(isWanted, [{ kind: "start" }, ...lead.filter(({ kind }) => kind !== "start"), body]);
    } else if (!isAhead && rest.at(-1)?.kind === "end" && areFixed(rest)) {
      this.#ask(isWanted, [body, ...rest]);
    } else if (isWanted && before === (isAhead ? items.length - 1 : 0)) {
      items[before] = body;
    } else {
      this.#scanner.fail(REASON, at);
    }
  }

  #ask(isWanted: boolean, items: readonly RegexNode[]): void {
    this.#conditions.push({ node: sequenceOf(items), isWanted });
  }
}

/** The parts one after the other. An empty part would keep compileRegex from seeing the anchors at the ends. */
function sequenceOf(items: readonly RegexNode[]): RegexNode {
  return { kind: "sequence", items: items.filter(({ kind }) => kind !== "empty") };
}

/** Whether the parts begin with `^`, if need be after look-around. */
function startsText(items: readonly RegexNode[]): boolean {
  return items.find(({ kind }) => kind !== "empty")?.kind === "start";
}

/** Whether all texts of the parts together have the same length, so that the place behind them is known. */
function areFixed(items: readonly RegexNode[]): boolean {
  return items.every((item) => fixedLength(item) !== null);
}
