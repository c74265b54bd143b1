import { createEngine } from "midtoken";

const model = "onnx-community/SmolLM2-135M-Instruct-ONNX";
const button = document.querySelector("button") as HTMLButtonElement;
const text = document.querySelector("p") as HTMLParagraphElement;
// The model loads with the page. A click that comes earlier waits.
const loading = createEngine({ model });

button.onclick = async () => {
  button.disabled = true;
  text.textContent = "Loading the model …";
  try {
    const engine = await loading;
    const messages = [{ role: "user", content: "Tell me a story." }] as const;
    const stream = await engine.chat.completions.create({ model, messages, max_tokens: 60, stream: true });
    text.textContent = "";
    for await (const chunk of stream) text.textContent += chunk.choices[0]?.delta.content ?? "";
  } catch (error) {
    text.textContent = String(error);
  }
  button.disabled = false;
};
