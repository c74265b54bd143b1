/** The families of tool calls on one tokenizer: each with its format and its special tokens. */
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import type { ToolFormat } from "../format.ts";
import { createGraniteFormat } from "../granite.ts";
import { hermesFormat } from "../hermes.ts";
import { llama3Format, plainFormat } from "../leading-object.ts";
import { lfm2Format } from "../lfm2.ts";

/** The format, and the special tokens that a tokenizer of this family has. */
export const families: readonly { format: ToolFormat; renamed: Record<string, string> }[] = [
  { format: hermesFormat, renamed: {} },
  { format: llama3Format, renamed: { "<repo_name>": "<|python_tag|>" } },
  {
    format: lfm2Format,
    renamed: { "<repo_name>": "<|tool_call_start|>", "<reponame>": "<|tool_call_end|>" },
  },
  { format: createGraniteFormat("<|tool_call|>"), renamed: { "<repo_name>": "<|tool_call|>" } },
  { format: plainFormat, renamed: {} },
];

/** Encodes a text; markers become special tokens if the tokenizer has them. */
export function encodeSpecial(tokenizer: Tokenizer, text: string, markers: readonly string[]): number[] {
  for (const marker of markers) {
    const at = text.indexOf(marker);
    if (at < 0) continue;
    const token = Array.from({ length: 64 }, (_, id) => id).find((id) => tokenizer.tokenText(id) === marker);
    return [
      ...encodeSpecial(tokenizer, text.slice(0, at), markers),
      ...(token === undefined ? tokenizer.encode(marker) : [token]),
      ...encodeSpecial(tokenizer, text.slice(at + marker.length), markers),
    ];
  }
  return tokenizer.encode(text);
}
