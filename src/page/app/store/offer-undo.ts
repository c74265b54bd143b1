/**
 * Shows a notice about content that was put into the editor, with a button that undoes it. Parts that the user edited
 * meanwhile stay, and a notice names them.
 */
import type { ModsEnablingUndo } from "./put-to-work.ts";
import type { Stores } from "./stores.ts";
import type { Undo } from "./take-back.ts";
import type { Turn } from "./turns.ts";

interface Taken {
  readonly text: string;
  readonly mods: ModsEnablingUndo;
  /**
   * The turns before the change, and a function that restores them, which returns false if they were edited since; null if the
   * turns were not replaced.
   */
  readonly turns: { readonly before: readonly Turn[]; readonly undo: () => boolean } | null;
  readonly others: readonly Undo[];
}

export function offerUndo(stores: Stores, { text, mods, turns, others }: Taken): void {
  const { conversation, notices } = stores;
  const run = () => {
    const staying = mods.undo();
    for (const undo of others) undo();
    const stays =
      staying.length > 0
        ? `These mods were switched off instead of removed, because you have edited them since: ${staying.join(" and ")}.`
        : "";
    if (!turns || turns.undo()) {
      if (stays !== "") notices.getState().show(stays);
      return;
    }
    const putBack = () => {
      const undo = conversation.getState().replace(turns.before);
      notices.getState().show("The earlier prompt is restored.", { label: "Undo", run: undo });
    };
    notices
      .getState()
      .show(
        `${stays} The earlier prompt was not restored, because you have edited the prompt since.`.trim(),
        {
          label: "Restore the earlier prompt",
          run: putBack,
        },
      );
  };
  notices.getState().show(text, { label: "Undo", run });
}
