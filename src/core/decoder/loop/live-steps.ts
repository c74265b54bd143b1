/** Steps that are computed now: the model gives logits, and the sampler chooses. */
import type { DecodeState, NextStep, StepSource } from "./decode-state.ts";

const compute: NextStep = { type: "compute", countsAsPass: null, scoredFrom: 0, token: null };

export const liveSteps: StepSource = {
  connect: (ports) => ports,
  isPast: false,
  leavesCacheAlone: false,
  hasSteering: false,
  recordedTopK: 0,
  async start({ recorder, limits }: DecodeState) {
    recorder.request(limits.budget, null);
    return { type: "prompt" };
  },
  ask: ({ host }, event, score) => host.ask(event, score),
  nextStep: async () => compute,
  recordedCall: () => null,
  isKnownToContinue: false,
  nextChoice: () => null,
  nextHealing: () => null,
  counterfactualToken: null,
  tokensToPreserve: (tokens) => tokens,
  overrules: false,
  failsEdit: () => false,
  endSteps() {},
  stop() {},
  checkedEnding: (ending) => ending,
};
