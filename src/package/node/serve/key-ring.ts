/** The keys that a server accepts, and the use of each key's limits. */
import { timingSafeEqual } from "node:crypto";
import { type ApiKey, digestOf } from "./key-file.ts";
import { type Clock, KeyUse } from "./key-use.ts";

export interface KeyHolder {
  readonly name: string;
  readonly use: KeyUse;
  /** Whether the key may register and remove mods over HTTP on a server with fixed mods. */
  readonly mayChangeMods: boolean;
}

interface Entry extends KeyHolder {
  readonly digest: Buffer;
}

export class KeyRing {
  readonly #clock: Clock;
  #entries: readonly Entry[] = [];

  constructor(keys: readonly ApiKey[], clock: Clock) {
    this.#clock = clock;
    this.replace(keys);
  }

  /** Replaces the keys. A key that stays also keeps its counted use. */
  replace(keys: readonly ApiKey[]): void {
    this.#entries = keys.map(({ name, digest: hex, limits, mayChangeMods }) => {
      const digest = Buffer.from(hex, "hex");
      const use = this.#entries.find((entry) => entry.digest.equals(digest))?.use;
      use?.setLimits(limits);
      return { name, digest, use: use ?? new KeyUse(limits, this.#clock), mayChangeMods };
    });
  }

  /**
   * The holder of the key in an `Authorization` header. The comparison takes the same time for every key, so that its
   * duration reveals nothing.
   */
  holderOf(authorization: string | null): KeyHolder | null {
    const [, key] = /^Bearer +([\x21-\x7e]{1,1000})$/i.exec(authorization ?? "") ?? [];
    if (key === undefined) return null;
    const digest = Buffer.from(digestOf(key), "hex");
    let found: KeyHolder | null = null;
    for (const entry of this.#entries) if (timingSafeEqual(entry.digest, digest)) found = entry;
    return found;
  }
}
