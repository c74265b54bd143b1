import { type MidtokenEngine, serializeMod } from "midtoken";

export async function askWithMod(engine: MidtokenEngine, source: string): Promise<string | null> {
  await engine.mods.register(serializeMod(source, { name: "my-mod" }));
  const model = engine.models.list()[0]?.id;
  const answer = await engine.chat.completions.create({
    model: `${model}/my-mod`,
    messages: [{ role: "user", content: "Once upon a time" }],
    temperature: 0,
    max_tokens: 24,
  });
  return answer.choices[0]?.message.content ?? null;
}
