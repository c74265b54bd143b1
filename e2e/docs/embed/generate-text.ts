import { generateText, Output, stepCountIs, tool } from "ai";
import type { MidtokenEngine } from "midtoken";
import { createMidtoken, readMidtokenMetadata } from "midtoken/ai-sdk";
import { z } from "zod";

const weather = tool({
  description: "The weather in a city",
  inputSchema: z.object({ city: z.enum(["Paris", "Rome"]) }),
  execute: async ({ city }) => (city === "Rome" ? "sunny" : "rainy"),
});

export async function askAboutWeather(engine: MidtokenEngine, model: string) {
  const { text, providerMetadata } = await generateText({
    model: createMidtoken(engine)(model),
    prompt: "What is the weather in Rome?",
    tools: { weather },
    stopWhen: stepCountIs(2),
  });
  const metadata = readMidtokenMetadata(providerMetadata);
  const link = metadata && (await engine.requests.permalink(metadata.requestId));
  return { text, did: metadata?.interventions, link };
}

export async function readPerson(engine: MidtokenEngine, model: string) {
  const { output } = await generateText({
    model: createMidtoken(engine)(model),
    prompt: "Ada was 36 years old.",
    output: Output.object({
      schema: z.object({ name: z.string().max(20), age: z.number().int().min(0).max(150) }),
    }),
  });
  return output;
}
