/** What an expression is in memory: see expression.ts for how they are made. */
import type { ByteSet } from "./byte-set.ts";
import { mix } from "./hash.ts";

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
  /** Surely some text is allowed: nothing in it that takes texts away, and rules are taken at their word. */
  readonly certain: boolean;
  /** A token budget is at its front. */
  readonly timed: boolean;
  /** What is written at its front is remembered: see distinct.ts. */
  readonly remembers: boolean;
  /** No text has fewer bytes: a bound from the form alone. */
  readonly least: number;
  /** The number that an automaton gave it, and the stamp of that automaton: no map is as fast as a look at the object itself. */
  number: number;
  stamp: number;
}

export type Members = readonly Expression[];

/** What is left of a string terminal after one byte: `nexts[classOf[byte]]`; null where the terminal has ended. Class 0: not allowed. */
export interface StringTerminalRow {
  readonly classOf: Uint16Array;
  /** The bytes of each class. */
  readonly sets: readonly ByteSet[];
  readonly nexts: readonly (Expression | null)[];
}

/** Where string terminals are made and stepped: see string-terminal-machine.ts. */
export interface StringTerminalMaker {
  /** @param workBudget what the work is charged to. */
  row(text: Expression, workBudget: WorkBudget): StringTerminalRow;
  union(texts: readonly Expression[]): Expression;
  begin(): void;
}

/** What a `distinct` knows besides the texts that may come. */
export interface Distinct {
  /** What is left of the seen texts that begin as this one does: none of them may come. */
  readonly taken: Expression;
  /** The text so far; null at its beginning. */
  readonly written: Written | null;
  /** The union of the texts before this one. */
  readonly seen: Expression;
  readonly sequel: Sequel;
}

/** Bytes one after the other, the last one first. */
export interface Written {
  readonly byte: number;
  readonly before: Written | null;
  /** Bytes in all. */
  readonly length: number;
  readonly hash: number;
}

/** What follows a text that is remembered. The same object for the same languages, or equal states are not found to be equal. */
export interface Sequel {
  /** @param seen the texts before and this one. The language must not be empty, nor allow the empty text. */
  after(seen: Expression): Expression;
  /** What `after` gives when no text is remembered: it allows all that any of those allows. */
  general(): Expression;
}

/** What a piece of work is charged to. */
export interface WorkBudget {
  readonly meter: WorkMeter;
}

export interface WorkMeter {
  work: number;
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
    | { readonly kind: "distinct"; readonly body: Expression; readonly distinct: Distinct }
  );

export type SequenceExpression = Extract<Expression, { kind: "sequence" }>;
export type StringTerminalExpression = Extract<Expression, { kind: "stringTerminal" }>;
export type DistinctExpression = Extract<Expression, { kind: "distinct" }>;
export type RuleExpression = Extract<Expression, { kind: "rule" }>;

/** All that any kind has, so that every expression has the same layout in memory: code that meets all kinds stays fast. */
export interface Parts {
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
  min: number;
  max: number;
  tokens: number;
  key: string | undefined;
  expand: (() => Expression) | undefined;
  maker: StringTerminalMaker | undefined;
  distinct: Distinct | undefined;
}

/** The string terminal that an expression begins with: then nothing else may come first. */
export function terminalOf(expression: Expression): StringTerminalExpression | null {
  const head = expression.kind === "sequence" ? expression.head : expression;
  return head.kind === "stringTerminal" ? head : null;
}

export function both(a: Ternary, b: Ternary): Ternary {
  return a === NO || b === NO ? NO : a === YES && b === YES ? YES : UNKNOWN;
}

export function either(a: Ternary, b: Ternary): Ternary {
  return a === YES || b === YES ? YES : a === NO && b === NO ? NO : UNKNOWN;
}

export function hashMembers(kind: number, members: Members): number {
  let hash = kind;
  for (const { id } of members) hash = mix(hash, id);
  return hash;
}

export function blank(kind: Expression["kind"], hash: number): Parts {
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
    min: 0,
    max: 0,
    tokens: 0,
    key: undefined,
    expand: undefined,
    maker: undefined,
    distinct: undefined,
  };
}

/** Is every number of repetitions in reach: (x{a,b}){c,…} the same as x{ac,…}? The next count must begin before this one ends. */
export function isGapless(a: number, b: number, c: number): boolean {
  return c === 0 ? a <= 1 : (c + 1) * a <= c * b + 1;
}
