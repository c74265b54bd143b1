/** Finds the format in which a model writes tool calls, from its chat template and its special tokens. */
import { isRecord } from "../base/record.ts";
import type { ToolFormat } from "./format.ts";
import { createGraniteFormat } from "./granite.ts";
import { hermesFormat } from "./hermes.ts";
import { llama3Format, plainFormat } from "./leading-object.ts";
import { lfm2Format } from "./lfm2.ts";

export interface TemplateInfo {
  /** The text of the chat template (of several templates, the one for tools); null for models without a template. */
  readonly chatTemplate: string | null;
  /** Whether the tokenizer has a special token of this name. */
  readonly hasSpecialToken: (name: string) => boolean;
}

/** The marks by which each family's template is recognised. The first row that fits counts. */
const families: readonly {
  readonly fits: (template: string, info: TemplateInfo) => boolean;
  readonly format: ToolFormat;
}[] = [
  { fits: (text) => /<\|tool_(call|list)_start\|>/.test(text), format: lfm2Format },
  { fits: (text) => text.includes("</tool_call>"), format: hermesFormat },
  { fits: (text) => text.includes("<|tool_call|>"), format: createGraniteFormat("<|tool_call|>") },
  { fits: (text) => text.includes("<tool_call>"), format: createGraniteFormat("<tool_call>") },
  {
    fits: (text) => /<\|python_tag\|>|"?parameters"?: dictionary|"name": function name/.test(text),
    format: llama3Format,
  },
  // LFM2.5 lists the tools without a marker, but the model writes calls between its special tokens.
  { fits: (_, info) => info.hasSpecialToken("<|tool_call_start|>"), format: lfm2Format },
  // Granite 3.0 and 3.1: their templates have a role for tools, but do not name the marker that the model writes.
  { fits: (_, info) => info.hasSpecialToken("<|tool_call|>"), format: createGraniteFormat("<|tool_call|>") },
];

/** Every format, with the markers that its families may write. `textBesideCalls` tries the formats in this order. */
const formats: Readonly<Record<ToolFormat["name"], readonly ToolFormat[]>> = {
  hermes: [hermesFormat],
  granite: [createGraniteFormat("<|tool_call|>"), createGraniteFormat("<tool_call>")],
  llama3: [llama3Format],
  lfm2: [lfm2Format],
  plain: [plainFormat],
};

/** The format of a model; `plain` if its template does not mention tools. */
export function toolFormatOf(info: TemplateInfo): ToolFormat {
  const { chatTemplate } = info;
  if (chatTemplate === null || !offersTools(chatTemplate)) return plainFormat;
  return families.find(({ fits }) => fits(chatTemplate, info))?.format ?? plainFormat;
}

/**
 * The text besides the calls in an answer whose model is unknown: the first format that finds this number of calls is used;
 * null if no format does.
 */
export function textBesideCalls(answer: string, calls: number): string | null {
  const all = Object.values(formats).flat();
  const read = all.map((format) => format.parse(answer)).find((each) => each?.calls.length === calls);
  return read ? (read.content ?? "") : null;
}

/** Whether the template tells the model about tools. */
export function offersTools(chatTemplate: string): boolean {
  return /\btools\b/.test(chatTemplate);
}

/** The text of the template in tokenizer_config.json; of several templates, the one for tools, or else the default one. */
export function chatTemplateText(value: unknown): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  if (!Array.isArray(value)) return null;
  const named = (name: string) =>
    value.find((entry: unknown) => isRecord(entry) && entry.name === name) as
      | { template?: unknown }
      | undefined;
  const text = (named("tool_use") ?? named("default"))?.template;
  return typeof text === "string" ? text : null;
}
