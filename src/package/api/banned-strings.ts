/** The mod for the request setting `banned_strings`. Fetched with the first request that has the setting. */
import { banningModName, banningModSource } from "../../core/sdk/banned-strings.ts";
import { serializeMod } from "../../core/sdk/serialize.ts";
import type { RegisteredMod } from "./mod-registry.ts";

/** The mod that bans these phrases. It runs after the mods that the request names. */
export function bannedStringsMod(phrases: readonly string[]): RegisteredMod {
  const payload = serializeMod(banningModSource(phrases), { name: banningModName });
  return { payload, trusted: null, limits: null, removesText: true };
}
