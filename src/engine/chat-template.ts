/** From a conversation to the tokens that the model reads. */
import { Template } from "@huggingface/jinja";
import { runToEnd, type Steps } from "../base/steps.ts";
import type { Message, TokenId, ToolDefinition } from "../sdk/request.ts";
import type { JsonObject, ModelTokenizer } from "../tokenizer/create-tokenizer.ts";
import { tokenName } from "./files.ts";
import { ModelFileError } from "./model-file-error.ts";
import { PromptError } from "./prompt-error.ts";
import { encodeWithin } from "./prompt-length.ts";
import { templateText } from "./reasoning-marks.ts";
import { type Thinking, thinkingAtEnd, thinkingOf } from "./thinking.ts";

export interface PromptFormatter {
  /** Has the model a chat template? Without one, the messages' texts are joined. */
  readonly chatTemplate: boolean;
  /** How the model thinks before it answers; null where nothing says that it does. */
  readonly thinking: Thinking | null;
  /** The prompt as text, before it is read as tokens. @throws PromptError */
  render(messages: readonly Message[], tools?: readonly ToolDefinition[], thinks?: boolean): string;
  /**
   * The prompt as tokens, at least one. When the last message is the assistant's, the prompt ends with its text and the
   * answer continues it.
   * @param thinks turns the model's thinking on or off, where its template has a switch for it; as the template has it unless given.
   * @param mostTokens that the prompt may have; any number unless given.
   * @throws PromptError when the template refuses the conversation, or nothing is left of it, or it is much too long.
   */
  format(
    messages: readonly Message[],
    tools?: readonly ToolDefinition[],
    thinks?: boolean,
    mostTokens?: number,
  ): TokenId[];
  /** The same as `format`, in steps: a long prompt takes a second or more. */
  formatInSteps(...asked: Parameters<PromptFormatter["format"]>): Steps<TokenId[]>;
  /** Where the prompt of `format` leaves the model's reasoning; "over" for models that do not think. @throws PromptError */
  reasoningAt(
    messages: readonly Message[],
    tools?: readonly ToolDefinition[],
    thinks?: boolean,
  ): "begun" | "over" | "free";
  /** The messages' texts joined, as they are, whatever the template says. @throws PromptError when nothing is in them. */
  formatRaw(messages: readonly Message[], mostTokens?: number): Steps<TokenId[]>;
}

/** Special tokens that templates may name. */
const tokenVariables = [
  "bos_token",
  "eos_token",
  "unk_token",
  "sep_token",
  "pad_token",
  "cls_token",
  "mask_token",
];

/** @throws ModelFileError when the model's template is no Jinja that can be read. */
export function createPromptFormatter(
  tokenizerConfig: JsonObject,
  tokenizer: ModelTokenizer,
): PromptFormatter {
  const templates = compile(tokenizerConfig.chat_template);
  const variables = Object.fromEntries(
    tokenVariables.flatMap((key) => {
      const name = tokenName(tokenizerConfig[key]);
      return name === null ? [] : [[key, name]];
    }),
  );
  const renderWith = (
    messages: readonly Message[],
    tools: readonly ToolDefinition[],
    switches: Readonly<Record<string, boolean>>,
  ): string => {
    if (templates === null) return messages.map(textOf).join("");
    const continued = continuedText(messages);
    const template = (tools.length > 0 ? templates.get("tool_use") : undefined) ?? templates.get("default");
    if (!template) throw new PromptError("The model has several chat templates and none is the default one.");
    const turns = continued === null ? messages : messages.slice(0, -1);
    try {
      const prompt = template.render({
        messages: turns.map(templateMessage),
        add_generation_prompt: true,
        tools: tools.length > 0 ? structuredClone(tools) : null,
        documents: null,
        ...switches,
        ...variables,
      });
      return prompt + (continued ?? "");
    } catch (cause) {
      throw new PromptError(
        `The model's chat template refuses the conversation: ${(cause as Error).message}`,
        { cause },
      );
    }
  };
  const thinking =
    templates &&
    thinkingOf({
      template: templateText(tokenizerConfig.chat_template),
      render: (switches) => renderWith([{ role: "user", content: "Hi" }], [], switches),
      tokenizer,
    });
  const render: PromptFormatter["render"] = (messages, tools = [], thinks = undefined) => {
    const variable = thinks === undefined ? null : thinking?.variable;
    return renderWith(messages, tools, variable ? { [variable]: thinks === true } : {});
  };
  function* formatRaw(messages: readonly Message[], mostTokens?: number): Steps<TokenId[]> {
    return something(yield* plainPrompt(messages.map(textOf).join(""), tokenizer, mostTokens));
  }
  const formatInSteps: PromptFormatter["formatInSteps"] = function* (messages, tools, thinks, mostTokens) {
    if (templates === null) return yield* formatRaw(messages, mostTokens);
    const text = render(messages, tools, thinks);
    const encode = (part: string) => tokenizer.encodeInSteps(part, "template");
    return something(yield* encodeWithin(text, encode, mostTokens));
  };
  return {
    chatTemplate: templates !== null,
    thinking,
    render,
    format: (...asked) => runToEnd(formatInSteps(...asked)),
    formatInSteps,
    reasoningAt(messages, tools, thinks) {
      if (!thinking) return "over";
      return thinkingAtEnd(render(messages, tools, thinks), continuedText(messages) ?? "", thinking);
    },
    formatRaw,
  };
}

