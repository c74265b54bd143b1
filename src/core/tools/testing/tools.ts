/** Tools for tests, with schemas that allow only short values, so that every model reaches the end of its answer. */
import type { ToolDefinition } from "../../sdk/request.ts";

export const tools: readonly ToolDefinition[] = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Weather at a place",
      parameters: {
        type: "object",
        properties: {
          city: { type: "string", minLength: 1, maxLength: 8 },
          unit: { enum: ["celsius", "fahrenheit"] },
          days: { type: "integer", minimum: 1, maximum: 14 },
        },
        required: ["city", "unit"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "set-lights",
      parameters: {
        type: "object",
        properties: {
          on: { type: "boolean" },
          scene: { type: ["string", "null"], maxLength: 5 },
          rooms: { type: "array", items: { enum: ["hall", "attic"] }, minItems: 1, maxItems: 2 },
          where: {
            type: "object",
            properties: { dim: { type: "boolean" }, level: { type: "integer", minimum: 0, maximum: 9 } },
            required: ["dim"],
            additionalProperties: false,
          },
        },
        required: ["on", "rooms"],
        additionalProperties: false,
      },
    },
  },
  { type: "function", function: { name: "stop" } },
];

export const [weather] = tools as [ToolDefinition, ...ToolDefinition[]];
