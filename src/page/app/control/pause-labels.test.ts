import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import type { Breakpoint, Pause } from "../../../runtime/session/shared/breakpoint.ts";
import { pauseSentence } from "./pause-labels.tsx";

const distribution = { entropy: 1, top: [] };

/** A run up to so many records, with its model. */
function paused(records: number, why: Pause["why"], isBetweenSteps = false): string {
  const run = createTraceBuilder(requestRecord({ mods: [{ name: "no-lily", source: "" }] }));
  run.prefill([
    { token: 1, text: "Once" },
    { token: 2, text: " upon" },
  ]);
  run.forward(distribution);
  run.sample({ token: 5, text: " Lily" }, {});
  run.call(0, "sampled", { type: "forceTokens", tokens: [6], text: " Max", cut: 0 });
  run.add([{ token: 6, text: " Max" }], "forced");
  run.backtrack(0, 1, 0);
  const trace = createTraceModel();
  trace.append(run.records.slice(0, records));
  return pauseSentence({ why, records, isBetweenSteps }, trace);
}

const met = (rule: object): Pause["why"] => ({
  type: "breakpoints",
  met: [{ id: "it", enabled: true, ...rule } as Breakpoint],
});

test.each<[number, Pause["why"], boolean, RegExp]>([
  [6, { type: "asked" }, true, /^Paused before token 2\.$/],
  [6, { type: "token" }, true, /^Paused before token 2\.$/],
  [2, { type: "asked" }, false, /^Paused while the model reads the prompt\.$/],
  [2, { type: "event" }, false, /^Paused\. The prompt \(2 tokens\) is ready\.$/],
  [3, { type: "event" }, false, /^Paused\. The model computed the probabilities for token 1\.$/],
  [4, { type: "event" }, false, /^Paused\. .*Lily.* is drawn as token 1, but not yet added\.$/],
  [5, { type: "event" }, false, /^Paused\. The mod no-lily replied to “sampled”: forced .*Max.*\.$/],
  [6, { type: "event" }, false, /^Paused\. .*Max.* is added: 1 token so far\.$/],
  [7, { type: "event" }, false, /^Paused\. 1 token is removed\.$/],
  [
    6,
    met({ type: "text", text: "Max" }),
    false,
    /^Paused at a breakpoint: .*Max.* appears in the answer\. .*Max.* is added: 1 token so far\.$/,
  ],
  [4, met({ type: "probability", below: 0.05 }), false, /a token with a probability below 5% is drawn\. /],
  [5, met({ type: "action", action: "forceTokens", mod: "no-lily" }), false, /: no-lily forces tokens\. /],
])("after %i records, because of %j: said in a sentence", (records, why, isBetweenSteps, sentence) => {
  expect(paused(records, why, isBetweenSteps)).toMatch(sentence);
});
