/** One entry of the gallery: a complete mod with the prompt and settings that show what it does. */
import type { Message, ToolDefinition } from "midtoken/mod";

export interface Example {
  /** File name without its ending; a mod's name in the model string. */
  readonly name: string;
  readonly title: string;
  /** One plain sentence. */
  readonly description: string;
  /** TypeScript, as written. */
  readonly source: string;
  /** A prompt that shows the effect. */
  readonly suggestedPrompt: readonly Message[];
  /** The bundled story model, or any instruct model. */
  readonly model: "bundled" | "instruct";
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
  /** Offered with the request; none unless given. */
  readonly tools: readonly ToolDefinition[];
  /** JSON Schema that the client wants the answer to be valid for: its response format. Free text unless given. */
  readonly schema: Readonly<Record<string, unknown>> | null;
}

/** A gallery entry. The defaults suit most entries: the story model, its usual beginning, temperature 0, no tools. */
export function example(
  given: Pick<Example, "name" | "title" | "description" | "source"> & Partial<Example>,
): Example {
  return {
    suggestedPrompt: oneUserMessage("Once upon a time"),
    model: "bundled",
    maxTokens: 64,
    temperature: 0,
    seed: 7,
    tools: [],
    schema: null,
    ...given,
  };
}

export function oneUserMessage(content: string): readonly Message[] {
  return [{ role: "user", content }];
}

/** A tool whose arguments are all required. */
export function createToolDefinition(
  name: string,
  description: string,
  properties: Readonly<Record<string, object>>,
): ToolDefinition {
  const required = Object.keys(properties);
  const parameters = { type: "object", properties, required, additionalProperties: false };
  return { type: "function", function: { name, description, parameters } };
}

export const skyBluePrompt = oneUserMessage("Is the sky blue? Answer yes or no.");

/** Two turns show a small model how to reason between <think> and </think>; it does the third by itself. */
export const reasoningPrompt: readonly Message[] = [
  { role: "user", content: "What is the capital of France?" },
  {
    role: "assistant",
    content:
      "<think>The user asks about France. Its capital is Paris.</think>\nIt is Paris. Paris is on the river Seine.",
  },
  { role: "user", content: "Is the sun cold?" },
  {
    role: "assistant",
    content: "<think>The sun is a star. Stars are very hot.</think>\nNo, it is hot. The sun is a star.",
  },
  { role: "user", content: "What is the capital of Italy?" },
];

/** A conversation that teaches the model to love em dashes. */
export const emDashPrompt: readonly Message[] = [
  { role: "user", content: "Write about the sun." },
  { role: "assistant", content: "The sun — our star — is hot." },
  { role: "user", content: "Write about the moon." },
  { role: "assistant", content: "The moon — our neighbour — is cold." },
  { role: "user", content: "Write about the sea." },
];
