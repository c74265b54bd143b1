/** The page's stores over storages in memory and a session that the test gives. */

import type { Session } from "../../../../runtime/session/page-side/session.ts";
import type { CatalogEntry } from "../../../../runtime/session/shared/catalog.ts";
import type { RunRepository } from "../../../runs/repository.ts";
import { createPageStores } from "../page-stores.ts";
import type { Storages } from "../persist.ts";
import { unusableTextHandling } from "../storage-guard.ts";
import { createStores, type FirstVisitContent, type Stores } from "../stores.ts";
import { createTestMemoryStorage } from "./memory-storage.ts";

export interface TestStoresOptions {
  readonly storages?: Storages;
  readonly events?: EventTarget;
  readonly session?: Partial<Session>;
  readonly models?: readonly CatalogEntry[];
  readonly first?: Partial<FirstVisitContent>;
  readonly runs?: RunRepository;
}

export function createTestStores(options: TestStoresOptions = {}): Stores {
  const page = createPageStores({
    guard: unusableTextHandling,
    ...(options.storages ?? { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() }),
  });
  return createStores(
    page,
    {
      session: {
        onModelGone: () => () => {},
        onMemory: () => () => {},
        setMemoryBudget: () => {},
        setHubAccess: () => {},
        setServerAccess: () => {},
        onNotice: () => () => {},
        keepReady: () => {},
        compileProblems: async () => [],
        exportedNames: async () => [],
        ...options.session,
      } as Session,
      answerFormatProblem: async () => null,
      listModels: async () => options.models ?? [],
      readModels: async () => options.models ?? [],
    },
    { mods: [], turns: [{ role: "user", text: "Once upon a time" }], ...options.first },
    options.events ?? new EventTarget(),
    options.runs,
  );
}

/** An entry of the list of models. */
export function createTestCatalogEntry(id: string, changes: Partial<CatalogEntry> = {}): CatalogEntry {
  return {
    title: id,
    description: "",
    tier: null,
    parameters: null,
    architecture: null,
    chatTemplate: null,
    weights: [{ dtype: "q4", bytes: 1000 }],
    float16Overflows: false,
    measured: true,
    reference: { id, url: `http://localhost/${id}/`, revision: null, dtype: { webgpu: "q4", wasm: "q4" } },
    hub: null,
    origin: "page",
    licence: "MIT",
    contextLength: 512,
    downloadBytes: 1000,
    needs: [],
    suggestedPrompt: "",
    ...changes,
  };
}
