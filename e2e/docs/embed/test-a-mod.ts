import { mod } from "midtoken/mod";
import { createScriptedModel, createTestEngine, runMod } from "midtoken/testing";

const max = mod({
  sampled(event, actions) {
    if (event.text === " Lily.") return actions.forceTokens(" Max.");
  },
});

// The model's answer with its probabilities: each text is one token.
const model = createScriptedModel({
  script: ["There", " was", { " a": 0.9, " one": 0.1 }, " girl", " named", " Lily."],
  vocabulary: [" Max."],
});

export async function runAlone() {
  const { text, forced } = await runMod(max, { model, prompt: "Tell me a story." });
  return { text, forced };
}

export async function runInAnEngine() {
  const engine = await createTestEngine({ models: model, mods: { max } });
  const answer = await engine.chat.completions.create({
    model: "scripted/max",
    messages: [{ role: "user", content: "Tell me a story." }],
    temperature: 0,
  });
  engine.dispose();
  return answer.choices[0]?.message.content;
}
