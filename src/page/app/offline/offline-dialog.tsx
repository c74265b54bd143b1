/**
 * Shows the data that this browser saves for use without a network: parts of the page and models, the room that is
 * left, and the user's choice.
 */
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import {
  cacheModel,
  hasNewerVersion,
  removeCachedModel,
  repairCachedModel,
  updateCachedModel,
} from "../../../runtime/session/page-side/cached-models.ts";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { countWithNoun, formatBytes } from "../../../view/ui/format.ts";
import { ProgressLine } from "../../../view/ui/share-done.tsx";
import { lowStorageBytes } from "../../runs/storage-room.ts";
import { PersistStorageButton } from "../history/persist.tsx";
import { askToPersist } from "./ask-persist.ts";
import { CachedModelsList } from "./cached-models-list.tsx";
import { cacheWholePage } from "./cached-page.ts";
import { CachedPageParts } from "./cached-page-parts.tsx";
import { checkResultLabel } from "./check-result-label.ts";
import { modelRows } from "./model-rows.ts";
import { chooseOfflineUse } from "./offline-choice.ts";
import { startOfflineUse, stopOfflineUse } from "./offline-use.ts";
import { type StoredDataOverview, useStoredDataOverview } from "./use-stored-files.ts";
import "../../../view/ui/form.css";
import "./offline-dialog.css";

interface Work {
  readonly what: string;
  readonly share: number;
}

export type OnProgress = (done: number, all: number) => void;

/** Does long work, shows its progress, and reads the saved data again afterwards. The returned text is shown. */
export type DoWork = (
  what: string,
  act: (signal: AbortSignal, onProgress: OnProgress) => Promise<string | undefined>,
) => void;

export function OfflineDialog({ onClose }: { onClose: () => void }) {
  const { stored, readAgain } = useStoredDataOverview();
  const [work, setWork] = useState<Work | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const doWork: DoWork = async (what, act) => {
    const controller = new AbortController();
    stop.current = controller;
    setProblem(null);
    setOutcome(null);
    setWork({ what, share: 0 });
    try {
      const said = await act(controller.signal, (done, all) =>
        setWork({ what, share: all === 0 ? 1 : done / all }),
      );
      setOutcome(said ?? null);
    } catch (cause) {
      if (!controller.signal.aborted) setProblem(messageOf(cause));
    }
    stop.current = null;
    await readAgain();
    setWork(null);
  };
  return (
    <Dialog
      title="Saved in this browser"
      onClose={onClose}
      footer={
        <>
          <div className="kept-work">
            {work && <ProgressLine what={work.what} share={work.share} />}
            {problem !== null && (
              <p className="field-error" role="alert">
                {problem}
              </p>
            )}
            <p role="status">{outcome}</p>
          </div>
          {work ? (
            <Button onClick={() => stop.current?.abort()}>Stop</Button>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )}
        </>
      }
    >
      <p className="kept-lead">
        Everything that you have used once also works offline, because this browser saves the files of the
        page and of models. Runs, mods and vectors are always saved; they leave this device only if you share
        them.
      </p>
      {stored === null ? (
        <p role="status">Looking for saved files …</p>
      ) : (
        <Everything stored={stored} doWork={doWork} isBusy={work !== null} />
      )}
    </Dialog>
  );
}

/** Milliseconds to wait for files that are saved quickly; on a slow network the download continues afterwards. */
const longestStart = 10_000;

async function cacheAgain(): Promise<void> {
  await startOfflineUse();
  const patience = new Promise((resolve) => setTimeout(resolve, longestStart));
  await Promise.race([navigator.serviceWorker?.ready, patience]);
}

interface EverythingProps {
  readonly stored: StoredDataOverview;
  readonly isBusy: boolean;
  readonly doWork: DoWork;
}

function Everything({ stored, isBusy, doWork }: EverythingProps) {
  const { page, models, catalog, runs, room, isWanted } = stored;
  return (
    <>
      <CachedPageParts
        page={page}
        isWanted={isWanted}
        isBusy={isBusy}
        onCache={() =>
          doWork("Saving the page", async (signal, onProgress) => {
            if (page && typeof page !== "string") await cacheWholePage(page, { signal, onProgress });
          })
        }
        onChoose={(wanted) =>
          doWork(wanted ? "Saving the page" : "Removing the page", async () => {
            chooseOfflineUse(wanted);
            if (wanted) await cacheAgain();
            else await stopOfflineUse();
          })
        }
      />
      <CachedModelsList
        rows={typeof models === "string" ? [] : modelRows(catalog, models)}
        problem={typeof models === "string" ? models : null}
        isBusy={isBusy}
        onCache={(entry) =>
          doWork(`Saving ${entry.title}`, async (signal, onProgress) => {
            if (room && entry.downloadBytes > room.left)
              throw new Error(
                `${entry.title} takes ${formatBytes(entry.downloadBytes)}, but only ${formatBytes(room.left)} is left. Remove something first.`,
              );
            if (entry.origin === "hub") void askToPersist();
            await cacheModel(entry, { signal, onProgress });
          })
        }
        onCheck={(url, title) =>
          doWork(`Checking ${title}`, async (signal, onProgress) => {
            const damaged = await repairCachedModel(url, { signal, onProgress });
            return checkResultLabel(title, damaged, await hasNewerVersion(url));
          })
        }
        onUpdate={(url, title) =>
          doWork(`Updating ${title}`, async (signal, onProgress) => {
            const isNew = await updateCachedModel(url, { signal, onProgress });
            return isNew
              ? `${title} is now the newest version on Hugging Face. The model uses this version the next time it is loaded.`
              : `${title} is already the newest version on Hugging Face.`;
          })
        }
        onRemove={(url) => doWork("Removing the model", async () => void (await removeCachedModel(url)))}
      />
      <section className="kept-part" aria-label="Storage space">
        <h3>Storage space</h3>
        <p className={room && room.left < lowStorageBytes ? "field-error" : undefined}>
          {runs &&
            `${countWithNoun(runs.count, "run")} ${runs.count === 1 ? "takes" : "take"} ${formatBytes(runs.bytes)}. `}
          {room
            ? `In total, ${formatBytes(room.used)} is in use here; ${formatBytes(room.left)} is left.`
            : "This browser does not report how much space is left."}
        </p>
        {room?.isPersistent === false && (
          <p>
            <PersistStorageButton />
          </p>
        )}
        {room?.isPersistent === true && (
          <p>The browser has promised not to clear these files automatically.</p>
        )}
      </section>
    </>
  );
}
