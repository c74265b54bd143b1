import { createNodeEngine } from "midtoken/node";

const [model = "onnx-community/SmolLM2-135M-Instruct-ONNX"] = process.argv.slice(2);
const engine = await createNodeEngine({ model });
const [loaded] = engine.models.list();
const stream = await engine.chat.completions.create({
  model: loaded.id,
  messages: [{ role: "user", content: "Once upon a time" }],
  max_tokens: 40,
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? "");
engine.dispose();
