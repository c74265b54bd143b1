/** The changes of the output that one mod has not received yet. */

import type { WireOutputChange } from "../../sdk/wire-event.ts";
import type { EmittedToken } from "./mod-host.ts";

export class UnsentOutputChanges {
  /** `EmittedToken.index` of each token that the mod knows. An index is never used twice, so equal indices are the same token. */
  readonly #known: number[] = [];

  /** Returns the changes up to `emitted`, and marks them as received. */
  next(emitted: readonly EmittedToken[]): WireOutputChange {
    let keep = Math.min(this.#known.length, emitted.length);
    while (keep > 0 && this.#known[keep - 1] !== emitted[keep - 1]?.index) keep--;
    const added = emitted.slice(keep);
    this.#known.length = keep;
    for (const { index } of added) this.#known.push(index);
    const hidden = emitted.length - 1 - emitted.findLastIndex(({ isHidden }) => !isHidden);
    const inPrompt = emitted[0]?.inPrompt ?? 0;
    return {
      keep,
      tokens: added.map(({ token }) => token),
      hidden,
      ...(inPrompt > 0 && { inPrompt }),
    };
  }
}
