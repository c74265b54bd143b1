import { createEngine } from "midtoken";

const model = "onnx-community/SmolLM2-135M-Instruct-ONNX";
const engine = await createEngine({ model, onProgress: console.log });
const answer = await engine.chat.completions.create({
  model,
  messages: [{ role: "user", content: "Tell me a story." }],
});
console.log(answer.choices[0]?.message.content);
