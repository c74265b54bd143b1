/** Finds the text that must wait, because later text may exclude it from the answer. */

import type { RecordedMod } from "../format/format-request.ts";

/**
 * How many of the last tokens the mods of a request may remove. A mod that declared nothing may remove all if its source names an
 * action that removes text.
 */
export function tokensToHoldBack(
  mods: readonly RecordedMod[],
  mayTakeBack: readonly boolean[],
): number | "all" {
  let most = 0;
  for (const [place, { maxBacktrack }] of mods.entries()) {
    if (maxBacktrack === undefined && mayTakeBack[place]) return "all";
    most = Math.max(most, maxBacktrack ?? 0);
  }
  return most;
}

/** UTF-16 length of the text before a stop sequence, or before an end that may become a stop sequence. */
export function lengthBeforeStop(text: string, stops: readonly string[]): number {
  let length = text.length;
  for (const stop of stops) {
    const whole = text.indexOf(stop);
    if (whole >= 0) length = Math.min(length, whole);
    for (let size = Math.min(stop.length - 1, text.length); size > 0; size--) {
      if (!text.endsWith(stop.slice(0, size))) continue;
      length = Math.min(length, text.length - size);
      break;
    }
  }
  return length;
}

/**
 * UTF-16 length of the text before the place where a tool call may begin: every tool format begins its calls with one of these
 * characters, as in `<tool_call>`, `[name(…)]`, `{"name": …}`, or with a fence. White space before the place belongs to the call.
 */
export function lengthBeforeCalls(text: string): number {
  const at = text.search(/[<[{`]/);
  return (at < 0 ? text : text.slice(0, at)).trimEnd().length;
}

/** UTF-16 length of the common beginning of two texts, never ending inside a character. */
export function commonTextLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  const last = one.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
