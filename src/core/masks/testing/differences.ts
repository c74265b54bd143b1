/** Where an oracle allows other tokens than we do, and which of the two is right. */
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { type ConstraintState, constraintOf } from "../masks/constraint.ts";
import type { Strategy } from "../strategy.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import type { OracleMatcher } from "./oracle.ts";

export interface OracleComparison {
  readonly tokenizer: TokenBytes;
  readonly ours: Strategy;
  /** Allows as well what `ours` leaves out by intention: another order of members. */
  readonly freer: Strategy;
  /** A text that both are to take. */
  readonly text: string;
  readonly start: () => Promise<OracleMatcher>;
  /** The judge: whether a whole text is right. */
  readonly isRight: (text: string) => boolean;
}

export interface OracleDifferences {
  /** The number of places in the text at which masks were compared. */
  readonly positions: number;
  /** How often each kind that is none of our faults was met. */
  readonly explained: Readonly<Record<Explanation, number>>;
  /** The others, with the text before, the token, and what proves it. */
  readonly faults: readonly string[];
}

/**
 * `order`: the oracle allows members in any order. `theirs too narrow`: a text that only we allow is right. `theirs too wide`: a
 * text that only they allow is wrong, or none. `dead end`: what only they allow leads to no end within `longest` tokens.
 * `spelling`: what only they allow is another spelling of a value that we allow. `no text`: it is no UTF-8.
 */
export type Explanation = (typeof explanations)[number];
export const explanations = [
  "order",
  "theirs too narrow",
  "theirs too wide",
  "dead end",
  "spelling",
  "no text",
] as const;

export const noneExplained = () =>
  Object.fromEntries(explanations.map((kind) => [kind, 0])) as Record<Explanation, number>;

/** Tokens after the one in question. */
const longest = 24;
/** Tokens of each kind that are looked into at one position: the rest would repeat them. */
const mostTokens = 2;
const decoder = new TextDecoder();

/** Compares our masks with the oracle's after each token of `text`, until one of the two rejects the next token. */
export async function compareWithOracle(comparison: OracleComparison): Promise<OracleDifferences> {
  const { tokenizer, ours, freer, text, start } = comparison;
  const explained = noneExplained();
  const faults: string[] = [];
  const tokens = tokenizer.encode(text);
  const end = tokenizer.eosTokenIds[0] as number;
  const matcher = await start();
  const finish = finisher(ours);
  let own: ConstraintState | null = constraintOf(ours, tokenizer).start;
  let free: ConstraintState | null = constraintOf(freer, tokenizer).start;
  // A state that comes again has the same mask: each token of it is judged once.
  const seen = new Map<Uint32Array, ReadonlySet<number>>();
  let positions = 0;
  for (let at = 0; at <= tokens.length && own !== null; at++) {
    const theirs = Uint32Array.from(await matcher.mask());
    const before = tokens.slice(0, at);
    positions++;
    const found = differing(own, free, theirs, tokenizer);
    explained.order += found.order.length;
    for (const token of found.oursOnly.slice(0, mostTokens)) {
      const whole = finish(bytesOf(tokenizer, [...before, token]));
      if (whole !== null && comparison.isRight(whole)) explained["theirs too narrow"]++;
      else faults.push(`we allow ${show(tokenizer, before, token)}, and it ends as ${whole}, which is wrong`);
    }
    const mask = own.mask();
    const fresh = found.theirsOnly.filter((token) => !seen.get(mask)?.has(token)).slice(0, mostTokens);
    seen.set(mask, new Set([...(seen.get(mask) ?? []), ...fresh]));
    for (const token of fresh) {
      const verdict = await judged(comparison, before, token);
      if (verdict.kind === "fault")
        faults.push(`we forbid ${show(tokenizer, before, token)}: ${verdict.whole}`);
      else explained[verdict.kind]++;
    }
    if (hasToken(theirs, end) !== own.canEnd) {
      const isRight = comparison.isRight(decoder.decode(bytesOf(tokenizer, before)));
      if (isRight !== own.canEnd) faults.push(`the end after ${show(tokenizer, before, end)}`);
      else explained[own.canEnd ? "theirs too narrow" : "theirs too wide"]++;
    }
    const next = tokens[at];
    if (next === undefined || !hasToken(theirs, next) || !matcher.accept(next)) break;
    own = own.advance(next);
    free = free?.advance(next) ?? null;
    if (own === null) faults.push(`we reject ${show(tokenizer, before, next)} of a right text`);
  }
  matcher.dispose();
  return { positions, explained, faults };
}

interface Differing {
  readonly oursOnly: number[];
  readonly theirsOnly: number[];
  readonly order: number[];
}

