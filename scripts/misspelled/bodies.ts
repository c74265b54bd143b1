/** The bodies of HTTP requests, with every object in them. */
import { providerOptionsToFields } from "../../src/package/ai-sdk/provider-options.ts";
import { readEmbeddingRequest } from "../../src/package/api/embeddings/read-embedding-request.ts";
import { readChatRequest } from "../../src/package/api/read-chat-request.ts";
import { readTextRequest } from "../../src/package/api/read-text-request.ts";
import { readResponseRequest } from "../../src/package/api/responses/read-request.ts";
import { called, type Json, type Place, user } from "./place.ts";

const chat = (body: Json) => readChatRequest({ model: "m", messages: [user], ...body });
const tool = { type: "function", function: { name: "f" } };
const earlier = { item: () => undefined, conversation: () => [] };
const response = (body: Json) => readResponseRequest({ model: "m", input: "Hello", ...body }, earlier);
const functionCall = { type: "function_call", call_id: "1", name: "f", arguments: "{}" };
const functionOutput = { type: "function_call_output", call_id: "1", output: "a" };
const schemaFormat = { type: "json_schema", name: "a", schema: {} };

const chatPlaces: readonly Place[] = [
  { what: "chat request", path: "", read: chat },
  { what: "message", path: "messages[0]", read: (extra) => chat({ messages: [{ ...user, ...extra }] }) },
  {
    what: "content part",
    path: "messages[0].content[0]",
    read: (extra) => chat({ messages: [{ role: "user", content: [{ type: "text", text: "a", ...extra }] }] }),
  },
  {
    what: "tool call",
    path: "messages[0].tool_calls[0]",
    read: (extra) => chat({ messages: [{ role: "assistant", tool_calls: [{ ...called, ...extra }] }] }),
  },
  {
    what: "called function",
    path: "messages[0].tool_calls[0].function",
    read: (extra) =>
      chat({
        messages: [
          { role: "assistant", tool_calls: [{ ...called, function: { ...called.function, ...extra } }] },
        ],
      }),
  },
  { what: "tool", path: "tools[0]", read: (extra) => chat({ tools: [{ ...tool, ...extra }] }) },
  {
    what: "function",
    path: "tools[0].function",
    read: (extra) => chat({ tools: [{ ...tool, function: { name: "f", ...extra } }] }),
  },
  {
    what: "tool choice",
    path: "tool_choice",
    read: (extra) => chat({ tools: [tool], tool_choice: { ...tool, ...extra } }),
  },
  {
    what: "response format",
    path: "response_format",
    read: (extra) => chat({ response_format: { type: "json_object", ...extra } }),
  },
  {
    what: "JSON schema",
    path: "response_format.json_schema",
    read: (extra) =>
      chat({ response_format: { type: "json_schema", json_schema: { name: "a", schema: {}, ...extra } } }),
  },
  {
    what: "stream options",
    path: "stream_options",
    read: (extra) => chat({ stream: true, stream_options: extra }),
  },
  {
    what: "template variables",
    path: "chat_template_kwargs",
    read: (extra) => chat({ chat_template_kwargs: extra }),
  },
  { what: "midtoken's fields", path: "midtoken", read: (extra) => chat({ midtoken: extra }) },
  {
    what: "deadlines",
    path: "midtoken.deadlines",
    read: (extra) => chat({ midtoken: { deadlines: extra } }),
  },
  { what: "text request", path: "", read: (extra) => readTextRequest({ model: "m", prompt: "a", ...extra }) },
  {
    what: "provider options",
    path: "providerOptions.midtoken",
    read: (extra) => providerOptionsToFields({ midtoken: extra as never }),
  },
];

const responsePlaces: readonly Place[] = [
  { what: "response request", path: "", read: response },
  { what: "input message", path: "input[0]", read: (extra) => response({ input: [{ ...user, ...extra }] }) },
  {
    what: "input part",
    path: "input[0].content[0]",
    read: (extra) =>
      response({ input: [{ role: "user", content: [{ type: "input_text", text: "a", ...extra }] }] }),
  },
  {
    what: "input function call",
    path: "input[0]",
    read: (extra) => response({ input: [{ ...functionCall, ...extra }, functionOutput] }),
  },
  {
    what: "input function output",
    path: "input[1]",
    read: (extra) => response({ input: [functionCall, { ...functionOutput, ...extra }] }),
  },
  {
    what: "input reasoning",
    path: "input[0]",
    read: (extra) => response({ input: [{ type: "reasoning", summary: [], ...extra }, user] }),
  },
  {
    what: "tool of a response request",
    path: "tools[0]",
    read: (extra) => response({ tools: [{ type: "function", name: "f", ...extra }] }),
  },
  {
    what: "tool choice of a response request",
    path: "tool_choice",
    read: (extra) =>
      response({
        tools: [{ type: "function", name: "f" }],
        tool_choice: { type: "function", name: "f", ...extra },
      }),
  },
  { what: "text of a response request", path: "text", read: (extra) => response({ text: extra }) },
  {
    what: "format of a response request",
    path: "text.format",
    read: (extra) => response({ text: { format: { ...schemaFormat, ...extra } } }),
  },
  {
    what: "reasoning of a response request",
    path: "reasoning",
    read: (extra) => response({ reasoning: extra }),
  },
  {
    what: "midtoken's fields of a response request",
    path: "midtoken",
    read: (extra) => response({ midtoken: extra }),
  },
  {
    what: "stream options of a response request",
    path: "stream_options",
    read: (extra) => response({ stream: true, stream_options: extra }),
  },
  {
    what: "embedding request",
    path: "",
    read: (extra) => readEmbeddingRequest({ model: "m", input: "a", ...extra }),
  },
];

export const bodyPlaces: readonly Place[] = [...chatPlaces, ...responsePlaces];
