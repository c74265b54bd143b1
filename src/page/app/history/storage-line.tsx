/** How much storage the runs take, how much is left, and how to free some. Only runs that the user chooses are deleted. */
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun, formatBytes } from "../../../view/ui/format.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { lowStorageBytes, type StorageSpace } from "../../runs/storage-room.ts";
import { useStores } from "../store/stores.ts";
import { PersistStorageButton } from "./persist.tsx";
import { removeRuns } from "./run-actions.ts";

interface StorageLineProps {
  readonly runs: readonly RunMetadata[];
  readonly room: StorageSpace | null;
  readonly onDialog: (dialog: "workspace" | "offline") => void;
}

export function StorageFooter({ runs, room, onDialog }: StorageLineProps) {
  const stores = useStores();
  const [isAsking, setAsking] = useState(false);
  const foot = useRef<HTMLElement>(null);
  const wasAsking = useRef(false);
  // Other buttons replace the pressed one, so the first of them gets the focus.
  useEffect(() => {
    if (isAsking === wasAsking.current) return;
    wasAsking.current = isAsking;
    const last = [...(foot.current?.querySelectorAll<HTMLElement>(".button") ?? [])].at(-1);
    (last ?? foot.current?.closest(".history")?.querySelector("input"))?.focus();
  }, [isAsking]);
  const unstarred = runs.filter(({ star }) => !star);
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  const isShort = room !== null && room.left < lowStorageBytes;
  const remove = () => {
    setAsking(false);
    void removeRuns(
      stores,
      unstarred.map(({ id }) => id),
    );
  };
  return (
    <footer ref={foot} className="history-foot">
      {isAsking ? (
        <>
          <p role="alert">
            Delete {countWithNoun(unstarred.length, "run")} without a star, including runs that are not shown
            here?
          </p>
          <div className="history-foot-actions">
            <Button weight="danger" onClick={remove}>
              Delete
            </Button>
            <Button weight="quiet" onClick={() => setAsking(false)}>
              Cancel
            </Button>
          </div>
        </>
      ) : (
        <>
          <p className={isShort ? "history-short" : undefined}>
            Saved runs use {formatBytes(bytes)}
            {room &&
              ` of the ${formatBytes(room.used)} that this page stores; ${formatBytes(room.left)} is free`}
            {isShort && ". Delete runs that you no longer need before the space runs out"}.{" "}
            {room?.isPersistent === false && <PersistStorageButton />}
          </p>
          <div className="history-foot-actions">
            <Button weight="quiet" onClick={() => onDialog("offline")}>
              Storage …
            </Button>
            <Button weight="quiet" onClick={() => onDialog("workspace")}>
              Save the workspace …
            </Button>
            {unstarred.length > 0 && (
              <Button weight="quiet" onClick={() => setAsking(true)}>
                Delete all unstarred …
              </Button>
            )}
          </div>
        </>
      )}
    </footer>
  );
}
