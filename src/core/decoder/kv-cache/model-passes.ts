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
  readonly #passActivations: PassActivations | null;
  /** Logits on a device that are not released yet. */
  readonly #unreleased = new Set<DeviceLogits>();
  /**
   * The temperature at which the request samples from logits on the device; null if the request reads all logits. Logits that an
   * earlier request left elsewhere are moved when they are needed (`moveWhereNeeded`).
   */
  deviceTemperature: number | null = null;
  /** How many of the most likely tokens the mods of the request read at each step, for a server that lists them. */
  listAtLeast = 0;
  /** The signal of the running request. It ends a pass that waits for another machine. */
  signal: AbortSignal | undefined = undefined;

  constructor(model: LanguageModel, passActivations: PassActivations | null) {
    this.#model = model;
    this.#passActivations = passActivations;
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
    if (!this.#passActivations) return this.#run(pass, rows, outlook);
    let all: ModelLogits[] = [];
    try {
      for (const { steering, tokens, end } of steeredRuns(pass)) {
        this.#passActivations.steer(steering);
        const wanted = Math.max(0, Math.min(tokens.length, rows - (pass.length - end)));
        const runLogits = await this.#run(tokens, wanted, outlook);
        // If the graph gives only the logits of its last token, earlier rows do not join them.
        all = runLogits.length < wanted ? [...runLogits] : [...all, ...runLogits];
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
    const rowCount = Math.max(1, rows);
    if (model.forwardListed) return model.forwardListed(pass, rowCount, this.#listLength, this.signal, ahead);
    if (this.deviceTemperature === null || !model.forwardRows) {
      return splitRows(await model.forward(pass, rowCount, this.signal, ahead), model.vocabularySize);
    }
    const deviceLogits = await model.forwardRows(pass, rowCount, this.deviceTemperature, next);
    for (const row of deviceLogits) this.#noteUnreleased(row);
    return deviceLogits;
  }

  get #listLength(): number {
    return Math.max(this.#model.listedTokens ?? 0, this.listAtLeast);
  }

  /**
   * The logits where this request needs them: on the device or on the CPU. Returns the same object if they are there already.
   * @throws any error of the device
   */
  async moveWhereNeeded(row: ModelLogits): Promise<ModelLogits> {
    const { uploadRow } = this.#model;
    if (isListed(row)) return row.tokens.length < this.#listLength ? row.list(this.#listLength) : row;
    if (!(row instanceof Float32Array)) return this.deviceTemperature === null ? row.read() : row;
    if (this.deviceTemperature === null || !uploadRow) return row;
    const uploaded = await uploadRow(row, this.deviceTemperature);
    this.#noteUnreleased(uploaded);
    return uploaded;
  }

  /** Whether some logits on a device are not released yet. */
  get hasUnreleasedLogits(): boolean {
    return this.#unreleased.size > 0;
  }

  /** Releases all logits on the device except the `needed` ones. */
  keepOnly(needed: readonly ModelLogits[]): void {
    const neededLogits = new Set(needed);
    for (const row of this.#unreleased) {
      if (neededLogits.has(row)) continue;
      this.#unreleased.delete(row);
      row.release();
    }
  }

  #noteUnreleased(row: ModelLogits): void {
    if (!(row instanceof Float32Array) && !isListed(row)) this.#unreleased.add(row);
  }
}

function splitRows(logits: Float32Array, width: number): Float32Array[] {
  return Array.from({ length: logits.length / width }, (_, row) =>
    logits.subarray(row * width, (row + 1) * width),
  );
}
