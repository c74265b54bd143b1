/** A session with the interface that the model classes of @huggingface/transformers expect. */
import type { HostTensor, RuntimeSession, RuntimeTensor } from "./tensor-runtime.ts";

/** Metadata of an input or output in the library's format. */
interface LibraryMetadata {
  readonly name: string;
  readonly isTensor: true;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

export class LibrarySession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly LibraryMetadata[];
  readonly outputMetadata: readonly LibraryMetadata[];
  readonly #session: RuntimeSession;
  #failure: unknown = null;
  #made: RuntimeTensor[] = [];

  constructor(session: RuntimeSession) {
    this.#session = session;
    const described = (infos: RuntimeSession["inputs"]) =>
      infos.map(({ name, type, shape }) => ({ name, isTensor: true as const, type, shape }));
    this.inputMetadata = described(session.inputs);
    this.outputMetadata = described(session.outputs);
    this.inputNames = this.inputMetadata.map(({ name }) => name);
    this.outputNames = this.outputMetadata.map(({ name }) => name);
  }

  /**
   * Never rejects: the library runs all sessions of a page in one chain of promises, and a run that rejects would fail every
   * later run of every model with the same error. `takeFailure` returns the error.
   */
  async run(
    feeds: Readonly<Record<string, RuntimeTensor | HostTensor>>,
  ): Promise<Record<string, RuntimeTensor>> {
    try {
      const outputs = await this.#session.run(feeds);
      this.#made.push(...Object.values(outputs));
      return { ...outputs };
    } catch (error) {
      this.#failure = error;
      return {};
    }
  }

  /** The error of the last run, returned once; null if there was none. */
  takeFailure(): unknown {
    const failure = this.#failure;
    this.#failure = null;
    return failure;
  }

  /** All tensors that runs returned since the last call. */
  takeMade(): readonly RuntimeTensor[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }
}
