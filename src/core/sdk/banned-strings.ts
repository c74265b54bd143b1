/**
 * The request setting `banned_strings`: phrases that must not appear in the output, in upper or lower case. A mod enforces the
 * setting, so that trace, replay and branches treat it like any other mod.
 */
import { banningModMark, isBanningMod } from "./built-in.ts";

/** The name of the mod in a trace. */
export const banningModName = "banned_strings";

/** The source of the mod that bans these phrases. */
export function banningModSource(phrases: readonly string[]): string {
  const longest = Math.max(...phrases.map((phrase) => new TextEncoder().encode(phrase).length));
  return modSource.replace("PHRASES", () => JSON.stringify(phrases)).replace("LONGEST", String(longest));
}

/** The mods of a request without the banned-strings mod, and the phrases that this mod bans. */
export function separateBanningMod<Mod extends { readonly name: string; readonly source: string }>(
  mods: readonly Mod[],
): { readonly mods: readonly Mod[]; readonly phrases: readonly string[] } {
  const last = mods.at(-1);
  const phrases = last && isBanningMod(last) ? phrasesIn(last.source) : null;
  if (phrases === null) return { mods, phrases: [] };
  return { mods: mods.slice(0, -1), phrases };
}

/** Null if the source is not a banned-strings mod, or somebody changed it. */
function phrasesIn(source: string): readonly string[] | null {
  const [, written] = /^const phrases = \((\[.*\]) as readonly string\[\]\)/m.exec(source) ?? [];
  if (written === undefined) return null;
  try {
    const phrases: unknown = JSON.parse(written);
    const isList = Array.isArray(phrases) && phrases.every((phrase) => typeof phrase === "string");
    return isList && banningModSource(phrases) === source ? phrases : null;
  } catch {
    return null;
  }
}

const modSource = `${banningModMark}
import { mod, requestState } from "midtoken/mod";

// The request's banned_strings. This mod removes each banned phrase, and bans the first token of the phrase at this place.
const phrases = (PHRASES as readonly string[]).map((phrase) => phrase.toLowerCase());
/** In bytes: a phrase has no more tokens than bytes. */
const longest = LONGEST;
const banned = requestState(() => new Map<number, number[]>());
/** The most tokens so far, and the step after the last token that a mod added. */
const state = requestState(() => ({ most: 0, forced: 0 }));

function forget(step: number): void {
  for (const place of banned.current.keys()) if (place > step) banned.current.delete(place);
  state.current.forced = Math.min(state.current.forced, step);
}

export default mod({
  maxBacktrack: longest,
  topK: 0,
  forwardPass(event, actions) {
    const ban = event.hidden ? undefined : banned.current.get(event.step);
    if (ban) return actions.adjustLogits({ ban });
  },
  added(event, actions, tokenizer) {
    if (event.hidden) return;
    state.current.most = Math.max(state.current.most, event.step);
    if (event.forced) state.current.forced = event.step;
    if (event.forced || event.text === "") return;
    const { text, tokens } = event.output;
    for (const phrase of phrases) {
      const recent = text.slice(-(phrase.length + event.text.length)).toLowerCase();
      if (!recent.includes(phrase)) continue;
      let count = 1;
      while (count < longest && !tokenizer.decode(tokens.slice(-count)).toLowerCase().includes(phrase)) count += 1;
      // Text that a mod added stays, and so does text that a stream may have sent.
      const first = Math.max(event.step - count, state.current.forced, state.current.most - longest);
      const token = tokens[first];
      if (token === undefined) continue;
      banned.current.set(first, [...(banned.current.get(first) ?? []), token]);
      return actions.backtrack(event.step - first);
    }
  },
  backtracked(event) {
    if (!event.hidden) forget(event.step);
  },
});
`;
