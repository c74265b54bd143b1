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

/** A look-behind, and how many parts of the pattern stand before it. */
interface LookBehind {
  readonly at: number;
  readonly body: RegexNode;
  readonly isWanted: boolean;
  readonly before: number;
}

class PatternReader {
  readonly #scanner: Scanner;
  readonly #items: RegexNode[] = [];
  readonly #behinds: LookBehind[] = [];
  readonly #looks: PatternCondition[] = [];
  /** The position of the first look-around, for messages; -1 if there is none. */
  #firstLook = -1;

  constructor(source: string) {
    this.#scanner = new Scanner(source, "");
  }

  /** Null if the source only seems to contain a look-around, as in `\(?=`, or if the look-arounds are in groups. */
  read(): readonly PatternCondition[] | null {
    const scanner = this.#scanner;
    const isAnchored = this.#readStart();
    if (isAnchored) this.#readTempered();
    while (!scanner.isDone && !/[|)]/.test(scanner.peek())) {
      if (this.#readAhead(isAnchored) || this.#readBehind()) continue;
      scanner.countNode();
      this.#items.push(readTerm(scanner, REASON));
    }
    if (this.#firstLook < 0) return null;
    if (!scanner.isDone) scanner.fail(REASON, this.#firstLook);
    for (const behind of this.#behinds) this.#placeBehind(behind);
    return [{ node: { kind: "sequence", items: this.#items }, isWanted: true }, ...this.#looks];
  }

  /** Reads Python's flags, then `^` and look-aheads in any order. Returns whether there was a `^`. */
  #readStart(): boolean {
    const scanner = this.#scanner;
    if (/^\(\?[is]+\)/.test(scanner.source)) readTerm(scanner, REASON);
    for (;;) {
      const at = scanner.position;
      if (scanner.accept("^")) this.#items.push({ kind: "start" });
      else {
        const look = this.#readLook(/\(\?(?=[=!])/y);
        if (look === null) break;
        this.#look(at, look.isWanted, [{ kind: "start" }, look.body]);
      }
    }
    const isAnchored = this.#items.length > 0;
    if (!isAnchored && this.#looks.length > 0) scanner.fail(REASON, this.#firstLook);
    return isAnchored;
  }

  /** Reads `((?!A)B)*$`: every character up to the end is a B, and no A begins anywhere. */
  #readTempered(): void {
    const scanner: Scanner = this.#scanner;
    const at = scanner.position;
    if (!scanner.match(/\((?:\?:)?(?=\(\?!)/y)) return;
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
    this.#look(lookAt, false, [body]);
  }

  /** Reads a look-ahead behind other parts. False if there is none. */
  #readAhead(isAnchored: boolean): boolean {
    const scanner = this.#scanner;
    const at = scanner.position;
    const look = this.#readLook(/\(\?(?=[=!])/y);
    if (look === null) return false;
    const { body, isWanted } = look;
    if (isAnchored && areFixed(this.#items)) {
      this.#look(at, isWanted, [...this.#items, body]);
      return true;
    }
    if (!isWanted || !scanner.isDone) scanner.fail(REASON, at);
    this.#noteLook(at);
    this.#items.push(body);
    return true;
  }

  /** Reads a look-behind. False if there is none. */
  #readBehind(): boolean {
    const at = this.#scanner.position;
    const look = this.#readLook(/\(\?<(?=[=!])/y);
    if (look === null) return false;
    this.#noteLook(at);
    this.#behinds.push({ ...look, at, before: this.#items.length });
    // Keeps the place: later look-behinds count the same parts.
    this.#items.push(emptyNode);
    return true;
  }

  /** Reads a look-around that begins with `opening`; null if there is none. */
  #readLook(opening: RegExp): Pick<LookBehind, "body" | "isWanted"> | null {
    const scanner = this.#scanner;
    const at = scanner.position;
    if (!scanner.match(opening)) return null;
    const isWanted = scanner.take() === "=";
    return { isWanted, body: readGroupBody(scanner, at, REASON) };
  }

  /** Makes a condition of a look-behind, now that the parts after it are known. */
  #placeBehind({ at, body, isWanted, before }: LookBehind): void {
    const after = this.#items.slice(before);
    if (after.at(-1)?.kind === "end" && areFixed(after)) {
      this.#look(at, isWanted, [body, ...after]);
    } else if (isWanted && before === 0) {
      this.#items[0] = body;
    } else {
      this.#scanner.fail(REASON, at);
    }
  }

  #look(at: number, isWanted: boolean, items: readonly RegexNode[]): void {
    this.#noteLook(at);
    this.#looks.push({ node: { kind: "sequence", items }, isWanted });
  }

  #noteLook(at: number): void {
    if (this.#firstLook < 0) this.#firstLook = at;
  }
}

/** Whether all texts of the parts together have the same length, so that the place behind them is known. */
function areFixed(items: readonly RegexNode[]): boolean {
  return items.every((item) => fixedLength(item) !== null);
}
