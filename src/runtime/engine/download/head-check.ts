/** The beginning of a file, looked at before the rest of it is fetched. */

/** Bytes that are looked at. The nodes of a graph come before its weights, and take 0.2 to 0.4 MB in the models that run here. */
export const headBytes = 2 ** 20;

/** Sees the first `headBytes` bytes of a file. What it throws ends the download. */
export type CheckHead = (head: Uint8Array) => void;

/** Gathers the pieces of one download until there is enough to look at. */
export class HeadCheck {
  readonly #check: CheckHead;
  #head = new Uint8Array(headBytes);
  #filled = 0;

  constructor(check: CheckHead) {
    this.#check = check;
  }

  /**
   * A piece that came, from the byte `start` of the file on. Of a download that goes on behind the beginning nothing is looked at,
   * since an earlier one has seen it. @throws what the check throws.
   */
  see(start: number, piece: Uint8Array): void {
    // A download that begins anew may bring another file.
    if (start === 0) this.#filled = 0;
    if (start !== this.#filled || this.#filled === headBytes) return;
    const part = piece.subarray(0, headBytes - this.#filled);
    this.#head.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled === headBytes) this.#check(this.#head);
  }
}
