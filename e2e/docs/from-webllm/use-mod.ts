import type { MidtokenEngine } from "midtoken";
import { fewNames } from "./logit-processor.ts";

export async function storyWithFewNames(engine: MidtokenEngine, model: string): Promise<string | null> {
  engine.mods.registerTrusted(fewNames, { name: "few-names" });
  const answer = await engine.chat.completions.create({
    model: `${model}/few-names`,
    messages: [{ role: "user", content: "Once upon a time" }],
    temperature: 0,
    max_tokens: 60,
  });
  return answer.choices[0]?.message.content ?? null;
}
