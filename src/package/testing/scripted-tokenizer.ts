/** The tokenizer of a scripted model: every byte is a token, and every text in its script. */
import type { JsonObject, TokenizerData } from "../../core/tokenizer/create-tokenizer.ts";

/** The roles whose turns begin with a special token, which does not occur in texts. */
export const turnNames = ["system", "user", "tool", "assistant"] as const;
export type TurnName = (typeof turnNames)[number];

/** Ends a turn, and so the output. */
export const endToken = "<|end|>";

/** The special token that begins a turn of this role. The assistant's is the last token of a prompt. */
export const turnStartToken = (name: TurnName): string => `<|${name}|>`;

const specials = [...turnNames.map(turnStartToken), endToken];

/** The role of each special token that begins a turn, by token id. */
export const turnNamesByToken: ReadonlyMap<number, TurnName> = new Map(
  turnNames.map((name, place) => [256 + place, name]),
);
export const endTokenId: number = 256 + turnNames.length;

/** Writes tools like Hermes and Qwen, so that Midtoken recognises the model's format of tool calls. */
const chatTemplate = [
  "{%- if tools %}<|system|># Tools\n",
  "{%- for tool in tools %}{{ tool | tojson }}\n{% endfor -%}",
  'To call one: <tool_call>\n{"name": …, "arguments": …}\n</tool_call><|end|>{% endif -%}',
  "{%- for message in messages -%}",
  "{%- if message.role == 'tool' -%}<|tool|>{%- else -%}{{- '<|' + message.role + '|>' -}}{%- endif -%}",
  "{{- message.content or '' -}}",
  "{%- for call in message.tool_calls or [] -%}",
  `{{- '<tool_call>\n{"name": ' + (call.function.name | tojson) + ', "arguments": ' -}}`,
  "{{- (call.function.arguments | tojson) + '}\n</tool_call>' -}}",
  "{%- endfor -%}<|end|>",
  "{%- endfor -%}<|assistant|>",
].join("");

/**
 * @param texts each becomes a token, in addition to the bytes. Longer tokens are preferred to shorter ones.
 * @throws TypeError for an empty text.
 */
export function scriptedTokenizer(texts: readonly string[]): TokenizerData {
  if (texts.includes(""))
    throw new TypeError('The vocabulary of a scripted model has the text "": leave it out.');
  const alphabet = byteAlphabet();
  const words = [...new Set(texts)].filter((text) => !specials.includes(text) && !isByte(text));
  const added = [
    ...specials.map((content) => ({ content, special: true })),
    ...words.map((content) => ({ content, special: false })),
  ];
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  const tokenizerJson: JsonObject = {
    added_tokens: added.map((token, place) => ({ id: 256 + place, ...token, ...flags })),
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false },
    // A prompt without a chat template ends with the same token as one with it, so that the model finds the beginning of its
    // output.
    post_processor: {
      type: "TemplateProcessing",
      single: [{ Sequence: { id: "A", type_id: 0 } }, { SpecialToken: { id: "<|assistant|>", type_id: 0 } }],
      pair: [],
      special_tokens: {
        "<|assistant|>": { id: "<|assistant|>", ids: [256 + 3], tokens: ["<|assistant|>"] },
      },
    },
    decoder: { type: "ByteLevel" },
    model: { type: "BPE", vocab: Object.fromEntries(alphabet.map((char, byte) => [char, byte])), merges: [] },
  };
  return {
    tokenizerJson,
    tokenizerConfig: { chat_template: chatTemplate, eos_token: endToken },
    vocabSize: 256 + added.length,
    eosTokenIds: [endTokenId],
  };
}

/** ASCII characters are single bytes, so they are tokens already. */
function isByte(text: string): boolean {
  return text.length === 1 && text.charCodeAt(0) < 128;
}

/**
 * The characters with which byte-level vocabularies write each byte: printable bytes as themselves, the others from U+0100
 * on.
 */
function byteAlphabet(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCharCode(isPrintable ? byte : next++);
  });
}
