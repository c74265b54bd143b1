/** The data that this browser saves, read on demand and after each change. */
import { useCallback, useEffect, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { type CachedModel, listCachedModels } from "../../../runtime/session/page-side/cached-models.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { readStorageSpace, type StorageSpace } from "../../runs/storage-room.ts";
import { useStores } from "../store/stores.ts";
import { type CachedPage, readCachedPage } from "./cached-page.ts";
import { isOfflineWanted } from "./offline-choice.ts";

export interface StoredDataOverview {
  readonly isWanted: boolean;
  /** Null if the browser has saved no part of the page; a sentence if that is unknown. */
  readonly page: CachedPage | string | null;
  readonly models: readonly CachedModel[] | string;
  readonly catalog: readonly CatalogEntry[];
  readonly runs: { readonly count: number; readonly bytes: number } | null;
  readonly room: StorageSpace | null;
}

/** Null until it is read. */
export function useStoredDataOverview(): {
  readonly stored: StoredDataOverview | null;
  readonly readAgain: () => Promise<void>;
} {
  const { engine, runs } = useStores();
  const [stored, setStored] = useState<StoredDataOverview | null>(null);
  const readAgain = useCallback(async () => {
    const joinWithOr = <Value>(reading: Promise<Value>): Promise<Value | string> => reading.catch(messageOf);
    const [page, models, catalog, listed, room] = await Promise.all([
      joinWithOr(readCachedPage()),
      "caches" in globalThis ? joinWithOr(listCachedModels()) : [],
      // The list of models in the bar reports its own errors.
      engine.listModels().catch(() => []),
      runs.list().catch(() => null),
      readStorageSpace(),
    ]);
    const runMetadata = listed && {
      count: listed.length,
      bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    setStored({ isWanted: isOfflineWanted(), page, models, catalog, runs: runMetadata, room });
  }, [engine, runs]);
  useEffect(() => void readAgain(), [readAgain]);
  return { stored, readAgain };
}
