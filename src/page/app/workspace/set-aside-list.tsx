/** Stored texts that the page cannot use: saved as a file, or deleted. */
import { useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import { RemoveButton } from "../offline/remove-button.tsx";
import { saveFile } from "../share/save-file.ts";
import { damagedEntries } from "../store/damage-store.ts";
import { useStores } from "../store/stores.ts";

/** Entries that are named one by one; the file has all of them. */
const mostNamed = 8;

export function SetAsideList() {
  const entries = damagedEntries(useStore(useStores().damage));
  const [problem, setProblem] = useState<string | null>(null);
  if (entries.length === 0) return null;
  const attempt = (act: () => Promise<void>) => {
    setProblem(null);
    act().catch((cause: unknown) => setProblem(messageOf(cause)));
  };
  const save = async () => {
    const lines: Blob[] = [];
    // The entries are read one after another into Blobs, which the browser may hold on disk.
    for (const entry of entries) lines.push(new Blob([await entry.read()]));
    const name = `midtoken-set-aside-${new Date().toISOString().slice(0, 10)}.jsonl`;
    saveFile(name, new Blob(lines, { type: "application/jsonl" }));
  };
  const remove = async () => {
    for (const entry of entries) await entry.remove();
  };
  const whys = [...new Set(entries.map(({ why }) => why))];
  return (
    <section className="workspace-aside" aria-label="Set aside">
      <h3>Set aside</h3>
      <p>
        The page cannot use the saved data below. Save it as a file before you delete it; you can read the
        file in a text editor.
      </p>
      <ul>
        {whys.slice(0, mostNamed).map((why) => (
          <li key={why}>{why}</li>
        ))}
        {whys.length > mostNamed && (
          <li>
            {countWithNoun(whys.length - mostNamed, "more reason")}: the file that you save lists all of them.
          </li>
        )}
      </ul>
      <div className="workspace-aside-actions">
        <Button onClick={() => attempt(save)}>Save the unusable entries</Button>
        <RemoveButton
          label="Delete …"
          name="Delete the unusable entries"
          asks="You cannot undo this."
          disabled={false}
          onRemove={() => attempt(remove)}
        />
      </div>
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
