import { expect, test } from "vitest";
import type { TraceBranch } from "../../core/trace/format/format-request.ts";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../core/trace/testing/trace-builder.ts";
import { changedModsLabels } from "./branch-labels.ts";

/** Three tokens with a pass each. The mod "shout" continues a run of an older version of it. */
function words(branch: Partial<TraceBranch> | null) {
  const mod = { name: "shout", source: "new" };
  const run = createTraceBuilder(
    requestRecord({
      mods: [mod, { ...mod, source: "old" }],
      branch: branch && {
        requestId: "r",
        index: 2,
        isChosen: false,
        caughtUp: 6,
        parentMods: 1,
        difference: null,
        ...branch,
      },
    }),
  );
  run.prefill([{ token: 1, text: "One" }]);
  for (const text of [" a", " b", " c"]) {
    run.forward({ entropy: 1, top: [] });
    run.add([{ token: 2, text }], "sampled");
  }
  const trace = createTraceModel();
  trace.append(run.finish("length").records);
  return changedModsLabels(trace);
}
const difference = {
  record: 4,
  mod: 0,
  now: "did nothing",
  recorded: 'replied with forceTokens "\u202eMax"',
};

test.each<[string, Partial<TraceBranch> | null, ReturnType<typeof words>]>([
  ["no branch", null, null],
  ["a branch with the same mods", { caughtUp: 0 }, null],
  ["a branch before the prompt", { caughtUp: 1 }, null],
  [
    "no difference",
    {},
    {
      sentence: "Up to token 2, these mods would have acted the same way.",
      detail: "",
      index: null,
    },
  ],
  [
    "no token yet",
    { index: 0 },
    {
      sentence: "Up to the prompt, these mods would have acted the same way.",
      detail: "",
      index: null,
    },
  ],
  [
    "another answer, at the step of the next token",
    { difference },
    {
      sentence: "The mod “shout” would have acted differently at token 2.",
      detail:
        'At “forwardPass”, the mod did nothing; in the recorded run, it replied with forceTokens "�Max".',
      index: 1,
    },
  ],
  [
    "a mod that is gone",
    { difference: { ...difference, mod: 1, now: "is not part of the new run" } },
    {
      sentence:
        "In the recorded run, “shout (parent run)” acted at token 2, but this mod is not part of the new run.",
      detail: 'At “forwardPass”, the mod replied with forceTokens "�Max".',
      index: 1,
    },
  ],
])("%s", (_, branch, expected) => {
  expect(words(branch)).toEqual(expected);
});
