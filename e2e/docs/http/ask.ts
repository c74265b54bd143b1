import OpenAI from "openai";

export async function ask(model: string, baseURL = `${location.origin}/v1`): Promise<string> {
  const client = new OpenAI({ apiKey: "none", baseURL, dangerouslyAllowBrowser: true });
  const stream = await client.chat.completions.create({
    model,
    messages: [{ role: "user", content: "Once upon a time" }],
    max_tokens: 12,
    temperature: 0,
    stream: true,
  });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}
