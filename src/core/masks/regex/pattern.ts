/**
 * Patterns of JSON Schema: regular expressions that are searched for in the text. A look-ahead at the start of the text and
 * a look-behind at its end ask something of the whole text, so each becomes a pattern of its own: `^(?!A)B` holds where
 * `^B` is found and `^A` is not.
 */
import { hasAnchor, isFreelyNullable, type RegexNode } from "./node.ts";
import { checkWrittenOutSize, parseRegex, readGroupBody, readQuantifier, readTerm } from "./parse.ts";
import { Scanner } from "./scanner.ts";

/** One condition of a pattern: `node` matches somewhere in the text (`isWanted`), or nowhere. */
export interface PatternCondition {
  readonly node: RegexNode;
  readonly isWanted: boolean;
}

const REASON =
  "look-around is supported in three places only: right after ^ at the start of the pattern, as a look-behind right before $ at its end, and in ^(?:(?!…).)*$";

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

class PatternReader {
  readonly #scanner: Scanner;
  readonly #items: RegexNode[] = [];
  readonly #looks: PatternCondition[] = [];
  /** The position of the first look-around, for messages. */
  #firstLook = 0;

  constructor(source: string) {
    this.#scanner = new Scanner(source, "");
  }

  /**
   * Null if no look-around is at an end of the text: it is elsewhere, or the source only seems to contain one, as in `\(?=`.
   */
  read(): readonly PatternCondition[] | null {
    const scanner = this.#scanner;
    const isAnchored = this.#readStart();
    if (isAnchored) this.#readTempered();
    while (!scanner.isDone && !/[|)]/.test(scanner.peek())) {
      if (this.#readBehind()) break;
      scanner.countNode();
      this.#items.push(readTerm(scanner, REASON));
    }
    if (this.#looks.length === 0) return null;
    if (!scanner.isDone) {
      const isChoice = scanner.peek() === "|";
      scanner.fail(
        isChoice ? REASON : `")" closes no group; write \\) for the character itself`,
        this.#firstLook,
      );
    }
    return [{ node: { kind: "sequence", items: this.#items }, isWanted: true }, ...this.#looks];
  }

  /** Reads `^` and look-aheads in any order. Returns whether there was a `^`. */
  #readStart(): boolean {
    const scanner = this.#scanner;
    for (;;) {
      const at = scanner.position;
      if (scanner.accept("^")) this.#items.push({ kind: "start" });
      else if (scanner.match(/\(\?(?=[=!])/y)) {
        const isWanted = scanner.take() === "=";
        const body = readGroupBody(scanner, at, REASON);
        this.#look(at, { node: { kind: "sequence", items: [{ kind: "start" }, body] }, isWanted });
      } else break;
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
    this.#look(lookAt, { node: body, isWanted: false });
  }

  /** Reads look-behinds and the `$` after them, which must end the pattern. False if there is no look-behind. */
  #readBehind(): boolean {
    const scanner = this.#scanner;
    let isFound = false;
    for (;;) {
      const at = scanner.position;
      if (!scanner.match(/\(\?<(?=[=!])/y)) break;
      isFound = true;
      const isWanted = scanner.take() === "=";
      const body = readGroupBody(scanner, at, REASON);
      this.#look(at, { node: { kind: "sequence", items: [body, { kind: "end" }] }, isWanted });
    }
    if (!isFound) return false;
    if (scanner.source.slice(scanner.position) !== "$") scanner.fail(REASON, this.#firstLook);
    scanner.accept("$");
    this.#items.push({ kind: "end" });
    return true;
  }

  #look(at: number, part: PatternCondition): void {
    if (this.#looks.length === 0) this.#firstLook = at;
    this.#looks.push(part);
  }
}
