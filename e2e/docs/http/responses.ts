import type OpenAI from "openai";

export async function continueStory(client: OpenAI, model: string): Promise<string> {
  const first = await client.responses.create({
    model,
    instructions: "Tell a short story.",
    input: "Once upon a time",
    max_output_tokens: 20,
  });
  const second = await client.responses.create({
    model,
    previous_response_id: first.id,
    input: "And then?",
    max_output_tokens: 20,
  });
  return `${first.output_text} ${second.output_text}`;
}
