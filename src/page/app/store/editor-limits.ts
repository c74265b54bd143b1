/**
 * The limits of the editor, for every source: the user's typing, a workspace file, a link, a fork of a run, and the browser's storage
 * when the page starts. A change is counted before it is made, so the editor can always open what it saved.
 */
import { measureJson } from "../../../core/base/json-bounds.ts";
import { formatCount } from "../../../core/base/number-text.ts";
import type { UnboundedTextSettings } from "./persist.ts";
import type { NewTurn } from "./turns.ts";

export const editorLimits = {
  turns: 200,
  /** Tool calls of all turns together. */
  calls: 200,
  /** Stop sequences: as many as a request takes. */
  stops: 64,
  /** Banned texts: as many as a request takes. */
  bans: 256,
  /** Characters of all turns together. The same limit holds for the settings. */
  characters: 500_000,
  /** Depth of lists and objects in tools and in a response format: indented, a depth of n takes n² characters. */
  depth: 100,
  mods: 1_000,
} as const;

/** Why the editor does not take so many mods together; null if it does. */
export function modsProblem(count: number): string | null {
  if (count <= editorLimits.mods) return null;
  return `With these, you would have ${formatCount(count)} mods, but the limit is ${formatCount(editorLimits.mods)}: delete mods that you do not need.`;
}

/** Why the editor does not take the turns, in a sentence that begins with `whose`, for example "The prompt has"; null if it does. */
export function turnsProblem(turns: readonly NewTurn[], whose: string): string | null {
  if (turns.length > editorLimits.turns) return refusal(whose, turns.length, "turns", editorLimits.turns);
  const calls = turns.reduce((sum, turn) => sum + (turn.calls?.length ?? 0), 0);
  if (calls > editorLimits.calls) return refusal(whose, calls, "tool calls", editorLimits.calls);
  const characters = turns.reduce((sum, turn) => sum + charactersOf(turn), 0);
  if (characters > editorLimits.characters)
    return refusal(whose, characters, "characters", editorLimits.characters);
  return null;
}

function charactersOf({ text, calls = [], callId = "" }: NewTurn): number {
  return calls.reduce(
    (sum, call) => sum + call.id.length + call.name.length + call.arguments.length,
    text.length + callId.length,
  );
}

/** Why the editor does not take the settings, in a sentence that begins with `whose`; null if it does. */
export function settingsProblem(
  { stop, bannedStrings = [], answer }: UnboundedTextSettings,
  whose: string,
): string | null {
  if (stop.length > editorLimits.stops)
    return refusal(whose, stop.length, "stop sequences", editorLimits.stops);
  if (bannedStrings.length > editorLimits.bans)
    return refusal(whose, bannedStrings.length, "banned texts", editorLimits.bans);
  const texts = [answer.schema, answer.tools, answer.toolChoice];
  const characters = [...stop, ...bannedStrings, ...texts].reduce((sum, { length }) => sum + length, 0);
  if (characters > editorLimits.characters)
    return refusal(whose, characters, "characters", editorLimits.characters);
  const depth = Math.max(...texts.map((text) => measureJson(text).depth));
  if (depth > editorLimits.depth)
    return refusal(whose, depth, "levels of nested lists or objects", editorLimits.depth);
  return null;
}

function refusal(whose: string, count: number, noun: string, most: number): string {
  return `${whose} ${formatCount(count)} ${noun}, but the limit is ${formatCount(most)}.`;
}
