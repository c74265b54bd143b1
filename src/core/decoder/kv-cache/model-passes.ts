/**
 * Runs passes and gives logits as a request needs them: copied to the CPU, or left on the device. Knows which logits on the
 * device are not released yet.
 */
import type { TokenId } from "../../sdk/request.ts";
import type { DeviceLogits } from "../ports/device-logits.ts";
import type { ExpectedNext, LanguageModel } from "../ports/language-model.ts";
import { isListed, type ModelLogits } from "../ports/logits.ts";
import { type CacheKey, steeredRuns } from "./cache-key.ts";
import type { PassActivations } from "./pass-activations.ts";

/** Guesses about the passes after this one: see LanguageModel. */
export interface PassOutlook {
  readonly next?: ExpectedNext | undefined;
  readonly ahead?: number | undefined;
}

export class ModelPasses {
  readonly #model: LanguageModel;
  readonly #inside: PassActivations | null;
  /** Logits on a device that are not released yet. */
  readonly #owned = new Set<DeviceLogits>();
  /**
   * The temperature at which the request samples from logits on the device; null if the request reads all logits. Logits that an
   * earlier request left elsewhere are moved when they are needed (`wanted`).
   */
  stayAt: number | null = null;
  /** How many of the most likely tokens the mods of the request read at each step, for a server that lists them. */
  listAtLeast = 0;
  /** The signal of the running request. It ends a pass that waits for another machine. */
  signal: AbortSignal | undefined = undefined;

  constructor(model: LanguageModel, inside: PassActivations | null) {
    this.#model = model;
    this.#inside = inside;
  }

  /**
   * Runs one pass, or several if the tokens have different steerings. `rows`: 0 if nobody needs logits.
   * @throws the model's errors; after a RangeError the model is as before.
   */
  async run(
    pass: readonly CacheKey[],
    rows: number,
    outlook: PassOutlook = {},
  ): Promise<readonly ModelLogits[]> {
    const { length } = this.#model;
    if (!this.#inside) return this.#run(pass, rows, outlook);
    let all: ModelLogits[] = [];
    try {
      for (const { steering, tokens, end } of steeredRuns(pass)) {
        this.#inside.steer(steering);
        const wanted = Math.max(0, Math.min(tokens.length, rows - (pass.length - end)));
        const given = await this.#run(tokens, wanted, outlook);
        // If the graph gives only the logits of its last token, earlier rows do not join them.
        all = given.length < wanted ? [...given] : [...all, ...given];
      }
    } catch (error) {
      if (error instanceof RangeError && this.#model.length > length) this.#model.truncate(length);
      throw error;
    }
    return all;
  }

  async #run(
    pass: readonly TokenId[],
    rows: number,
    { next, ahead }: PassOutlook,
  ): Promise<readonly ModelLogits[]> {
    const model = this.#model;
    if (rows === 0 && model.append) {
      await model.append(pass);
      return [];
    }
    const asked = Math.max(1, rows);
    if (model.forwardListed) return model.forwardListed(pass, asked, this.#listed, this.signal, ahead);
    if (this.stayAt === null || !model.forwardRows) {
      return split(await model.forward(pass, asked, this.signal, ahead), model.vocabularySize);
    }
    const given = await model.forwardRows(pass, asked, this.stayAt, next);
    for (const row of given) this.#own(row);
    return given;
  }

  get #listed(): number {
    return Math.max(this.#model.listedTokens ?? 0, this.listAtLeast);
  }

  /**
   * The logits where this request needs them: on the device or on the CPU. Returns the same object if they are there already.
   * @throws any error of the device
   */
  async wanted(row: ModelLogits): Promise<ModelLogits> {
    const { uploadRow } = this.#model;
    if (isListed(row)) return row.tokens.length < this.#listed ? row.list(this.#listed) : row;
    if (!(row instanceof Float32Array)) return this.stayAt === null ? row.read() : row;
    if (this.stayAt === null || !uploadRow) return row;
    const uploaded = await uploadRow(row, this.stayAt);
    this.#own(uploaded);
    return uploaded;
  }

  /** Some logits on a device are not released yet. */
  get ownsRows(): boolean {
    return this.#owned.size > 0;
  }

  /** Releases all logits on the device except `held`. */
  keepOnly(held: readonly ModelLogits[]): void {
    const kept = new Set<ModelLogits>(held);
    for (const row of this.#owned) {
      if (kept.has(row)) continue;
      this.#owned.delete(row);
      row.release();
    }
  }

  #own(row: ModelLogits): void {
    if (!(row instanceof Float32Array) && !isListed(row)) this.#owned.add(row);
  }
}

function split(logits: Float32Array, width: number): Float32Array[] {
  return Array.from({ length: logits.length / width }, (_, row) =>
    logits.subarray(row * width, (row + 1) * width),
  );
}
