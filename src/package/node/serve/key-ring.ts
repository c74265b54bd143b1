/** The keys that a server takes, and what each has used. */
import { timingSafeEqual } from "node:crypto";
import { type ApiKey, digestOf } from "./key-file.ts";
import { type Clock, KeyUse } from "./key-use.ts";

export interface KeyHolder {
  readonly name: string;
  readonly use: KeyUse;
  /** Where mods are fixed: whether the key may register and remove them over HTTP. */
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

  /** The use of a key stays counted if the key is still there. */
  replace(keys: readonly ApiKey[]): void {
    this.#entries = keys.map(({ name, digest: hex, limits, mayChangeMods }) => {
      const digest = Buffer.from(hex, "hex");
      const use = this.#entries.find((entry) => entry.digest.equals(digest))?.use;
      use?.setLimits(limits);
      return { name, digest, use: use ?? new KeyUse(limits, this.#clock), mayChangeMods };
    });
  }

  /** The holder of the key in an `Authorization` header. Takes as long for a key that is nearly right as for any other. */
  holderOf(authorization: string | null): KeyHolder | null {
    const [, key] = /^Bearer +([\x21-\x7e]{1,1000})$/i.exec(authorization ?? "") ?? [];
    if (key === undefined) return null;
    const digest = Buffer.from(digestOf(key), "hex");
    let found: KeyHolder | null = null;
    for (const entry of this.#entries) if (timingSafeEqual(entry.digest, digest)) found = entry;
    return found;
  }
}
