/** Converts a conversation to the tokens that the model reads. */
import { textOfMessage } from "../../../core/base/message-text.ts";
import { type ResumableWork, runToEnd } from "../../../core/base/resumable-work.ts";
import type { Message, TokenId, ToolDefinition } from "../../../core/sdk/request.ts";
import type { JsonObject, ModelTokenizer } from "../../../core/tokenizer/create-tokenizer.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import { readSpecialToken } from "../files/files.ts";
import { BoundedTemplate } from "./bounded-template.ts";
import { PromptError } from "./prompt-error.ts";
import { encodeWithin } from "./prompt-length.ts";
import { templateText } from "./reasoning-marks.ts";
import { type ChangeText, createSpecialNamesAsText, type RenderedPrompt } from "./render-as-text.ts";
import { mapTexts } from "./special-names.ts";
import { detectThinking, type Thinking, thinkingAtEnd } from "./thinking.ts";

export interface PromptOptions {
  /** Turns the model's thinking on or off, if its template has a switch for thinking. By default the template decides. */
  readonly thinks?: boolean | undefined;
  /** Size of the context. A prompt that is much longer is refused before all of it is tokenized (see `encodeWithin`). */
  readonly mostTokens?: number | undefined;
  /** Whether names of special tokens in the messages become special tokens. By default they stay text. */
  readonly parseSpecial?: boolean | undefined;
}

export interface PromptFormatter {
  /** Whether the model has a chat template. Without one, the messages' texts are joined. */
  readonly chatTemplate: boolean;
  /** How the model thinks before it answers; null if nothing shows that it thinks. */
  readonly thinking: Thinking | null;
  /** The prompt as text, before it is tokenized. @throws PromptError */
  render(messages: readonly Message[], tools?: readonly ToolDefinition[], thinks?: boolean): string;
  /**
   * The prompt as tokens, at least one. If the last message is the assistant's, the prompt ends with its text, and the model
   * continues it.
   * @throws PromptError if the template refuses the conversation, or if the prompt is empty or much too long.
   */
  format(messages: readonly Message[], tools?: readonly ToolDefinition[], options?: PromptOptions): TokenId[];
  /** Like `format`, as resumable work: a long prompt takes a second or more. */
  formatInSteps(...asked: Parameters<PromptFormatter["format"]>): ResumableWork<TokenId[]>;
  /** The state of the model's reasoning at the end of `format`'s prompt; "over" for models that do not think. @throws PromptError */
  reasoningAt(
    messages: readonly Message[],
    tools?: readonly ToolDefinition[],
    thinks?: boolean,
  ): "begun" | "over" | "free";
  /**
   * Tokenizes the joined texts of the messages without the template. Names of special tokens become special tokens.
   * @throws PromptError if all texts are empty.
   */
  formatRaw(messages: readonly Message[], mostTokens?: number): ResumableWork<TokenId[]>;
}

/** Variables of templates that hold special tokens. */
const tokenVariables = [
  "bos_token",
  "eos_token",
  "unk_token",
  "sep_token",
  "pad_token",
  "cls_token",
  "mask_token",
];

/** The special tokens' texts by these variables. */
function tokenNames(tokenizerConfig: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    tokenVariables.flatMap((key) => {
      const name = readSpecialToken(tokenizerConfig[key]);
      return name === null ? [] : [[key, name]];
    }),
  );
}

const noDefaultTemplate =
  'The model has several chat templates and none is named "default". Choose another model, or name one of the templates "default" in tokenizer_config.json.';

/** @throws ModelFileError if the model's template is not valid Jinja. */
export function createPromptFormatter(
  tokenizerConfig: JsonObject,
  tokenizer: ModelTokenizer,
): PromptFormatter {
  const templates = compileTemplates(tokenizerConfig.chat_template);
  const variables = tokenNames(tokenizerConfig);
  const renderWith = (
    messages: readonly Message[],
    tools: readonly ToolDefinition[],
    switches: Readonly<Record<string, boolean>>,
    change: ChangeText = (text) => text,
  ): string => {
    if (templates === null) return messages.map((each) => change(textOfMessage(each), each.role)).join("");
    const continued = continuedText(messages);
    const template = (tools.length > 0 ? templates.get("tool_use") : undefined) ?? templates.get("default");
    if (!template) throw new PromptError(noDefaultTemplate);
    const turns = continued === null ? messages : messages.slice(0, -1);
    try {
      const prompt = template.render({
        messages: turns.map((each) => templateMessage(each, change)),
        add_generation_prompt: true,
        tools: tools.length > 0 ? mapTexts(tools, (text) => change(text, null)) : null,
        documents: null,
        ...switches,
        ...variables,
      });
      return prompt + change(continued ?? "", "assistant");
    } catch (cause) {
      throw new PromptError(
        `The model's chat template rejects the conversation: ${(cause as Error).message}`,
        { cause },
      );
    }
  };
  const thinking =
    templates &&
    detectThinking({
      template: templateText(tokenizerConfig.chat_template),
      render: (switches) => renderWith([{ role: "user", content: "Hi" }], [], switches),
      tokenizer,
    });
  const switchesOf = (thinks: boolean | undefined): Readonly<Record<string, boolean>> => {
    const variable = thinks === undefined ? null : thinking?.variable;
    return variable ? { [variable]: thinks === true } : {};
  };
  const render: PromptFormatter["render"] = (messages, tools = [], thinks = undefined) =>
    renderWith(messages, tools, switchesOf(thinks));
  const { open = "", close = "", answer } = thinking ?? {};
  const marks = [open, close, answer?.open ?? "", answer?.close ?? ""].filter((mark) => mark !== "");
  const { specialNames, markNames, normalized } = tokenizer;
  const namesAsText = createSpecialNamesAsText({ specialNames, markNames, marks, normalized });
  const kind = templates === null ? "whole text" : "template";
  const formatInSteps: PromptFormatter["formatInSteps"] = function* (messages, tools = [], options = {}) {
    const { thinks, mostTokens, parseSpecial } = options;
    const renderChanged = (change?: ChangeText) => renderWith(messages, tools, switchesOf(thinks), change);
    const prompt = parseSpecial ? unchangedPrompt(renderChanged()) : namesAsText.rendered(renderChanged);
    return refuseEmpty(yield* encodePrompt(prompt, kind, tokenizer, mostTokens));
  };
  function* formatRaw(messages: readonly Message[], mostTokens?: number): ResumableWork<TokenId[]> {
    const prompt = unchangedPrompt(messages.map(textOfMessage).join(""));
    return refuseEmpty(yield* encodePrompt(prompt, "whole text", tokenizer, mostTokens));
  }
  return {
    chatTemplate: templates !== null,
    thinking,
    render,
    format: (...formatArguments) => runToEnd(formatInSteps(...formatArguments)),
    formatInSteps,
    reasoningAt(messages, tools, thinks) {
      if (!thinking) return "over";
      return thinkingAtEnd(render(messages, tools, thinks), continuedText(messages) ?? "", thinking);
    },
    formatRaw,
  };
}

