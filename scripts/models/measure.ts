/** Reads the fields of an entry of models.json from the hub, without downloading the weights. */
import { isRecord } from "../../src/core/base/record.ts";
import { chatTemplateText, toolFormatOf } from "../../src/core/tools/formats.ts";
import { hubFolderAddress } from "../../src/runtime/engine/base/hub-folder.ts";
import { ModelFileError } from "../../src/runtime/engine/base/model-file-error.ts";
import type { ChatTemplateMetadata } from "../../src/runtime/engine/choose/catalog.ts";
import { modelMetadataOf } from "../../src/runtime/engine/choose/model-metadata.ts";
import { weightsAmong } from "../../src/runtime/engine/download/list-weights.ts";
import { createUrlSource } from "../../src/runtime/engine/files/url-source.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** The values that follow from the chat template. The type requires models.json to know each format of tool calls. */
type MeasuredTemplate = {
  readonly [Name in keyof ChatTemplateMetadata]: ChatTemplateMetadata[Name] | null;
};

/** Measured fields, by their names in models.json. */
export interface HubMeasurements {
  /** The commit of the entry's revision. */
  readonly revision: string;
  /** As the model card spells it, for example `apache-2.0`; null if the card has none. */
  readonly licence: string | null;
  readonly weights: readonly { readonly dtype: string; readonly bytes: number | null }[];
  /** Null if config.json has none. */
  readonly contextLength: number | null;
  readonly architecture: JsonObject | null;
  readonly chatTemplate: MeasuredTemplate | null;
  /** The newest commit of the branch `main`: if it differs from `revision`, there is a newer export. */
  readonly newest: string | null;
}

/** @param hub address of the hub, without a slash at its end @throws Error that says what could not be read */
export async function readHubMeasurements(
  id: string,
  revision: string,
  hub: string,
): Promise<HubMeasurements> {
  const source = createUrlSource(hubFolderAddress(id, revision, hub), { store: null });
  const read = async (file: string): Promise<string | null> => {
    try {
      return new TextDecoder().decode(await source.read(file, { kind: "text", maxBytes: 20e6 }));
    } catch (error) {
      if (error instanceof ModelFileError && error.status === 404) return null;
      throw error;
    }
  };
  const at = `${hub}/api/models/${id}`;
  const [info, main, files, config, tokenizer, template] = await Promise.all([
    readJson(`${at}/revision/${encodeURIComponent(revision)}`),
    readJson(at),
    source.list(),
    read("config.json"),
    read("tokenizer_config.json"),
    read("chat_template.jinja"),
  ]);
  const text = config === null ? {} : objectIn(config);
  const inner = isRecord(text.text_config) ? text.text_config : text;
  const { architecture } = modelMetadataOf(text);
  const length = inner.max_position_embeddings;
  return {
    revision: String(info.sha),
    licence: licenceOf(info),
    weights: weightsAmong(files).weights,
    contextLength: typeof length === "number" ? length : null,
    architecture: architecture && { ...architecture },
    chatTemplate: templateMetadata(tokenizer === null ? {} : objectIn(tokenizer), template),
    newest: typeof main.sha === "string" ? main.sha : null,
  };
}

async function readJson(url: string): Promise<JsonObject> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return objectIn(await response.text());
}

function objectIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (isRecord(value)) return value;
  throw new Error(`An object was expected, and this came: ${text.slice(0, 80)}`);
}

/** For licences that the hub has no name for, a model card says "other" and has the name in a second field. */
function licenceOf({ cardData }: JsonObject): string | null {
  const { license, license_name: name } = isRecord(cardData) ? cardData : {};
  const said = license === "other" ? (name ?? license) : license;
  return typeof said === "string" ? said : null;
}

const formats: readonly { readonly mark: string; readonly format: ChatTemplateMetadata["format"] }[] = [
  { mark: "<|im_start|>", format: "chatml" },
  { mark: "<start_of_turn>", format: "gemma" },
  { mark: "<|start_of_role|>", format: "granite" },
  { mark: "<|start_header_id|>", format: "llama3" },
  { mark: "<|end|>", format: "phi4" },
];

function templateMetadata(tokenizer: JsonObject, file: string | null): MeasuredTemplate | null {
  const text = file ?? chatTemplateText(tokenizer.chat_template);
  if (text === null) return null;
  const added = isRecord(tokenizer.added_tokens_decoder) ? Object.values(tokenizer.added_tokens_decoder) : [];
  const names = new Set(added.map((token) => (isRecord(token) ? token.content : null)));
  const { name } = toolFormatOf({ chatTemplate: text, hasSpecialToken: (token) => names.has(token) });
  return {
    format: formats.find(({ mark }) => text.includes(mark))?.format ?? null,
    toolCalls: name === "plain" ? null : name,
    thinking: /enable_thinking|\bthinking\b/.test(text),
  };
}
