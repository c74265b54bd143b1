/** Puts the playground together: stores over an engine, and what a first visit starts with. */
import { StrictMode, useEffect } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { messageOf } from "../../core/base/message-of.ts";
import { ErrorBoundary } from "../../view/ui/error-boundary.tsx";
import { plotTwist, swapName } from "../examples/catalog/first-visit.ts";
import { allowEditorToLoad } from "./editor/editor-turn.ts";
import { Notices } from "./notices.tsx";
import { PlaygroundView } from "./playground.tsx";
import { blockedStorageNotice, browserStorages } from "./store/browser-storage.ts";
import { createPageStores, readSettingsAgain } from "./store/page-stores.ts";
import { unusableTextHandling } from "./store/storage-guard.ts";
import {
  createStores,
  type EngineAccess,
  type FirstVisitContent,
  type Stores,
  StoresProvider,
} from "./store/stores.ts";
import { messagesToTurns } from "./store/turns.ts";
import { followTheme } from "./theme.ts";

/** The content of a first visit. With the first settings, both mods act within the first lines of the story. */
const firstVisit: FirstVisitContent = {
  mods: [swapName, plotTwist].map(({ name, source }) => ({ name, source, enabled: true })),
  turns: messagesToTurns(swapName.suggestedPrompt),
};

/** A model of at most so many bytes is loaded ahead of Run. Larger ones cost time and memory, and wait for Run. */
const loadAheadBytes = 5_000_000;

/** The editor comes after so many milliseconds at the latest, even when a server does not answer. */
const longestEditorWaitMs = 6_000;

/** The stores stay when the view is removed: a run continues while the user looks at a link. */
let stores: Stores | null = null;

function makeStores(startEngine: () => EngineAccess): Stores {
  const { browser, tab, isBlocked } = browserStorages();
  const page = createPageStores({ browser, tab, guard: unusableTextHandling });
  followTheme(page.settings);
  const made = createStores(page, startEngine(), firstVisit);
  if (isBlocked) made.saving.setState({ failure: blockedStorageNotice });
  return made;
}

/** Draws the playground. Returns a function that removes it. */
export function startPlayground(root: HTMLElement, startEngine: () => EngineAccess): () => void {
  if (stores) readSettingsAgain(stores);
  else stores = makeStores(startEngine);
  const drawn = createRoot(root);
  const page = (
    <StrictMode>
      <ErrorBoundary>
        <Playground stores={stores} />
        <Notices notices={stores.notices} />
      </ErrorBoundary>
    </StrictMode>
  );
  // Also runs the effects, which listen for keys and take a fork from a link, before anyone can see and use the page.
  flushSync(() => drawn.render(page));
  return () => drawn.unmount();
}

function Playground({ stores }: { stores: Stores }) {
  useEffect(() => void prepareModel(stores), [stores]);
  return (
    <StoresProvider value={stores}>
      <PlaygroundView />
    </StoresProvider>
  );
}

/**
 * Chooses the first model of the list if none was chosen before, and loads a small model from the page's own server before the
 * user presses Run.
 */
async function prepareModel({ model, engine, notices }: Stores): Promise<void> {
  setTimeout(allowEditorToLoad, longestEditorWaitMs);
  try {
    const entries = await engine.readModels();
    const [first] = entries;
    if (first && !model.getState().choice) model.getState().choose(first.reference);
    const url = model.getState().choice?.reference.url;
    const entry = entries.find(({ reference }) => reference.url === url);
    const isOwn = url !== undefined && new URL(url).origin === location.origin;
    if (entry && isOwn && entry.downloadBytes < loadAheadBytes) await model.getState().load();
  } catch (cause) {
    notices.getState().fail(`The list of models could not be read: ${messageOf(cause)}`);
  } finally {
    whenIdle(allowEditorToLoad);
  }
}

/** Runs `action` once the page has nothing else to do. */
function whenIdle(action: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(action, { timeout: 2000 });
  else setTimeout(action, 500);
}
