/** The earlier versions of a mod: each version that ran, its difference from the current mod, and a button that restores it. */
import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import type { ModVersion } from "../../runs/version-repository.ts";
import { formatWhen } from "../history/history-labels.ts";
import { useStores } from "../store/stores.ts";
import { SourceDiff } from "./source-diff.tsx";
import "./versions-dialog.css";

interface VersionsDialogProps {
  readonly mod: string;
  readonly onClose: () => void;
}

type Listed = { readonly versions: readonly ModVersion[] } | { readonly problem: string } | null;

export function VersionsDialog({ mod: id, onClose }: VersionsDialogProps) {
  const { mods: store, runs } = useStores();
  const mod = useStore(store, ({ mods }) => mods.find((each) => each.id === id));
  const [listed, setListed] = useState<Listed>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => {
    let isGone = false;
    runs.versions.list(id).then(
      (versions) => !isGone && setListed({ versions }),
      (cause: unknown) => !isGone && setListed({ problem: messageOf(cause) }),
    );
    return () => {
      isGone = true;
    };
  }, [runs, id]);
  const all = listed && "versions" in listed ? listed.versions : [];
  // The newest version usually equals the present mod.
  const versions = all.filter(({ source }, place) => place > 0 || source !== mod?.source);
  const version = versions.find(({ when }) => when === chosen) ?? versions[0];
  const labels = useMemo(() => ({ before: "The chosen version", after: "The current mod" }), []);
  if (!mod) return null;
  return (
    <Dialog
      title={`Versions of ${mod.name}`}
      onClose={onClose}
      wide
      footer={version && <Actions version={version} onClose={onClose} />}
    >
      {listed && "problem" in listed && <p role="alert">The versions could not be read. {listed.problem}</p>}
      {listed && "versions" in listed && !version && (
        <p className="versions-none">
          There is no earlier version yet. Each version that you run is saved here and can be restored.
        </p>
      )}
      {version && (
        <div className="versions">
          <ul className="versions-list" aria-label="Versions, newest first">
            {versions.map((each) => (
              <li key={each.when}>
                <button
                  type="button"
                  aria-current={each === version}
                  title={new Date(each.when).toLocaleString()}
                  onClick={() => setChosen(each.when)}
                >
                  {formatWhen(each.when, Date.now())}
                  {each.name !== mod.name && <span>{each.name}</span>}
                </button>
              </li>
            ))}
          </ul>
          <div className="versions-shown">
            <p>
              {version.source === mod.source
                ? "This version is the current mod."
                : "Lines with − were in this version; lines with + were added since."}
            </p>
            <SourceDiff before={version.source} after={mod.source} labels={labels} />
          </div>
        </div>
      )}
    </Dialog>
  );
}

/** Editing anywhere, Monaco takes away the white space that it had put at the ends of lines. */
function isSame(source: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n");
  return plain(source) === plain(other);
}

function Actions({ version, onClose }: { version: ModVersion; onClose: () => void }) {
  const { mods, notices, runs } = useStores();
  const bringBack = () => {
    const { mods: all, edit } = mods.getState();
    const now = all.find(({ id }) => id === version.mod);
    if (!now) return;
    // A source that never ran becomes a version when it is replaced.
    const saving = runs.versions.save({ mod: now.id, name: now.name, source: now.source, when: Date.now() });
    saving.catch((cause: unknown) =>
      notices
        .getState()
        .fail(`The version of ${now.name} that was replaced could not be saved. ${messageOf(cause)}`),
    );
    edit(now.id, version.source);
    notices.getState().show(`The chosen version of ${now.name} was restored.`, {
      label: "Undo",
      run() {
        const current = mods.getState().mods.find(({ id }) => id === now.id);
        if (current && isSame(current.source, version.source)) edit(now.id, now.source);
        else notices.getState().fail(`Not undone: you have edited ${now.name} since.`);
      },
    });
    onClose();
  };
  const copy = () => {
    mods.getState().add(version.name, version.source);
    onClose();
  };
  return (
    <>
      <Button onClick={copy}>Open as a new mod</Button>
      <Button weight="primary" onClick={bringBack}>
        Restore this version
      </Button>
    </>
  );
}
