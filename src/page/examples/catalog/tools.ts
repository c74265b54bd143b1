/** Gallery: tools. */
import airlineAgent from "../airline-agent.ts?raw";
import anyTool from "../any-tool.ts?raw";
import callATool from "../call-a-tool.ts?raw";
import toolRouter from "../tool-router.ts?raw";
import weatherTool from "../weather-tool.ts?raw";
import { createToolDefinition, type Example, example, oneUserMessage } from "./example.ts";

export const toolExamples: readonly Example[] = [
  example({
    name: "call-a-tool",
    title: "Call a tool",
    description: "Calls a weather tool when the story mentions a park, a beach or a garden.",
    source: callATool,
  }),
  example({
    name: "weather-tool",
    title: "Tool call from the question",
    description: "Answers a question about the weather with a tool call, before the model reads the prompt.",
    source: weatherTool,
    suggestedPrompt: oneUserMessage("What is the weather in Paris today?"),
    model: "instruct",
    maxTokens: 32,
  }),
  example({
    name: "tool-router",
    title: "Tool router",
    description:
      "Asks which tool and which city a question needs, then calls the tool or lets the model answer.",
    source: toolRouter,
    suggestedPrompt: oneUserMessage("Will it rain in Paris tomorrow?"),
    model: "instruct",
    maxTokens: 200,
  }),
  example({
    name: "any-tool",
    title: "Call any tool",
    description: "Reads the tools of the request, and lets the model choose one and fill in its arguments.",
    source: anyTool,
    suggestedPrompt: oneUserMessage("Please send a mail to anna@example.com about the picnic on Sunday."),
    tools: [
      createToolDefinition("send_mail", "Send a mail", {
        to: { type: "string", maxLength: 30 },
        subject: { type: "string", maxLength: 40 },
      }),
      createToolDefinition("play_music", "Play music", { artist: { type: "string", maxLength: 30 } }),
    ],
    model: "instruct",
    maxTokens: 160,
  }),
  example({
    name: "airline-agent",
    title: "Airline agent",
    description:
      "Finds out what a customer wants, looks up the booking, and cancels it or hands over to a person.",
    source: airlineAgent,
    suggestedPrompt: oneUserMessage("Please cancel my booking ABC123."),
    model: "instruct",
    maxTokens: 120,
  }),
];
