/**
 * The next forward pass, run while the mods are still asked whether the token that was just added may stay. Most mods answer
 * `added` with nothing, token after token. If a mod does answer, the pass is undone: tokens, trace and KV cache are as if the
 * pass had never run.
 *
 * Example: token 9 is sampled and added. While the mods are asked about the token, the pass that reads it runs. No mod acts, so
 * the logits of step 10 are ready. At token 30 a mod goes back: the KV cache forgets token 30 again.
 */

import type { DecodeState } from "./decode-state.ts";
import { reachedEnd } from "./ending.ts";
import { guessesFor } from "./speculation.ts";

/**
 * Whether the next pass may begin now: mods are being asked about the token, none of them has replied with an action for a
 * while, and the request continues.
 */
export function maySpeculate(state: DecodeState): boolean {
  const { ports, output, mods } = state;
  // A mod may reply to `added` by steering, which changes no token, but does change the next pass.
  if (state.activations) return false;
  if (ports.waitsForAdded || ports.signal?.aborted || state.source.isPast) return false;
  const asked = mods.filter(({ isStopped, host }) => !isStopped && host.handles.has("added"));
  if (asked.length === 0 || asked.some(({ idleStreak }) => idleStreak.answers < idleStreak.needed))
    return false;
  return ports.kvCache.length === output.sequence.length - 1 && reachedEnd(state) === null;
}

/** Runs the pass that reads the last token. Never rejects: `takeSpeculativePass` throws the model's error. */
export async function speculate(state: DecodeState): Promise<void> {
  const { kvCache, now } = state.ports;
  const startMs = now();
  const known = kvCache.length;
  const pass = { known, remembered: kvCache.remember() };
  state.speculation.pass = { ...pass, result: null, elapsedMs: 0 };
  const result = await kvCache.forward(state.output.sequence, now, 1, guessesFor(state)).then(
    (passResult) => ({ passResult, editableLogits: state.logits.factory.ofPass(passResult) }),
    (error: unknown) => ({ error }),
  );
  state.speculation.pass = { ...pass, result, elapsedMs: now() - startMs };
}
