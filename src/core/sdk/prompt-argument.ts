/** The argument of `actions.adjustPrefill`, and its checks. */

import { formatNameSuggestion, refuseUnknownKeys, unknownKey } from "../base/known-keys.ts";
import { isRecord } from "../base/record.ts";
import { describeValue, isList } from "../base/show.ts";
import { messageKeys } from "./message-keys.ts";
import type { ContentPart, Message, TokenId } from "./request.ts";
import type { Tokenizer } from "./tokenizer.ts";

/**
 * A prompt: tokens, a text that is read as a whole prompt, changed messages, or a phrase to replace in each message that has
 * it (every occurrence of a text; for a RegExp, as `String.replace` does).
 */
export type PromptInput =
  | string
  | ArrayLike<TokenId>
  | { readonly messages: readonly Message[] }
  | { readonly replace: readonly [phrase: string | RegExp, replacement: string] };

/** The prompt when the mod handles the event. */
export interface PrefilledPrompt {
  readonly tokens: readonly TokenId[];
  readonly messages: readonly Message[];
}

export interface CheckedPrompt {
  readonly tokens: readonly TokenId[];
  readonly messages?: readonly Message[];
}

interface Checks {
  readonly refuse: (reason: string) => never;
  readonly someTokens: (value: unknown, instead: string) => readonly TokenId[];
  readonly tokenizer: Tokenizer;
  readonly current: PrefilledPrompt | undefined;
}

export function createPromptCheck({
  refuse,
  someTokens,
  tokenizer,
  current,
}: Checks): (value: unknown) => CheckedPrompt | null {
  function messagesOf(value: unknown): CheckedPrompt {
    if (!isList(value) || value.length === 0) {
      return refuse(`messages is ${describeValue(value)}: give a list of at least one message.`);
    }
    const messages = Array.from(value as ArrayLike<unknown>, (each, place) => copyOf(each, place, refuse));
    return { tokens: [], messages };
  }

  function replaced(value: unknown): CheckedPrompt | null {
    const [phrase, replacement] = Array.isArray(value) ? value : [];
    const isPhrase = (typeof phrase === "string" && phrase !== "") || phrase instanceof RegExp;
    if (!isPhrase || typeof replacement !== "string") {
      return refuse(
        `replace is ${describeValue(value)}: give [phrase, replacement]. The phrase is a string or RegExp, the replacement a string.`,
      );
    }
    const change = (text: string): string =>
      typeof phrase === "string" ? text.split(phrase).join(replacement) : text.replace(phrase, replacement);
    const before = current?.messages ?? [];
    const messages = before.map((message) => withText(message, change));
    return messages.every((message, place) => message === before[place]) ? null : { tokens: [], messages };
  }

  return (value: unknown): CheckedPrompt | null => {
    if (typeof value === "string") {
      const tokens = encodeWholePrompt(value, tokenizer, current?.tokens ?? []);
      return { tokens: someTokens(tokens, "a prompt needs at least one token.") };
    }
    if (isList(value) && isRecord(value[0])) {
      return refuse("the prompt is a list of messages: give { messages: list }.");
    }
    if (isList(value)) return { tokens: someTokens(value, "a prompt needs at least one token.") };
    if (!isRecord(value)) {
      return refuse(
        `the prompt is ${describeValue(value)}: give tokens, a text, { messages } or { replace }.`,
      );
    }
    const unknown = unknownKey(value, promptKeys);
    if (unknown !== undefined)
      return refuse(
        `the prompt has the field "${unknown}": give either { messages } or { replace }. ${formatNameSuggestion(unknown, promptKeys)}`,
      );
    if ("messages" in value && "replace" in value) {
      return refuse(
        `the prompt has the fields ${Object.keys(value).join(", ")}: give either { messages } or { replace }.`,
      );
    }
    return "messages" in value ? messagesOf(value.messages) : replaced(value.replace);
  };
}

/** Returns the same object if nothing changes. */
function withText(message: Message, change: (text: string) => string): Message {
  const { content } = message;
  if (content === null) return message;
  if (typeof content === "string") {
    const text = change(content);
    return text === content ? message : { ...message, content: text };
  }
  const parts = content.map((part): ContentPart => {
    const text = part.text === undefined ? undefined : change(part.text);
    return text === part.text ? part : { ...part, text: text ?? "" };
  });
  return parts.every((part, place) => part === content[place]) ? message : { ...message, content: parts };
}

const promptKeys = ["messages", "replace"];
const roles: readonly unknown[] = ["system", "user", "assistant", "tool"];

/** A plain copy, with the fields that a message has. */
function copyOf(value: unknown, place: number, refuse: Checks["refuse"]): Message {
  const where = `messages[${place}]`;
  if (!isRecord(value)) return refuse(`${where} is ${describeValue(value)}: give { role, content }.`);
  refuseUnknownKeys(value, messageKeys, where, refuse);
  const { role, content = null, name, tool_calls, tool_call_id } = value;
  if (!roles.includes(role)) {
    return refuse(`${where}.role is ${describeValue(role)}: write "system", "user", "assistant" or "tool".`);
  }
  const isContent = content === null || typeof content === "string" || Array.isArray(content);
  if (!isContent) return refuse(`${where}.content is ${describeValue(content)}: give a string.`);
  const copy = { role, content, name, tool_calls, tool_call_id };
  try {
    return JSON.parse(JSON.stringify(copy)) as Message;
  } catch (error) {
    return refuse(`${where} cannot be converted to JSON (${(error as Error).message}).`);
  }
}

/**
 * Encodes a text as a whole prompt. The result begins with the beginning-of-sequence token, once, if the text or the previous
 * prompt begins with it. The space that some tokenizers put before a text is added too.
 */
function encodeWholePrompt(text: string, tokenizer: Tokenizer, before: readonly TokenId[]): TokenId[] {
  const parse = { specialTokens: "parse" } as const;
  const [first] = tokenizer.encode("a", { addSpecialTokens: true });
  const isSpecial = first !== undefined && tokenizer.tokenBytes(first).length === 0;
  const begin = isSpecial ? first : undefined;
  const name = begin === undefined ? "" : tokenizer.tokenText(begin);
  const isNamed = name !== "" && text.startsWith(name);
  const hasBegin = isNamed || (begin !== undefined && before[0] === begin);
  // A mod may have put a text in front of the prompt's own text: the beginning-of-sequence token moves to the front.
  const rest = name === "" ? text : text.replace(name, "");
  const tokens = tokenizer.encode(rest, parse);
  const isText = tokens[0] !== undefined && tokenizer.tokenBytes(tokens[0]).length > 0;
  const hasSpace = isText && !rest.startsWith(" ") && putsSpace(tokenizer);
  const read = hasSpace ? tokenizer.encode(` ${rest}`, parse) : tokens;
  return hasBegin && begin !== undefined ? [begin, ...read] : read;
}

function putsSpace(tokenizer: Tokenizer): boolean {
  return tokenizer.decode(tokenizer.encode("a", { addSpecialTokens: true })).startsWith(" ");
}
