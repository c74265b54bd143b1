/**
 * Reads the fields of a request's body, each checked and named in its error. A field that OpenAI's clients send as
 * null counts as absent.
 */
import type { ErrorCode } from "../../core/base/error-codes.ts";
import { formatNameSuggestion } from "../../core/base/known-keys.ts";
import { isRecord } from "../../core/base/record.ts";
import { showJson } from "../../core/base/show.ts";
import { type ApiError, invalidRequestError } from "./api-error.ts";

export interface NumberRule {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** Reads one object of a request. Before `refuseOthers` is called, every field must have been read or declared as ignored. */
export class BodyFields {
  readonly #body: Readonly<Record<string, unknown>>;
  /** The path of this object in the request, ending with a dot; "" for the request itself. */
  readonly #path: string;
  readonly #known = new Set<string>();
  /** Fields that were read, but that the list of known fields in an error leaves out. */
  readonly #unlisted = new Set<string>();

  /** @throws ApiError, 400, unless `value` is an object. */
  constructor(value: unknown, path = "") {
    this.#path = path === "" ? "" : `${path}.`;
    if (isRecord(value)) this.#body = value;
    else if (path === "") throw invalidRequestError(`The body is ${shown(value)}: send a JSON object.`, null);
    else throw fieldError(path, value, "give an object, or leave it out");
  }

  /** The field's value, unchecked; undefined if the field is missing. */
  take(name: string): unknown {
    this.#known.add(name);
    return this.#body[name] ?? undefined;
  }

  /** Like `take`, but the list of known fields in an error leaves this field out. */
  takeUnlisted(name: string): unknown {
    this.#unlisted.add(name);
    return this.#body[name] ?? undefined;
  }

  /** @throws ApiError, 400 */
  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.refusal(name, value, "give a string");
  }

  /** @throws ApiError, 400 */
  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "")
      throw this.refusal(name, value, "give a string that is not empty");
    return value;
  }

  /** @throws ApiError, 400 */
  flag(name: string): boolean | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.refusal(name, value, "write true or false");
  }

  /** @throws ApiError, 400 */
  number(name: string, { min, max, isWhole = false }: NumberRule): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const isRight = typeof value === "number" && value >= min && value <= max;
    if (isRight && (!isWhole || Number.isInteger(value))) return value;
    throw this.refusal(name, value, `give a ${isWhole ? "whole " : ""}number from ${min} to ${max}`);
  }

  /** @throws ApiError, 400 */
  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.take(name);
    if (value === undefined || words.includes(value as Word)) return value as Word | undefined;
    const list = words.map((word) => JSON.stringify(word)).join(" or ");
    throw this.refusal(name, value, `write ${list}, or leave it out`);
  }

  /** Reads a nested object. @throws ApiError, 400 */
  object(name: string): BodyFields | undefined {
    const value = this.take(name);
    return value === undefined ? undefined : new BodyFields(value, `${this.#path}${name}`);
  }

  /** The error for a wrong value. `cure` continues the sentence, for example "give a string". */
  refusal(name: string, value: unknown, cure: string, code?: ErrorCode): ApiError {
    return fieldError(`${this.#path}${name}`, value, cure, code);
  }

  /** Refuses every field that was not read, because ignoring it silently would mislead the client. @throws ApiError, 400 */
  refuseOthers(): void {
    for (const [name, value] of Object.entries(this.#body)) {
      const isKnown = this.#known.has(name) || this.#unlisted.has(name);
      if (isKnown || value === null || value === undefined) continue;
      const path = `${this.#path}${name}`;
      const message = `${path} is not known. ${formatNameSuggestion(name, [...this.#known])}`;
      throw invalidRequestError(message, path, "unknown_parameter");
    }
  }
}

/** The error for a wrong value. `cure` continues the sentence, for example "give a string". */
export function fieldError(path: string, value: unknown, cure: string, code?: ErrorCode): ApiError {
  return invalidRequestError(`${path} is ${shown(value)}: ${cure}.`, path, code);
}

const shown = (value: unknown): string => (value === undefined ? "missing" : showJson(value));
