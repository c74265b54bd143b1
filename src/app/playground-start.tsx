/** Puts the playground together: stores over an engine, and what a first visit starts with. */
import { useEffect, useState } from "react";
import { examples } from "../examples/index.ts";
import { PlaygroundView } from "./playground.tsx";
import { messageOf } from "./store/model-store.ts";
import {
  createStores,
  type Engine,
  type FirstVisit,
  type PageStores,
  type Stores,
  StoresProvider,
} from "./store/stores.ts";
import { turnsOf } from "./store/take-example.ts";

/** The mod that a first visit finds. */
const firstExample = "rename-hero";

let stores: Stores | null = null;

export function PlaygroundStart({ page, startEngine }: { page: PageStores; startEngine: () => Engine }) {
  const [made] = useState(() => {
    stores ??= createStores(page, startEngine(), firstVisit());
    return stores;
  });
  useEffect(() => void chooseFirstModel(made), [made]);
  return (
    <StoresProvider value={made}>
      <PlaygroundView />
    </StoresProvider>
  );
}

function firstVisit(): FirstVisit {
  const example = examples.find(({ name }) => name === firstExample);
  if (!example) throw new Error(`The gallery has no mod named ${firstExample}.`);
  return {
    mods: [{ name: example.name, source: example.source, enabled: true }],
    turns: turnsOf(example.suggestedPrompt),
  };
}

/** The first model of the list, where none was chosen before. */
async function chooseFirstModel({ model, engine, notices }: Stores): Promise<void> {
  if (model.getState().choice) return;
  try {
    const [first] = await engine.listModels();
    if (first && !model.getState().choice) model.getState().choose(first.reference);
  } catch (cause) {
    notices.getState().show(`The list of models could not be read: ${messageOf(cause)}`);
  }
}