function differing(
  own: ConstraintState,
  free: ConstraintState | null,
  theirs: Uint32Array,
  tokenizer: TokenBytes,
): Differing {
  const [mask, wide] = [own.mask(), free?.mask()];
  const found: Differing = { oursOnly: [], theirsOnly: [], order: [] };
  for (let token = 0; token < tokenizer.vocabSize; token++) {
    // Special tokens are the loop's business, the end is compared on its own.
    if (tokenizer.tokenBytes(token).length === 0 || tokenizer.eosTokenIds.includes(token)) continue;
    const [isOurs, isTheirs] = [hasToken(mask, token), hasToken(theirs, token)];
    if (isOurs && !isTheirs) found.oursOnly.push(token);
    if (isTheirs && !isOurs) (wide && hasToken(wide, token) ? found.order : found.theirsOnly).push(token);
  }
  return found;
}

type Verdict =
  | { readonly kind: "theirs too wide" | "dead end" | "spelling" | "no text" }
  | { readonly kind: "fault"; readonly whole: string };

/** Ways to make another number of one that is too large, too small or no multiple. */
const numberEnds = ["", "e-1", "e-3", "e1", "0", "1", "-1"];

/** The oracle's verdict on a token that we forbid: its own short ways on, judged. */
async function judged(
  comparison: OracleComparison,
  before: readonly number[],
  token: number,
): Promise<Verdict> {
  const { tokenizer } = comparison;
  const begun = bytesOf(tokenizer, [...before, token]);
  if (!beginsText(begun)) return { kind: "no text" };
  const isNumber = /[-\d.eE+]$/.test(decoder.decode(begun));
  let last: Verdict = { kind: "dead end" };
  for (const more of isNumber ? numberEnds : [""]) {
    const verdict = await finished(comparison, [...before, token, ...tokenizer.encode(more)]);
    if (verdict.kind === "fault" || verdict.kind === "spelling") return verdict;
    if (verdict.kind === "theirs too wide") last = verdict;
  }
  return last;
}

async function finished(comparison: OracleComparison, begun: readonly number[]): Promise<Verdict> {
  const { tokenizer, start, isRight } = comparison;
  const said = [...begun];
  const matcher = await start();
  try {
    if (!said.every((one) => matcher.accept(one))) return { kind: "dead end" };
    for (let step = 0; step < longest; step++) {
      const next = closing(tokenizer, await matcher.mask(), said);
      if (next === null) return { kind: "dead end" };
      if (tokenizer.eosTokenIds.includes(next)) {
        const whole = wellFormed(bytesOf(tokenizer, said));
        if (whole === null) return { kind: "no text" };
        if (!isRight(whole)) return { kind: "theirs too wide" };
        return respelled(comparison, whole) ? { kind: "spelling" } : { kind: "fault", whole };
      }
      if (!matcher.accept(next)) return { kind: "dead end" };
      said.push(next);
    }
    return { kind: "dead end" };
  } finally {
    matcher.dispose();
  }
}

/** False when no UTF-8 begins like this. Both oracles allow bytes in strings that no text has. */
function beginsText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The end, else what closes something, else the shortest token. */
function closing(tokenizer: TokenBytes, mask: Uint32Array, said: readonly number[]): number | null {
  const [end = -1] = tokenizer.eosTokenIds;
  if (hasToken(mask, end)) return end;
  const last = decoder.decode(bytesOf(tokenizer, said)).at(-1) ?? "";
  let best: number | null = null;
  let bestRank = Number.POSITIVE_INFINITY;
  for (let token = 0; token < tokenizer.vocabSize; token++) {
    const bytes = tokenizer.tokenBytes(token);
    if (bytes.length === 0 || !hasToken(mask, token)) continue;
    const first = String.fromCharCode(bytes[0] as number);
    const closes = bytes.length > 1 ? 8 : '"}]'.indexOf(first);
    // Otherwise a row of the same letters might never end: those that differ from the last one are tried before.
    const letter = first === last ? 6 : 4;
    const rank = (closes >= 0 ? closes : letter) + bytes.length * 10;
    if (rank < bestRank) [best, bestRank] = [token, rank];
  }
  return best;
}

/** Whether the value, as JSON.stringify writes it, is one of our texts. */
function respelled({ freer }: OracleComparison, whole: string): boolean {
  try {
    const canonical = JSON.stringify(JSON.parse(whole));
    return canonical !== whole && finisher(freer)(new TextEncoder().encode(canonical)) === canonical;
  } catch {
    return false;
  }
}

/** The shortest text of ours that begins with some bytes; null when there is none. */
function finisher(strategy: Strategy): (bytes: Uint8Array) => string | null {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, strategy.build(expressions));
  return (bytes) => {
    automaton.begin();
    let state = automaton.start;
    for (const byte of bytes) state = automaton.step(state, byte);
    if (state === DEAD) return null;
    const rest = automaton.derivatives.shortest(automaton.expressionOf(state));
    return decoder.decode(Uint8Array.from([...bytes, ...rest]));
  };
}

/** Null for what is no UTF-8. */
function wellFormed(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function bytesOf(tokenizer: TokenBytes, tokens: readonly number[]): Uint8Array {
  return Uint8Array.from(tokens.flatMap((token) => [...tokenizer.tokenBytes(token)]));
}

function show(tokenizer: TokenBytes, before: readonly number[], token: number): string {
  return `${decoder.decode(bytesOf(tokenizer, before))}⟂${decoder.decode(tokenizer.tokenBytes(token))}`;
}
