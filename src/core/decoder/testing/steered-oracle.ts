/** Works out from a trace alone what a layered model has to have computed: which tokens were steered by what, and its logits. */
import type { TraceRecord, TraceVector } from "../../trace/format/format.ts";
import { sumByLayer } from "../activations/mod-vectors.ts";
import { type LayerStates, logitsOf, type SteeredToken, statesAfter } from "./layered-model.ts";

/** The values that a pass has to leave. */
export interface ExpectedPass {
  /** Place of its record. */
  readonly place: number;
  /** For each layer, at the last token. */
  readonly states: readonly Float32Array[];
  readonly logits: Float32Array;
}

interface Steered {
  readonly layer: number;
  readonly vector: Float32Array;
  readonly scale: number;
}

/** The hidden states and logits that each recorded pass with logits should have left, under the recorded steering. */
export function expectedPasses(records: readonly TraceRecord[]): ExpectedPass[] {
  const [request] = records;
  const caughtUp = request?.type === "request" ? (request.branch?.caughtUp ?? 0) : 0;
  const known = new Map<number, Float32Array>();
  const numbers = ({ digest, numbers: own }: TraceVector): Float32Array => {
    if (own && !known.has(digest)) known.set(digest, Float32Array.from(own));
    const found = known.get(digest);
    if (!found) throw new Error(`The trace does not have the vector ${digest}.`);
    return found;
  };
  const byMod = new Map<number, readonly Steered[]>();
  let patches = new Map<number, Float32Array>();
  let tokens: number[] = [];
  const text: SteeredToken[] = [];
  /** The states of each token of the text. */
  const states: LayerStates[] = [];
  const compute = (token: SteeredToken): void => {
    text.push(token);
    states.push(statesAfter(states, token));
  };
  const passes: ExpectedPass[] = [];
  for (const [place, record] of records.entries()) {
    // Mods that took part before the branch alone steer no more, and the others say again what they steer.
    if (place === caughtUp) byMod.clear();
    if (place === caughtUp) patches = new Map();
    switch (record.type) {
      case "prefilled":
        tokens = record.tokens.map(({ token }) => token);
        break;
      case "modCall":
        if (record.fault) byMod.delete(record.mod);
        else if (record.action.type === "steer")
          byMod.set(
            record.mod,
            record.action.vectors.map(({ layer, scale, vector }) => ({
              layer,
              scale,
              vector: numbers(vector),
            })),
          );
        else if (record.action.type === "patch")
          patches.set(record.action.layer, numbers(record.action.vector));
        break;
      case "added":
        tokens.push(...record.tokens.map(({ token }) => token));
        break;
      case "backtracked":
        tokens.length -= record.removed.length;
        text.length = Math.min(text.length, tokens.length);
        states.length = text.length;
        break;
      case "forwardPass": {
        const vectors = sumByLayer([...byMod.values()].flat());
        const end = record.before === null ? record.contextLength : tokens.length;
        for (const token of tokens.slice(text.length, end)) compute({ token, vectors });
        if (record.before === null) break;
        const last = patches.size > 0 ? text.pop() : undefined;
        if (last) {
          states.pop();
          compute({ ...last, patches: new Map([...(last.patches ?? []), ...patches]) });
        }
        patches = new Map();
        const lastStates = states.at(-1) ?? [];
        passes.push({ place, states: lastStates, logits: logitsOf(lastStates.at(-1) ?? new Float32Array()) });
      }
    }
  }
  return passes;
}
