import { createNodeEngine } from "midtoken/node";

const [model = "onnx-community/SmolLM2-135M-Instruct-ONNX", dtype = "q4"] = process.argv.slice(2);
const engine = await createNodeEngine({ model, dtype });
const source = `import { mod } from "midtoken/mod";
  export default mod({ added: ({ step }, actions) => (step === 2 ? actions.forceTokens(" Max") : undefined) });`;
await engine.mods.register({ name: "max", source });
const stream = await engine.chat.completions.create({
  model: `${engine.models.list()[0].id}/max`,
  messages: [{ role: "user", content: "Once upon a time" }],
  max_tokens: 40,
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? "");
engine.dispose();
