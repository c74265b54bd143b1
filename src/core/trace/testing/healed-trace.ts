/** A trace in which token healing completed the end of a text that a mod forced. */
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "./trace-builder.ts";

/**
 * Tokens 0 to 3: the mod "teacher" forces " of" and " Fran". Token healing takes " Fran" back, and the model chooses " France"
 * among the tokens that begin with the same characters; without healing, the model would have written "konia". Then the model
 * writes ".".
 */
export function modelWithHealing(): TraceModel {
  const mods = [{ name: "teacher", file: "teacher.ts", source: "", digest: 1 }];
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.prefill([{ token: 1, text: "The capital" }]);
  builder.forward({ entropy: 1, top: [] });
  builder.call(0, "forwardPass", { type: "forceTokens", tokens: [2, 3], text: " of Fran", cut: 0 });
  builder.add(
    [
      { token: 2, text: " of" },
      { token: 3, text: " Fran" },
    ],
    "forced",
  );
  builder.forward({ entropy: 1, top: [] });
  builder.backtrack(0, 1, 0);
  builder.forward({ entropy: 1, top: [] }, 0);
  builder.adjust({ entropy: 0.5, top: [] });
  const healed = { text: " Fran", tokens: 1, inPrompt: false };
  const token = { token: 4, text: " France" };
  builder.sample(token, { healed, logprobAfter: -0.05, counterfactual: { token: 5, text: "konia" } });
  builder.add([token], "sampled");
  builder.forward({ entropy: 1, top: [] });
  builder.sample({ token: 6, text: "." }, {});
  builder.add([{ token: 6, text: "." }], "sampled");
  builder.finish("stop");
  const model = createTraceModel();
  model.append(builder.records);
  return model;
}