/** The prompt functions of a loaded model. */
export interface PromptFunctions {
  /** The conversation as the model reads it. @throws PromptError if the template refuses it */
  readonly formatPrompt: PromptFormatter["format"];
  readonly formatPromptInSteps: PromptFormatter["formatInSteps"];
  readonly renderPrompt: PromptFormatter["render"];
  /** The messages' texts without a template. @throws PromptError if they are empty */
  readonly formatRawPrompt: PromptFormatter["formatRaw"];
  readonly thinking: PromptFormatter["thinking"];
  readonly reasoningAt: PromptFormatter["reasoningAt"];
}

export function promptFunctionsOf(formatter: PromptFormatter): PromptFunctions {
  const { format, formatInSteps, render, formatRaw, thinking, reasoningAt } = formatter;
  return {
    formatPrompt: format,
    formatPromptInSteps: formatInSteps,
    renderPrompt: render,
    formatRawPrompt: formatRaw,
    thinking,
    reasoningAt,
  };
}

function refuseEmpty(tokens: TokenId[]): TokenId[] {
  if (tokens.length > 0) return tokens;
  throw new PromptError("The conversation is empty: write a message first.");
}

/** Templates by name. A template without a name is "default". */
function compileTemplates(value: unknown): ReadonlyMap<string, BoundedTemplate> | null {
  if (value === undefined || value === null || value === "") return null;
  const named: unknown[] = Array.isArray(value) ? value : [{ name: "default", template: value }];
  const templates = new Map<string, BoundedTemplate>();
  for (const entry of named) {
    const { name, template } = (entry ?? {}) as JsonObject;
    if (typeof name !== "string" || typeof template !== "string") {
      throw new ModelFileError(
        "tokenizer_config.json: chat_template is neither a string nor a list of named templates.",
        "tokenizer_config.json",
      );
    }
    try {
      templates.set(name, new BoundedTemplate(template));
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

/** The text of a last assistant message, which the model continues; null if the last message is not the assistant's. */
function continuedText(messages: readonly Message[]): string | null {
  const last = messages.at(-1);
  return last?.role === "assistant" && !last.tool_calls?.length ? textOfMessage(last) : null;
}

/**
 * A message as templates expect it: its content as text, and the arguments of tool calls as objects instead of JSON text.
 */
function templateMessage(message: Message, change: ChangeText): JsonObject {
  const { tool_calls: calls, role, ...rest } = message;
  const withPlainContent = { ...rest, content: textOfMessage(message) };
  const changed = (value: unknown) => mapTexts(value, (text) => change(text, role));
  const templateFields = { role, ...(changed(withPlainContent) as JsonObject) };
  if (!calls?.length) return templateFields;
  const parsed = calls.map((call) => ({
    ...call,
    function: { name: call.function.name, arguments: parsedArguments(call.function.arguments) },
  }));
  return { ...templateFields, tool_calls: mapTexts(parsed, (text) => change(text, null)) };
}

function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // If the text is not valid JSON, the template gets the text.
    return text;
  }
}

function unchangedPrompt(text: string): RenderedPrompt {
  return { text, guarded: text };
}

/** The tokens of a prompt. Some tokenizers add an end-of-sequence token after a text: it is removed. */
function* encodePrompt(
  { guarded, restore }: RenderedPrompt,
  kind: "template" | "whole text",
  tokenizer: ModelTokenizer,
  mostTokens: number | undefined,
): ResumableWork<TokenId[]> {
  const encode = (part: string) => tokenizer.encodeInSteps(part, kind, restore);
  const tokens = yield* encodeWithin(guarded, encode, mostTokens);
  const last = tokens.at(-1);
  const hasEnd = kind === "whole text" && last !== undefined && tokenizer.eosTokenIds.includes(last);
  return hasEnd && tokens.length > 1 ? tokens.slice(0, -1) : tokens;
}
