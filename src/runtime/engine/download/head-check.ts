/** Checks the beginning of a file before the rest is fetched. */

/** How many bytes are checked. A graph's nodes come before its weights, and take 0.2 to 0.4 MB in the models that run here. */
export const headBytes = 2 ** 20;

/** Checks the first `headBytes` bytes of a file. If it throws, the download ends. */
export type CheckHead = (head: Uint8Array) => void;

/** Collects the pieces of one download until the first `headBytes` bytes are complete, then checks them. A shorter file is not checked. */
export class FileHeadChecker {
  readonly #check: CheckHead;
  #head = new Uint8Array(headBytes);
  #filled = 0;

  constructor(check: CheckHead) {
    this.#check = check;
  }

  /**
   * Receives a piece that begins at byte `start` of the file. If a download resumes after the beginning, nothing is checked:
   * the earlier download checked it. @throws any error of the check.
   */
  see(start: number, piece: Uint8Array): void {
    // A download that starts again may have another version of the file.
    if (start === 0) this.#filled = 0;
    if (start !== this.#filled || this.#filled === headBytes) return;
    const part = piece.subarray(0, headBytes - this.#filled);
    this.#head.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled === headBytes) this.#check(this.#head);
  }
}