/** What a loaded model has of its formatter. */
export interface Prompts {
  /** The conversation as the model reads it. @throws PromptError when its template refuses it. */
  readonly formatPrompt: PromptFormatter["format"];
  readonly formatPromptInSteps: PromptFormatter["formatInSteps"];
  /** The messages' texts as they are, without a template. @throws PromptError when they are empty. */
  readonly formatRawPrompt: PromptFormatter["formatRaw"];
  readonly thinking: PromptFormatter["thinking"];
  readonly reasoningAt: PromptFormatter["reasoningAt"];
}

export function promptsOf(formatter: PromptFormatter): Prompts {
  const { format, formatInSteps, formatRaw, thinking, reasoningAt } = formatter;
  return {
    formatPrompt: format,
    formatPromptInSteps: formatInSteps,
    formatRawPrompt: formatRaw,
    thinking,
    reasoningAt,
  };
}

function something(tokens: TokenId[]): TokenId[] {
  if (tokens.length > 0) return tokens;
  throw new PromptError("The conversation is empty: write a message first.");
}

/** Templates by name; a single one is "default". */
function compile(value: unknown): ReadonlyMap<string, Template> | null {
  if (value === undefined || value === null || value === "") return null;
  const named: unknown[] = Array.isArray(value) ? value : [{ name: "default", template: value }];
  const templates = new Map<string, Template>();
  for (const entry of named) {
    const { name, template } = (entry ?? {}) as JsonObject;
    if (typeof name !== "string" || typeof template !== "string") {
      throw new ModelFileError(
        "tokenizer_config.json: chat_template is neither a text nor a list of named texts.",
        "tokenizer_config.json",
      );
    }
    try {
      templates.set(name, new Template(template));
    } catch (cause) {
      throw new ModelFileError(
        `The model's chat template "${name}" cannot be read: ${(cause as Error).message}`,
        "tokenizer_config.json",
        null,
        { cause },
      );
    }
  }
  return templates;
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}

/** Text of a last assistant message, which the answer is to continue; null where the model begins a turn of its own. */
function continuedText(messages: readonly Message[]): string | null {
  const last = messages.at(-1);
  return last?.role === "assistant" && !last.tool_calls?.length ? textOf(last) : null;
}

/** A message as templates expect it: text content, and arguments of tool calls as objects instead of JSON text. */
function templateMessage(message: Message): JsonObject {
  const { tool_calls: calls, ...rest } = message;
  const plain = { ...rest, content: textOf(message) };
  if (!calls?.length) return plain;
  return {
    ...plain,
    tool_calls: calls.map((call) => ({
      ...call,
      function: { name: call.function.name, arguments: parsedArguments(call.function.arguments) },
    })),
  };
}

function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the template shows it as it is.
    return text;
  }
}

/** A text with what the tokenizer puts before it, and without the end of sequence that some put after it. */
function* plainPrompt(
  text: string,
  tokenizer: ModelTokenizer,
  mostTokens: number | undefined,
): Steps<TokenId[]> {
  const encode = (part: string) => tokenizer.encodeInSteps(part, "whole text");
  const tokens = yield* encodeWithin(text, encode, mostTokens);
  const last = tokens.at(-1);
  return tokens.length > 1 && last !== undefined && tokenizer.eosTokenIds.includes(last)
    ? tokens.slice(0, -1)
    : tokens;
}
