/** Gallery: tools. */
import callATool from "../call-a-tool.ts?raw";
import weatherTool from "../weather-tool.ts?raw";
import { type Example, example, says } from "./example.ts";

export const tools: readonly Example[] = [
  example({
    name: "call-a-tool",
    title: "Call a tool",
    description: "Asks for the weather when the story goes outside.",
    source: callATool,
  }),
  example({
    name: "weather-tool",
    title: "Tool call from the question",
    description: "Answers a question about the weather with a tool call, before anything is computed.",
    source: weatherTool,
    suggestedPrompt: says("What is the weather in Paris today?"),
    model: "instruct",
    maxTokens: 32,
  }),
];
