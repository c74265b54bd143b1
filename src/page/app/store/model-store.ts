/** The chosen model, and the progress of loading it. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { isSameModel } from "../../../core/base/is-same-model.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { PickedFiles } from "../../../runtime/session/page-side/available-weights.ts";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import type { EngineMemory } from "../../../runtime/session/shared/memory-budget.ts";
import type {
  DevicePreference,
  LoadProgress,
  ModelReference,
} from "../../../runtime/session/shared/protocol.ts";
import { asChoice, asRecord, asString, type StoredValue } from "./persist.ts";
import { isPickedFolder } from "./picked-address.ts";

export interface ChosenModel {
  readonly reference: ModelReference;
  readonly device: DevicePreference;
}

/** The progress of one file. */
export interface FileProgress {
  readonly file: string;
  readonly loadedBytes: number;
  readonly totalBytes: number;
  readonly fromCache: boolean;
  /** The part of `loadedBytes` that an earlier download had saved. Absent if downloads are not saved. */
  readonly resumedBytes?: number;
}

export type ModelStatus =
  | { readonly type: "none" }
  | {
      readonly type: "loading";
      /** `wait`: the load waits for the engine to start, or for the run before it to end. */
      readonly stage: "wait" | LoadProgress["stage"];
      readonly files: readonly FileProgress[];
      /** `performance.now()` at the start. */
      readonly startedMs: number;
      readonly nowMs: number;
    }
  /** The download is paused; callers that wait for the model go on waiting. */
  | { readonly type: "paused"; readonly files: readonly FileProgress[] }
  | { readonly type: "ready"; readonly loaded: LoadedModel }
  | { readonly type: "failed"; readonly message: string };

export interface ModelState {
  readonly choice: ChosenModel | null;
  readonly status: ModelStatus;
  /** The memory of the engine's models; null if there is no engine. */
  readonly memory: EngineMemory | null;
  /**
   * Chooses a model. The model is loaded when a run needs it; if it failed to load before, choosing it again loads it at once.
   * `files`: the files of a folder that the user picked, which replace the files at the model's address.
   */
  choose(reference: ModelReference, files?: PickedFiles): void;
  setDevice(device: DevicePreference): void;
  /**
   * Resolves with the chosen model once it is ready, or with null if loading failed or was cancelled (see `status`). Rejects if
   * there is no model to choose. Continues a paused download.
   */
  load(): Promise<LoadedModel | null>;
  /** Pauses a download: the downloaded part stays, and `load` continues it. Does nothing in another stage. */
  pause(): void;
  cancel(): void;
}

interface Loading {
  /** The controller of the current attempt. A pause ends an attempt, and the next one begins when the user resumes. */
  abort: AbortController;
  readonly result: Promise<LoadedModel | null>;
  readonly settle: (loaded: LoadedModel | null) => void;
}

function newLoading(): Loading {
  let settle: Loading["settle"] = () => {};
  const result = new Promise<LoadedModel | null>((resolve) => {
    settle = resolve;
  });
  return { abort: new AbortController(), result, settle };
}

interface LoadCallbacks {
  readonly onStart: () => void;
  readonly onProgress: (progress: LoadProgress) => void;
}

interface LoadAttempt {
  readonly load: (callbacks: LoadCallbacks) => Promise<LoadedModel>;
  /** Whether the attempt still counts: nobody ended it, and no later attempt has begun. */
  readonly current: () => boolean;
  readonly set: StoreApi<ModelState>["setState"];
  /** Called with the loaded model, or with null if loading failed, just before the final status is set. */
  readonly onEnd: (loaded: LoadedModel | null) => void;
}

/** Shows the progress and the end of one attempt to load a model. */
function followLoad({ load, current, set, onEnd }: LoadAttempt): void {
  const startedMs = performance.now();
  set({ status: { type: "loading", stage: "wait", files: [], startedMs, nowMs: startedMs } });
  const onProgress = (progress: LoadProgress) => {
    if (current()) set(({ status }) => ({ status: modelStatusAfter(status, progress, performance.now()) }));
  };
  const onStart = () => {
    if (!current()) return;
    const now = performance.now();
    set({ status: { type: "loading", stage: "download", files: [], startedMs: now, nowMs: now } });
  };
  const settle = (status: ModelStatus, loaded: LoadedModel | null) => {
    if (!current()) return;
    onEnd(loaded);
    set({ status });
  };
  load({ onStart, onProgress }).then(
    (loaded) => settle({ type: "ready", loaded }, loaded),
    (cause: unknown) => settle({ type: "failed", message: messageOf(cause) }, null),
  );
}

