/** An expression in memory: see expression.ts for how they are made. */
import { allBytes, type ByteSet, intersect, isSubset } from "./byte-set.ts";
import { mixHash } from "./hash.ts";

/** Whether the empty text is allowed, as far as can be said without expanding rules. */
export const NO = 0;
export const YES = 1;
export const UNKNOWN = 2;
export type Ternary = typeof NO | typeof YES | typeof UNKNOWN;

interface Node {
  /** Unique in its arena; order of making. */
  readonly id: number;
  readonly hash: number;
  readonly nullable: Ternary;
  /** The expression surely allows some text: no intersection or complement in it takes texts away, and each rule is believed not to be empty. */
  readonly certain: boolean;
  /** The expression begins with a token budget, which counts down with each token. */
  readonly timed: boolean;
  /** The expression begins with a `distinct`, which remembers each byte that is written: see distinct.ts. */
  readonly remembers: boolean;
  /** No text of the expression has fewer bytes. A bound from its form alone; the shortest text may be longer. */
  readonly least: number;
  /** For some rules: the listed beginnings of their texts. */
  readonly beginnings: RuleBeginnings | undefined;
  /** The state's number in the automaton whose stamp is `stamp`. Kept here because no map is as fast as a field. */
  number: number;
  stamp: number;
}

export type Members = readonly Expression[];

/** Where string terminals are made and stepped: see string-terminal-machine.ts. */
export interface StringTerminalMaker {
  /** The rest of the text after the bytes, `empty` if it ends before, and how many bytes it took; null if a byte is not allowed. */
  follow(
    text: Expression,
    bytes: ArrayLike<number>,
    from: number,
    to: number,
    workBudget: WorkBudget,
  ): { rest: Expression; taken: number } | null;
  /** After one byte of `set`, `next` is allowed. No byte is in two of the sets. */
  steps(text: Expression, workBudget: WorkBudget): readonly { set: ByteSet; next: Expression }[];
  union(texts: readonly Expression[], workBudget: WorkBudget): Expression;
  begin(): void;
}

/** The memory of a `distinct`, besides the texts that may come. */
export interface DistinctMemory {
  /** The ends of the texts in `seen` that begin with `written`: the present text must not end as one of these. */
  readonly taken: Expression;
  /** The part of the present text that is written; null at its beginning. */
  readonly written: WrittenBytes | null;
  /** The union of the texts before the present one. */
  readonly seen: Expression;
  readonly sequel: Sequel;
}

/** Bytes one after the other, the last one first. */
export interface WrittenBytes {
  readonly byte: number;
  readonly before: WrittenBytes | null;
  /** Bytes in all. */
  readonly length: number;
  readonly hash: number;
}

/**
 * The language of what may follow one of several texts that all have to differ (`uniqueItems`), given the texts so far. Use one
 * object for one language: states are compared by it.
 */
export interface Sequel {
  /** @param seen the union of the texts before and the present one. @returns a language that is not empty and does not allow the empty text */
  after(seen: Expression): Expression;
  /** The language if the texts so far are unknown: it allows whatever `after` allows for any `seen`. */
  general(): Expression;
}

/** Some of a list of paths: those from `first` to before `end`, from byte `depth` on. The paths are sorted by their bytes. */
export interface PathRange {
  readonly paths: readonly { readonly bytes: Uint8Array }[];
  readonly first: number;
  readonly end: number;
  readonly depth: number;
}

/** The listed beginnings of a rule's texts: each text begins with one of the paths. Each path is possible, so a mask needs no state for the places inside a path. */
export interface RuleBeginnings extends PathRange {
  /** The texts that may follow the first `depth` bytes, which the paths from `first` to before `end` share. */
  rest(first: number, end: number, depth: number): Expression;
}

/** A budget that a piece of work is charged to. */
export interface WorkBudget {
  readonly meter: WorkMeter;
}

export interface WorkMeter {
  work: number;
  /** The work that is allowed. */
  readonly most: number;
}

export type Expression = Node &
  (
    | { readonly kind: "nothing" }
    | { readonly kind: "empty" }
    | { readonly kind: "bytes"; readonly set: ByteSet }
    | { readonly kind: "sequence"; readonly head: Expression; readonly tail: Expression }
    | { readonly kind: "union"; readonly members: Members }
    | { readonly kind: "repeat"; readonly body: Expression; readonly min: number; readonly max: number }
    | { readonly kind: "intersection"; readonly members: Members }
    | { readonly kind: "complement"; readonly body: Expression }
    | { readonly kind: "rule"; readonly key: string; readonly expand: () => Expression }
    | { readonly kind: "budget"; readonly body: Expression; readonly tokens: number }
    | { readonly kind: "stringTerminal"; readonly body: Expression; readonly maker: StringTerminalMaker }
    | { readonly kind: "distinct"; readonly body: Expression; readonly distinct: DistinctMemory }
  );

