/** In the gallery: the mods that the user deleted in the last 30 days, each with a button that restores it. */
import { useEffect, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import type { ModVersion } from "../../runs/version-repository.ts";
import { presentModIds } from "../store/save-versions.ts";
import { useStores } from "../store/stores.ts";

export function DeletedMods({ onRestored }: { onRestored: () => void }) {
  const stores = useStores();
  const { runs, mods, notices } = stores;
  const [deleted, setDeleted] = useState<readonly ModVersion[]>([]);
  useEffect(() => {
    let isGone = false;
    runs.versions.deleted(presentModIds(stores)).then(
      (found) => !isGone && setDeleted(found),
      // Without a database there is nothing to restore. Another place on the page says that it cannot be used.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [runs, stores]);
  if (deleted.length === 0) return null;
  const restore = ({ mod: id, name, source, entry, needs }: ModVersion) => {
    try {
      mods.getState().restore({ id, name, source, entry: entry ?? null, needs: needs ?? null });
      // Replaces the notice about the deletion, whose Undo would do nothing.
      const undo = { label: "Undo", run: () => void mods.getState().remove(id) };
      notices.getState().show(`${name} was restored.`, undo);
      onRestored();
    } catch (cause) {
      notices.getState().fail(`${name} was not restored. ${messageOf(cause)}`);
    }
  };
  const forget = (version: ModVersion) => {
    setDeleted((before) => before.filter((each) => each !== version));
    runs.versions.forget(version.mod).catch((cause: unknown) => {
      setDeleted((before) => [version, ...before]);
      notices.getState().fail(`${version.name} was not deleted for good. ${messageOf(cause)}`);
    });
  };
  return (
    <details className="gallery-deleted">
      <summary>{`Recently deleted: ${countWithNoun(deleted.length, "mod")}`}</summary>
      <p>A deleted mod can be restored for 30 days.</p>
      <ul>
        {deleted.map((version) => (
          <li key={version.mod}>
            <span translate="no">{version.name}</span>
            <small>{countWithNoun(version.source.split("\n").length, "line")}</small>
            <Button aria-label={`Restore ${version.name}`} onClick={() => restore(version)}>
              Restore
            </Button>
            <Button
              weight="quiet"
              aria-label={`Delete ${version.name} for good`}
              onClick={() => forget(version)}
            >
              Delete for good
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
