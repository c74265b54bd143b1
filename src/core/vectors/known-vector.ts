/** A vector with its metadata, as it is saved and written to a file. Every field from a file is checked. */
import { parseBoundedJson } from "../base/json-bounds.ts";
import { refuseUnknownKeys } from "../base/known-keys.ts";
import { isRecord } from "../base/record.ts";
import { describeValue } from "../base/show.ts";
import { type SteeringVector, steeringVector } from "../sdk/steering-vector.ts";
import { textForms, tokenPoolings, type VectorTexts } from "./text-states.ts";

/** The model to whose layers a vector belongs. In other models, the vector has no meaning. */
export interface VectorModel {
  /** For example `HuggingFaceTB/SmolLM2-135M-Instruct`. */
  readonly id: string;
  readonly layerCount: number;
  readonly hiddenSize: number;
}

export interface VectorWithMetadata {
  /** Name, layer and numbers as a text, which `steeringVector` reads. */
  readonly text: string;
  readonly model: VectorModel;
  readonly texts: VectorTexts;
  /** The share of the held-out texts that lie on the side of their own list; 0 to 1. */
  readonly share: number;
  /** The typical length of a hidden state after the vector's layer. */
  readonly stream: number;
}

export const vectorFileLimits = {
  /** Characters of a file. */
  file: 4_000_000,
  /** Texts of a list, and characters of one text. */
  texts: 500,
  textLength: 4_000,
  modelId: 200,
} as const;

/** The fields of a vector, and of the objects within it. */
export const vectorKeys: Readonly<Record<"whole" | "model" | "texts", readonly string[]>> = {
  whole: ["text", "model", "texts", "share", "stream"],
  model: ["id", "layerCount", "hiddenSize"],
  texts: ["tokens", "as", "toward", "away"],
};

const version = 1;

/** The text of a vector file, for `parseVectorFile`. */
export function vectorFileText(vector: VectorWithMetadata): string {
  return `${JSON.stringify({ midtoken: "vector", version, ...vector }, null, 2)}\n`;
}

/** @throws Error for a text that is no vector file; the message says what is wrong and what to do. */
export function parseVectorFile(text: string): VectorWithMetadata {
  if (text.length > vectorFileLimits.file)
    throw new Error(
      `The file has ${text.length} characters, but a vector file has at most ${vectorFileLimits.file}: choose a vector file that Midtoken saved.`,
    );
  const fields = parsedJson(text);
  if (fields?.midtoken !== "vector" || typeof fields.version !== "number")
    throw new Error(
      "The file is not a Midtoken vector: choose a .json file that was exported from the list of vectors.",
    );
  if (fields.version > version)
    throw new Error(
      "The file is from a newer version of Midtoken. Reload the page to get the newest version, and open it again.",
    );
  const refuse = (message: string) => new Error(`The file cannot be read: ${message} Nothing was changed.`);
  refuseUnknownKeys(fields, ["midtoken", "version", ...vectorKeys.whole], "", refuse);
  for (const part of ["model", "texts"] as const) {
    const value = fields[part];
    if (isRecord(value)) refuseUnknownKeys(value, vectorKeys[part], part, refuse);
  }
  return parseVectorWithMetadata(fields);
}

/** @throws Error that says which field is wrong. */
export function parseVectorWithMetadata(value: unknown): VectorWithMetadata {
  if (!isRecord(value))
    throw new Error(`A vector is ${describeValue(value)} instead of an object with its fields.`);
  const { text, share, stream } = value;
  if (typeof text !== "string") throw wrong("text", text, "a string that steeringVector can read");
  const { layer, vector } = steeringVector(text);
  const model = parseModel(value.model);
  if (vector.length !== model.hiddenSize)
    throw new Error(
      `The vector has ${vector.length} numbers, but its model's hidden states have ${model.hiddenSize}: one of the two was changed.`,
    );
  if (layer >= model.layerCount)
    throw new Error(
      `The vector is for layer ${layer}, but its model has ${model.layerCount} layers, 0 to ${model.layerCount - 1}.`,
    );
  if (typeof share !== "number" || !(share >= 0 && share <= 1))
    throw wrong("share", share, "a number from 0 to 1");
  if (typeof stream !== "number" || !(stream >= 0 && stream < 1e30))
    throw wrong("stream", stream, "a number");
  return { text, model, texts: parseTexts(value.texts), share, stream };
}

function parseModel(value: unknown): VectorModel {
  if (!isRecord(value)) throw wrong("model", value, "an object with id, layerCount and hiddenSize");
  const { id, layerCount, hiddenSize } = value;
  if (typeof id !== "string" || id === "" || id.length > vectorFileLimits.modelId)
    throw wrong("model.id", id, "the model's name");
  return {
    id,
    layerCount: wholeNumber("model.layerCount", layerCount),
    hiddenSize: wholeNumber("model.hiddenSize", hiddenSize),
  };
}

function parseTexts(value: unknown): VectorTexts {
  if (!isRecord(value)) throw wrong("texts", value, "an object with the lists toward and away");
  const tokens = tokenPoolings.find((choice) => choice === value.tokens);
  const as = textForms.find((form) => form === value.as);
  if (!tokens) throw wrong("texts.tokens", value.tokens, `one of ${tokenPoolings.join(", ")}`);
  if (!as) throw wrong("texts.as", value.as, `one of ${textForms.join(", ")}`);
  return { tokens, as, toward: parseList("toward", value.toward), away: parseList("away", value.away) };
}

function parseList(name: string, value: unknown): readonly string[] {
  const { texts, textLength } = vectorFileLimits;
  if (!Array.isArray(value) || value.length > texts)
    throw wrong(`texts.${name}`, value, `a list of at most ${texts} texts`);
  return value.map((text: unknown, place) => {
    if (typeof text === "string" && text.length <= textLength) return text;
    throw wrong(`texts.${name}[${place}]`, text, `a text of at most ${textLength} characters`);
  });
}

function wholeNumber(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value > 0 && value < 1e6) return value;
  throw wrong(name, value, "a whole number above 0");
}

const wrong = (name: string, value: unknown, expected: string) =>
  new Error(`"${name}" of the vector is ${describeValue(value)}; it must be ${expected}.`);

function parsedJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseBoundedJson(
      text,
      { characters: vectorFileLimits.file, depth: 20, values: 20_000 },
      "",
    );
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** The vector's name, or "layer 12" for a vector without a name. */
export const vectorNameOf = ({ name, layer }: SteeringVector) => name ?? `layer ${layer}`;

/** A sentence that says why a vector does not fit a loaded or chosen model; null if it fits, or if the model is unknown. */
export function explainModelMismatch(
  vector: VectorWithMetadata,
  model: { readonly id: string } | null,
): string | null {
  if (!model || plainName(model.id) === plainName(vector.model.id)) return null;
  return `This vector was made with ${vector.model.id}, but ${model.id} is selected. A vector works only in the model that it was made with: select that model, or make the vector again.`;
}

/** A model's name without its publisher and format, because copies of one model have the same weights. */
const plainName = (id: string) => (id.split("/").at(-1) ?? id).toLowerCase().replace(/-onnx(?:-\w+)?$/, "");