export type SequenceExpression = Extract<Expression, { kind: "sequence" }>;
export type StringTerminalExpression = Extract<Expression, { kind: "stringTerminal" }>;
export type DistinctExpression = Extract<Expression, { kind: "distinct" }>;
export type RepeatExpression = Extract<Expression, { kind: "repeat" }>;
export type RuleExpression = Extract<Expression, { kind: "rule" }>;

/** The fields of all kinds together. Every expression has all of them, so that all have one layout in memory and code that meets every kind stays fast. */
export interface ExpressionFields {
  kind: Expression["kind"];
  hash: number;
  id: number;
  nullable: Ternary;
  certain: boolean;
  timed: boolean;
  remembers: boolean;
  least: number;
  number: number;
  stamp: number;
  set: ByteSet | undefined;
  head: Expression | undefined;
  tail: Expression | undefined;
  members: Members | undefined;
  body: Expression | undefined;
  min: number | undefined;
  max: number | undefined;
  tokens: number | undefined;
  key: string | undefined;
  expand: (() => Expression) | undefined;
  beginnings: RuleBeginnings | undefined;
  maker: StringTerminalMaker | undefined;
  distinct: DistinctMemory | undefined;
}

/** The first part of a sequence; any other expression itself. */
export function headOf(expression: Expression): Expression {
  return expression.kind === "sequence" ? expression.head : expression;
}

/** The string terminal that an expression begins with, so that nothing else may come first; null for other expressions. */
export function terminalOf(expression: Expression): StringTerminalExpression | null {
  const head = headOf(expression);
  return head.kind === "stringTerminal" ? head : null;
}

export function ternaryAnd(a: Ternary, b: Ternary): Ternary {
  if (a === NO || b === NO) return NO;
  return a === YES && b === YES ? YES : UNKNOWN;
}

export function ternaryOr(a: Ternary, b: Ternary): Ternary {
  if (a === YES || b === YES) return YES;
  return a === NO && b === NO ? NO : UNKNOWN;
}

/**
 * The bytes that may come first, if every member of an intersection is a sequence that begins with one byte: [ab]x & [bc]y is
 * b(x & y). Most such members are the rest of a character beyond ASCII. A complement may be a member if no choice of this byte
 * satisfies it. Null for other members.
 */
export function firstByteOfAll(members: Members): ByteSet | null {
  let first = allBytes;
  for (const member of members) {
    if (member.kind === "complement") continue;
    const set = firstByteOf(member);
    if (set === null) return null;
    first = intersect(first, set);
  }
  const isShared = members.every((member) => {
    const set = member.kind === "complement" ? firstByteOf(member.body) : first;
    return set !== null && isSubset(first, set);
  });
  return isShared && first !== allBytes ? first : null;
}

function firstByteOf(expression: Expression): ByteSet | null {
  return expression.kind === "sequence" && expression.head.kind === "bytes" ? expression.head.set : null;
}

export function hashMembers(kind: number, members: Members): number {
  let hash = kind;
  for (const { id } of members) hash = mixHash(hash, id);
  return hash;
}

export function blankFields(kind: Expression["kind"], hash: number): ExpressionFields {
  return {
    kind,
    hash,
    id: -1,
    nullable: NO,
    certain: true,
    timed: false,
    remembers: false,
    least: 0,
    number: 0,
    stamp: 0,
    set: undefined,
    head: undefined,
    tail: undefined,
    members: undefined,
    body: undefined,
    min: undefined,
    max: undefined,
    tokens: undefined,
    key: undefined,
    expand: undefined,
    beginnings: undefined,
    maker: undefined,
    distinct: undefined,
  };
}

/**
 * Whether (x{a,b}){c,…} allows every number of x from a·c on, and so is x{ac,…}. With n repetitions of x{a,b} there may be
 * n·a to n·b x; no number is left out if (n + 1)·a ≤ n·b + 1 for every n from c on. For example (x{2,3}){1,…} allows 2, 3, 4, …
 * but (x{3,4}){1,…} does not allow 5.
 */
export function isRepeatGapless(a: number, b: number, c: number): boolean {
  return c === 0 ? a <= 1 : (c + 1) * a <= c * b + 1;
}