/** `firstModel` returns the model for users who chose none. */
export function createModelStore(
  session: Session,
  stored: StoredValue<ChosenModel>,
  firstModel: () => Promise<ModelReference>,
): StoreApi<ModelState> {
  let loading: Loading | null = null;
  /** The files of the chosen model, if the user picked its folder: the page may read them until it is closed. */
  let files: PickedFiles | undefined;
  const store = createStore<ModelState>()((set, get) => {
    const end = () => {
      loading?.abort.abort();
      loading?.settle(null);
      loading = null;
    };
    const setChoice = (choice: ChosenModel) => {
      end();
      set({ choice, status: { type: "none" } });
      stored.save(choice);
    };
    const begin = (choice: ChosenModel, own: Loading): void => {
      const abort = new AbortController();
      own.abort = abort;
      const load = (options: LoadCallbacks) =>
        session.loadModel(choice.reference, choice.device, { ...options, signal: abort.signal, files });
      const current = () => !abort.signal.aborted && loading?.abort === abort;
      const onEnd = (loaded: LoadedModel | null) => {
        loading = null;
        own.settle(loaded);
      };
      followLoad({ load, current, set, onEnd });
    };
    return {
      choice: stored.load(),
      status: { type: "none" },
      memory: null,
      choose(reference, picked) {
        const { choice, status, load } = get();
        const isNew = picked !== files;
        files = picked;
        if (!isNew && choice && isSameModel(choice.reference, reference)) {
          if (status.type === "failed") void load();
          return;
        }
        setChoice({ reference, device: choice?.device ?? "auto" });
      },
      setDevice(device) {
        const { choice } = get();
        if (choice && choice.device !== device) setChoice({ ...choice, device });
      },
      async load() {
        if (!get().choice) await chooseFirst(get, firstModel);
        const { choice, status } = get();
        if (status.type === "ready") return status.loaded;
        if (!choice) return null;
        if (status.type === "loading" && loading) return loading.result;
        if (isPickedFolder(choice.reference) && !files) {
          set({ status: { type: "failed", message: pickAgain(choice.reference.id) } });
          return null;
        }
        loading ??= newLoading();
        const { result } = loading;
        begin(choice, loading);
        return result;
      },
      pause() {
        const { status } = get();
        if (status.type !== "loading" || status.stage !== "download") return;
        loading?.abort.abort();
        set({ status: { type: "paused", files: status.files } });
      },
      cancel() {
        end();
        const { type } = get().status;
        if (type === "loading" || type === "paused") set({ status: { type: "none" } });
      },
    };
  });
  followEngine(session, store);
  return store;
}

/**
 * Marks the model as not loaded, so that the next run loads it again: its server has another key or other settings now.
 */
export function forgetLoadedModel(store: StoreApi<ModelState>): void {
  store.getState().cancel();
  store.setState({ status: { type: "none" } });
}

/** Chooses the first model, unless the user chooses one meanwhile. */
async function chooseFirst(get: () => ModelState, firstModel: () => Promise<ModelReference>): Promise<void> {
  const first = await firstModel();
  if (!get().choice) get().choose(first);
}

function followEngine(session: Session, store: StoreApi<ModelState>): void {
  // The page may say that a model is loaded only while the engine has it. The next run loads the model again.
  session.onModelGone(() => {
    if (store.getState().status.type === "ready") store.setState({ status: { type: "none" } });
  });
  session.onMemory((memory) => store.setState({ memory }));
}

function pickAgain(name: string): string {
  return `The browser no longer lets this page read the folder ${name}. Pick the folder again.`;
}

/** The status after one report. */
export function modelStatusAfter(status: ModelStatus, progress: LoadProgress, nowMs: number): ModelStatus {
  if (status.type !== "loading") return status;
  const { stage, ...file } = progress;
  const files = stage === "download" ? withFileProgress(status.files, file) : status.files;
  return { ...status, stage, files, nowMs };
}

/** The list with this file's progress in place of its earlier progress; a new file goes to the end. */
function withFileProgress(files: readonly FileProgress[], file: FileProgress): readonly FileProgress[] {
  const isKnown = files.some((each) => each.file === file.file);
  return isKnown ? files.map((each) => (each.file === file.file ? file : each)) : [...files, file];
}

/** Loaded bytes and total bytes. */
export function loadedBytesOf(files: readonly FileProgress[]): { loaded: number; total: number } {
  let loaded = 0;
  let total = 0;
  for (const { loadedBytes, totalBytes } of files) {
    loaded += loadedBytes;
    total += Math.max(totalBytes, loadedBytes);
  }
  return { loaded, total };
}

/** Loaded bytes, total bytes, bytes per second over the network, and seconds left; null for each value that is unknown. */
export function loadingMetrics(status: Extract<ModelStatus, { type: "loading" }>) {
  const { loaded, total } = loadedBytesOf(status.files);
  const downloads = status.files.filter(({ fromCache }) => !fromCache);
  const fetchedBytes = downloads.reduce((sum, file) => sum + file.loadedBytes - (file.resumedBytes ?? 0), 0);
  const seconds = (status.nowMs - status.startedMs) / 1000;
  const rate = seconds > 0.5 && fetchedBytes > 0 ? fetchedBytes / seconds : null;
  return { loaded, total, rate, secondsLeft: rate && total > loaded ? (total - loaded) / rate : null };
}

export function parseChosenModel(value: unknown): ChosenModel | null {
  const fields = asRecord(value);
  const reference = asRecord(fields?.reference);
  const dtype = asRecord(reference?.dtype);
  const id = asString(reference?.id);
  const url = asString(reference?.url);
  const webgpu = asString(dtype?.webgpu);
  const wasm = asString(dtype?.wasm);
  const device = asChoice(fields?.device, ["auto", "webgpu", "wasm"]) ?? "auto";
  if (!id || !url || !webgpu || !wasm) return null;
  const server = asString(reference?.server);
  const folder = { id, url, revision: asString(reference?.revision), dtype: { webgpu, wasm } };
  return { reference: server === null ? folder : { ...folder, server }, device };
}
