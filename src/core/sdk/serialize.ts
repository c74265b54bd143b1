/** A mod as one JSON value, which servers accept, store and return. */
import { checkOptionKeys, type OptionKeys } from "../base/known-keys.ts";
import { sha256 } from "../base/sha256.ts";
import { describeValue } from "../base/show.ts";
import { sdkVersion } from "./version.ts";

export interface ModPayload {
  readonly name: string;
  readonly description: string;
  readonly language: "typescript";
  /** The text of the mod's whole file. */
  readonly source: string;
  /** Name of the export that runs. */
  readonly entry: string;
  /** The version of the SDK for which the mod was written. */
  readonly sdkVersion: string;
  /** SHA-256 of the source's UTF-8 bytes, in hexadecimal digits. */
  readonly hash: string;
}

export interface SerializeOptions {
  /** Lower-case letters, digits, `_` and `-`; a letter or digit first. Requests select the mod by the model `model-id/name`. */
  readonly name: string;
  readonly description?: string;
  /** Name of the export to run; by default, the default export. */
  readonly entry?: string;
}

const payloadKeys: OptionKeys<ModPayload> = {
  name: true,
  description: true,
  language: true,
  source: true,
  entry: true,
  sdkVersion: true,
  hash: true,
};
const namePattern = /^[a-z0-9][a-z0-9_-]*$/;

/**
 * Makes the payload of a mod from the text of its file. The mod itself is a value made of functions, from which its source
 * file cannot be read.
 *
 * @example
 * const payload = serializeMod(readFileSync("happy.ts", "utf8"), { name: "happy", description: "Ends well." });
 *
 * @throws TypeError for a source that is no text, and for a name that cannot stand in a model's name.
 */
export function serializeMod(source: string, options: SerializeOptions): ModPayload {
  if (typeof source !== "string" || source.trim() === "") {
    throw new TypeError(
      `serializeMod(...) was given ${describeValue(source)}: give the source text of the mod's file. A mod object does not contain its source.`,
    );
  }
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `serializeMod(...): the options are ${describeValue(options)}: give { name, description }.`,
    );
  }
  checkOptionKeys("serializeMod(...)", options, { name: true, description: true, entry: true });
  const { name, description = "", entry = "default" } = options;
  checkModName(name);
  checkText("description", description);
  checkText("entry", entry);
  return { name, description, language: "typescript", source, entry, sdkVersion, hash: sha256(source) };
}

/** @throws TypeError that says which names are valid. */
function checkModName(name: unknown): asserts name is string {
  if (typeof name === "string" && namePattern.test(name)) return;
  throw new TypeError(
    `A mod cannot be called ${describeValue(name)}: use lowercase letters, digits, "_" and "-", and begin with a letter or digit.`,
  );
}

/**
 * Checks a payload from outside.
 * @throws TypeError for a field that is missing, wrong or unknown, such as a hash that does not fit the source.
 */
export function readModPayload(value: unknown): ModPayload {
  if (typeof value === "object" && value !== null) checkOptionKeys("The payload", value, payloadKeys);
  return readStoredPayload(value);
}

/**
 * Checks the fields of a payload from a shared store. Unlike `readModPayload`, ignores unknown fields, because a newer version
 * may have written the payload.
 * @throws TypeError for a field that is missing or wrong
 */
export function readStoredPayload(value: unknown): ModPayload {
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`The payload is ${describeValue(value)}: send what serializeMod returns.`);
  }
  const fields = value as Readonly<Record<string, unknown>>;
  if (fields.language !== "typescript") {
    throw new TypeError(
      `The payload's language is ${describeValue(fields.language)}: only "typescript" can be run.`,
    );
  }
  checkText("source", fields.source);
  checkText("sdkVersion", fields.sdkVersion);
  const { name, description, entry } = fields as unknown as SerializeOptions;
  const payload = serializeMod(fields.source, {
    name,
    ...(description !== undefined && { description }),
    ...(entry !== undefined && { entry }),
  });
  if (fields.hash !== payload.hash) {
    throw new TypeError(
      `The payload's hash is ${describeValue(fields.hash)}, but the hash of its source is ${describeValue(payload.hash)}: the source was changed in transit.`,
    );
  }
  return { ...payload, sdkVersion: fields.sdkVersion };
}

function checkText(field: string, value: unknown): asserts value is string {
  if (typeof value === "string") return;
  throw new TypeError(`The mod's ${field} is ${describeValue(value)}: give a string.`);
}
