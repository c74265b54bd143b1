/** Makes the stores and passes them to components by context. Tests make stores of their own. */
import { createContext, useContext } from "react";
import type { StoreApi } from "zustand/vanilla";
import type { answerFormatProblem as AnswerFormatProblem } from "../../../runtime/session/page-side/client.ts";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { createRunRepository, type RunRepository } from "../../runs/repository.ts";
import { type BreakpointsState, createBreakpointsStore, parseBreakpoints } from "./breakpoints-store.ts";
import type { CompareState } from "./compare-state.ts";
import { createCompareStore } from "./compare-store.ts";
import {
  type ConversationState,
  createConversationStore,
  openStoredConversation,
} from "./conversation-store.ts";
import { createDamageStore, type DamageState } from "./damage-store.ts";
import { followMemoryBudget } from "./follow-memory-budget.ts";
import { createHubTokenStore, followHubToken, type HubTokenState } from "./hub-token-store.ts";
import { createModLibrary, damagedMods } from "./mod-library.ts";
import { createModelStore, type ModelState, parseChosenModel } from "./model-store.ts";
import { createModsStore, type ModsState, parseTabMods } from "./mods-store.ts";
import { newId } from "./new-id.ts";
import type { PageStores } from "./page-stores.ts";
import { openStoredValue } from "./persist.ts";
import { createProblemsStore, type ProblemsState } from "./problems-store.ts";
import { createRunStore, type RunState } from "./run-store.ts";
import { createSavingStore, type SavingState } from "./saving-store.ts";
import { createServerStore, type ServerState } from "./server-store.ts";
import type { NewTurn } from "./turns.ts";

/** The engine behind the playground. */
export interface EngineAccess {
  readonly session: Session;
  readonly answerFormatProblem: typeof AnswerFormatProblem;
  /** The models that the page offers, each with the weights that this device takes. */
  listModels(): Promise<readonly CatalogEntry[]>;
  /** The same list before the device was asked, which takes time. The first model is the default of the page. */
  readModels(): Promise<readonly CatalogEntry[]>;
}

export interface Stores extends PageStores {
  /** The window, which gets the events about other tabs. */
  readonly events: EventTarget;
  /** The saved runs of this browser. */
  readonly runs: RunRepository;
  readonly saving: StoreApi<SavingState>;
  readonly engine: EngineAccess;
  readonly mods: StoreApi<ModsState>;
  readonly conversation: StoreApi<ConversationState>;
  readonly model: StoreApi<ModelState>;
  readonly hubToken: StoreApi<HubTokenState>;
  readonly server: StoreApi<ServerState>;
  readonly problems: StoreApi<ProblemsState>;
  readonly run: StoreApi<RunState>;
  readonly compare: StoreApi<CompareState>;
  readonly breakpoints: StoreApi<BreakpointsState>;
  /** Stored texts that the page cannot use. */
  readonly damage: StoreApi<DamageState>;
}

/** The content of a first visit. */
export interface FirstVisitContent {
  readonly mods: readonly { readonly name: string; readonly source: string; readonly enabled: boolean }[];
  readonly turns: readonly NewTurn[];
}

export function createStores(
  page: PageStores,
  engine: EngineAccess,
  first: FirstVisitContent,
  events: EventTarget = window,
  runs: RunRepository = createRunRepository(),
): Stores {
  const { trouble } = page;
  // Fixed ids, the same in every tab: two tabs opened at once on a first visit then share these mods instead of making a
  // set each.
  const mods = first.mods.map((mod) => ({ ...mod, needs: null, entry: null, id: `first-${mod.name}` }));
  followMemoryBudget(page.settings, engine.session);
  const hubToken = createHubTokenStore(page.storages, trouble);
  followHubToken(hubToken, engine.session);
  engine.session.onNotice(page.notices.getState().show);
  const run = createRunStore(engine.session);
  const { browser } = page.storages;
  const damage = createDamageStore(browser);
  const reportMods = () => damage.getState().report("mods", damagedMods(browser, reportMods));
  reportMods();
  const turns = first.turns.map((turn) => ({ ...turn, id: newId() }));
  return {
    ...page,
    events,
    engine,
    runs,
    saving: createSavingStore(),
    mods: createModsStore(
      createModLibrary(page.storages.browser, trouble, events),
      openStoredValue(page.storages, "midtoken.desk.v2", parseTabMods, trouble),
      { mods, active: mods[0]?.id ?? null },
    ),
    conversation: createConversationStore(
      openStoredConversation(page.storages, trouble),
      { turns },
      page.notices.getState().show,
    ),
    model: createModelStore(
      engine.session,
      openStoredValue(page.storages, "midtoken.model.v1", parseChosenModel, trouble),
      async () => {
        const [first] = await engine.readModels();
        if (!first) throw new Error("The list of models is empty. Restore models.json from the repository.");
        return first.reference;
      },
    ),
    hubToken,
    server: createServerStore(page.storages, engine.session, trouble),
    problems: createProblemsStore(),
    breakpoints: createBreakpointsStore(
      openStoredValue(page.storages, "midtoken.breakpoints.v1", parseBreakpoints, trouble),
      run.getState().setBreakpoints,
    ),
    run,
    compare: createCompareStore({ run, runs }),
    damage,
  };
}

const Context = createContext<Stores | null>(null);

export const StoresProvider = Context.Provider;

/** @throws when used outside the playground. */
export function useStores(): Stores {
  const stores = useContext(Context);
  if (!stores) throw new Error("This component belongs inside the playground.");
  return stores;
}
