/** Runs in which a mod asks the model questions, for tests. */
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";
import { banOfOne, createTraceBuilder, requestRecord, type TraceBuilder } from "./trace-builder.ts";

const token = (text: string, id = text.length) => ({ token: id, text });
const even = { entropy: 1, top: [] };
const mods = ["asker", "swap-name"].map((name) => ({ name, source: "" }));

/** Adds a question to the output: the tokens of its prompt, then the tokens that the model samples as its answer. */
function ask(builder: TraceBuilder, prompt: readonly string[], answers: readonly string[]): void {
  const put = { tokens: [1, 2], text: prompt.join(""), cut: 0 };
  builder.call(0, "forwardPass", { type: "forceTokens", ...put });
  builder.add(
    prompt.map((text) => token(text)),
    "forced",
    { mod: 0, hidden: true },
  );
  for (const answer of answers) choose(builder, answer, true);
}

function choose(builder: TraceBuilder, text: string, hidden = false): void {
  builder.forward(even);
  builder.call(0, "forwardPass", banOfOne);
  builder.adjust(even);
  builder.sample(token(text), { counterfactual: token(" the") });
  builder.add([token(text)], "sampled", { hidden });
}

function removeAndPut(builder: TraceBuilder, mod: number, count: number, texts: readonly string[]): void {
  const put = { tokens: texts.map((_, place) => place), text: texts.join(""), cut: 0 };
  builder.call(mod, "added", { type: "backtrack", count, ...put });
  builder.backtrack(mod, count, texts.length);
  if (texts.length > 0)
    builder.add(
      texts.map((text) => token(text)),
      "reinjected",
      { mod },
    );
}

/** "Once", the question " Mood:" whose answer stays, the question " Who:" that leads to " Good.", and " Tom" replaced by " Max". */
export function modelWithQuestions(): TraceModel {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.prefill([token("x")]);
  builder.forward(even);
  builder.sample(token("Once"), {});
  builder.add([token("Once")], "sampled");
  ask(builder, [" Mood", ":"], [" happy"]);
  removeAndPut(builder, 0, 3, [" happy"]);
  ask(builder, [" Who:"], [" a", " cat"]);
  removeAndPut(builder, 0, 3, [" Good."]);
  builder.forward(even);
  builder.sample(token(" Tom"), {});
  builder.add([token(" Tom")], "sampled");
  removeAndPut(builder, 1, 1, [" Max"]);
  builder.add([token("", 2)], "forced", { mod: 0, isEos: true });
  return modelOf(builder);
}

/** A JSON text whose value the model chose; the mod then puts the same text into the output, in other tokens. */
export function modelWithRepeatedAnswer(): TraceModel {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.prefill([token("x")]);
  const name = { tokens: [1], text: '{"age":', cut: 0 };
  builder.call(0, "forwardPass", { type: "forceTokens", ...name });
  builder.add([token('{"age":')], "forced", { mod: 0 });
  choose(builder, "7");
  builder.call(0, "forwardPass", { type: "forceTokens", tokens: [3], text: "}", cut: 0 });
  builder.add([token("}")], "forced", { mod: 0 });
  builder.call(0, "added", { type: "forceOutput", tokens: [1, 2, 3, 4], text: '{"age":7}', cut: 0 });
  builder.backtrack(0, 3, 4);
  builder.add(
    ['{"', 'age":', "7", "}"].map((text) => token(text)),
    "forced",
    { mod: 0 },
  );
  return modelOf(builder);
}

function modelOf(builder: TraceBuilder): TraceModel {
  const model = createTraceModel();
  model.append(builder.finish("forced").records);
  return model;
}
