/** Puts the playground together: stores over an engine, and what a first visit starts with. */
import { useEffect, useState } from "react";
import { messageOf } from "../base/message-of.ts";
import { examples } from "../examples/index.ts";
import { letEditorCome } from "./editor/editor-turn.ts";
import { PlaygroundView } from "./playground.tsx";
import {
  createStores,
  type EngineAccess,
  type FirstVisit,
  type PageStores,
  type Stores,
  StoresProvider,
} from "./store/stores.ts";
import { turnsOf } from "./store/take-example.ts";

/** The mods that a first visit finds: with the first settings they force, change and remove words in the first lines. */
const firstExamples = ["plot-twist", "second-thoughts"];

/** Larger models cost time and memory: they wait for Run. */
const loadAheadBytes = 5_000_000;

/** A server that does not answer must not keep the editor away. */
const longestEditorWaitMs = 6_000;

let stores: Stores | null = null;

export function PlaygroundStart({
  page,
  startEngine,
}: {
  page: PageStores;
  startEngine: () => EngineAccess;
}) {
  const [made] = useState(() => {
    stores ??= createStores(page, startEngine(), firstVisit());
    return stores;
  });
  useEffect(() => void prepareModel(made), [made]);
  return (
    <StoresProvider value={made}>
      <PlaygroundView />
    </StoresProvider>
  );
}

function firstVisit(): FirstVisit {
  const found = firstExamples.map((wanted) => {
    const example = examples.find(({ name }) => name === wanted);
    if (!example) throw new Error(`The gallery has no mod named ${wanted}.`);
    return example;
  });
  return {
    mods: found.map(({ name, source }) => ({ name, source, enabled: true })),
    turns: turnsOf(found[0]?.suggestedPrompt ?? []),
  };
}

/** Chooses the first model of the list where none was chosen before, and loads a small one from the page's own server ahead of Run. */
async function prepareModel({ model, engine, notices }: Stores): Promise<void> {
  setTimeout(letEditorCome, longestEditorWaitMs);
  try {
    const entries = await engine.listModels();
    const [first] = entries;
    if (first && !model.getState().choice) model.getState().choose(first.reference);
    const url = model.getState().choice?.reference.url;
    const entry = entries.find(({ reference }) => reference.url === url);
    const isOwn = url !== undefined && new URL(url).origin === location.origin;
    if (entry && isOwn && entry.downloadBytes < loadAheadBytes) await model.getState().load();
  } catch (cause) {
    notices.getState().show(`The list of models could not be read: ${messageOf(cause)}`);
  } finally {
    whenIdle(letEditorCome);
  }
}

/** Runs `action` once the page has nothing else to do. */
function whenIdle(action: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(action, { timeout: 2000 });
  else setTimeout(action, 500);
}
