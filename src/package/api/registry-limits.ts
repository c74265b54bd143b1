/** Limits for the number and size of an engine's mods, because every HTTP client may register mods. */
import { formatCount } from "../../core/base/number-text.ts";
import type { ModPayload } from "../../core/sdk/serialize.ts";
import { largestSource } from "../../runtime/sandbox/compiled-mod.ts";
import { ApiError, invalidRequestError } from "./api-error.ts";

export interface RegistryLimits {
  readonly mods: number;
  /** UTF-16 units of all fields of all mods together. */
  readonly total: number;
  /** UTF-16 units of one mod's source. */
  readonly source: number;
  /** UTF-16 units of one mod's description. */
  readonly description: number;
  /** UTF-16 units of one mod's name, and of each of its other fields. */
  readonly name: number;
}

export const registryLimits: RegistryLimits = {
  mods: 100,
  total: 16_000_000,
  source: largestSource,
  description: 10_000,
  name: 200,
};

/**
 * Checks whether a mod fits in addition to the registered mods.
 * @throws ApiError: 413 if the mod, or all mods together, are too large; 400 if there are too many mods.
 */
export function checkModFitsLimits(
  mod: ModPayload,
  registered: readonly ModPayload[],
  limits: RegistryLimits = registryLimits,
): void {
  checkModTextSizes(mod, limits);
  const others = registered.filter(({ name }) => name !== mod.name);
  if (others.length >= limits.mods) {
    const first = others.slice(0, 3).map(({ name }) => name);
    throw invalidRequestError(
      `${formatCount(limits.mods)} mods are registered, which is the limit. ${cure} The first are ${first.join(", ")}.`,
      "name",
      "too_many_mods",
    );
  }
  const total = others.reduce((sum, other) => sum + sizeOf(other), sizeOf(mod));
  if (total <= limits.total) return;
  const largest = [...others].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, 3);
  const named = largest.map((other) => `${other.name} (${formatCount(sizeOf(other))})`);
  throw tooLarge(
    `With "${mod.name}" the registered mods would have ${formatCount(total)} characters; the limit is ${formatCount(limits.total)}. ${cure} The largest are ${named.join(", ")}.`,
    "source",
  );
}

const cure = "Delete some with DELETE /v1/mods/NAME or engine.mods.remove(name).";

/**
 * Checks the size of a mod's texts before its hash is computed, because hashing large texts takes long.
 * @throws ApiError, 413
 */
export function checkModTextSizes(mod: object, limits: RegistryLimits = registryLimits): void {
  const mosts = {
    source: limits.source,
    description: limits.description,
    name: limits.name,
    entry: limits.name,
    sdkVersion: limits.name,
  };
  const fields = mod as Readonly<Record<string, unknown>>;
  for (const [field, most] of Object.entries(mosts)) {
    const value = fields[field];
    if (typeof value !== "string" || value.length <= most) continue;
    throw tooLarge(
      `The mod's ${field} has ${formatCount(value.length)} characters; the limit is ${formatCount(most)}: shorten it.`,
      field,
    );
  }
}

function sizeOf({ name, description, source, entry, sdkVersion, hash }: ModPayload): number {
  return [name, description, source, entry, sdkVersion, hash].reduce((sum, { length }) => sum + length, 0);
}

function tooLarge(message: string, param: string): ApiError {
  return new ApiError(message, {
    status: 413,
    type: "invalid_request_error",
    code: "mods_too_large",
    param,
  });
}
