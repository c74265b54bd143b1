import { createEngine, type EngineOptions } from "midtoken";

export async function chat(model: EngineOptions["model"], options: EngineOptions = {}): Promise<string> {
  const engine = await createEngine({
    model,
    onProgress: ({ stage, loadedBytes, totalBytes }) => console.log(stage, loadedBytes, totalBytes),
    ...options,
  });
  const chunks = await engine.chat.completions.create({
    model: engine.models.list()[0]?.id ?? "",
    messages: [{ role: "user", content: "Once upon a time" }],
    temperature: 0,
    max_tokens: 12,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  for await (const chunk of chunks) {
    text += chunk.choices[0]?.delta.content ?? "";
    if (chunk.usage) console.log(chunk.usage.completion_tokens);
  }
  engine.dispose();
  return text;
}
