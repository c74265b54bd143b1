import { createEngine } from "midtoken";

const form = document.querySelector("form") as HTMLFormElement;
const answer = document.querySelector("p") as HTMLParagraphElement;
const model = "onnx-community/SmolLM2-135M-Instruct-ONNX";
const engine = await createEngine({ model, sandboxUrl: "/sandbox.html" });
const source = `import { mod } from "midtoken/mod";
  export default mod({ added: ({ step }, actions) => (step === 2 ? actions.forceTokens(" Max") : undefined) });`;
await engine.mods.register({ name: "max", source });

form.onsubmit = async (event) => {
  event.preventDefault();
  const messages = [{ role: "user", content: String(new FormData(form).get("text")) }] as const;
  const asked = { model: `${model}/max`, messages, max_tokens: 40, stream: true } as const;
  answer.textContent = "";
  for await (const chunk of await engine.chat.completions.create(asked))
    answer.textContent += chunk.choices[0]?.delta.content ?? "";
};
for (const button of form.querySelectorAll("button")) button.disabled = false;
