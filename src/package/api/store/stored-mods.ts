/** Mods in a store that several engines share. */
import { messageOf } from "../../../core/base/message-of.ts";
import { type ModPayload, readStoredPayload } from "../../../core/sdk/serialize.ts";
import { ApiError } from "../api-error.ts";
import { checkModTextSizes, registryLimits } from "../registry-limits.ts";
import type { EngineStore } from "./engine-store.ts";
import { decodeText, encodeJson, readEntry } from "./stored-json.ts";

export class CrossEngineModStore {
  readonly #store: EngineStore;
  readonly #onNotice: (notice: string) => void;

  constructor(store: EngineStore, onNotice: (notice: string) => void) {
    this.#store = store;
    this.#onNotice = onNotice;
  }

  /** Null if no mod has this name. @throws ApiError, 500 or 503 */
  find(name: string): Promise<ModPayload | null> {
    return readEntry(this.#store, ["mod", name], (bytes) => {
      const value: unknown = JSON.parse(decodeText(bytes));
      checkModTextSizes(Object(value));
      const payload = readStoredPayload(value);
      if (payload.name !== name) throw new TypeError(`The mod's name is "${payload.name}".`);
      return payload;
    });
  }

  /** All mods, the oldest first. Damaged mods are left out. @throws ApiError, 503 */
  async all(): Promise<readonly ModPayload[]> {
    // Engines write no more mods than this.
    const names = (await this.#store.list("mod")).slice(-registryLimits.mods);
    const found = await Promise.all(
      names.map((name) =>
        this.find(name).catch((error: unknown) => {
          if (error instanceof ApiError && error.code === "store_failed") throw error;
          this.leaveOut(name, error);
          return null;
        }),
      ),
    );
    return found.filter((payload) => payload !== null);
  }

  /** Reports that a mod of the store cannot be used, and why. */
  leaveOut(name: string, error: unknown): void {
    this.#onNotice(`The mod "${name}" in the store was skipped. ${messageOf(error)}`);
  }

  add(payload: ModPayload): Promise<void> {
    return this.#store.set("mod", payload.name, encodeJson(payload));
  }

  remove(name: string): Promise<boolean> {
    return this.#store.delete("mod", name);
  }
}
