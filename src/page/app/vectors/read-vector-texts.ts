/** Reads the texts of a vector through the page's model. */
import type { ReadTextStates, TextStates, VectorTexts } from "../../../core/vectors/text-states.ts";
import { placesOf, readTexts } from "../../../core/vectors/text-states.ts";
import type { Stores } from "../store/stores.ts";

export interface VectorTextsProgress {
  readonly what: string;
  /** 0 to 1. */
  readonly share: number;
}

export interface VectorTextStates {
  readonly states: TextStates;
  readonly modelId: string;
}

interface ReadOptions {
  readonly signal: AbortSignal;
  onProgress(progress: VectorTextsProgress): void;
}

/** Loads the model if necessary. @throws Error with a sentence; the signal's reason if aborted. */
export async function readVectorTextStates(
  { model, engine }: Pick<Stores, "model" | "engine">,
  texts: VectorTexts,
  { signal, onProgress }: ReadOptions,
): Promise<VectorTextStates> {
  const { session } = engine;
  onProgress({ what: "Loading the model", share: 0 });
  const loaded = await model.getState().load();
  signal.throwIfAborted();
  if (!loaded) {
    const { status } = model.getState();
    throw new Error(status.type === "failed" ? status.message : "The model was not loaded.");
  }
  const all = texts.toward.length + texts.away.length;
  let done = 0;
  const report = (what = "Reading the texts") => onProgress({ what, share: done / all });
  const read: ReadTextStates = async (text, how) => {
    const prompt = {
      messages: [{ role: "user", content: text }],
      ...(how.as === "text" && { rawPrompt: true }),
    } as const;
    const tokens = await session.tokenizePrompt(prompt, signal);
    const { layerCount, hiddenSize, places } = await session.readLayers(
      {
        tokens: tokens.map(({ token }) => token),
        places: placesOf(tokens.length, how.tokens),
        hidden: "all",
      },
      { signal, onOpening: (opening) => report(opening ? "Preparing the model’s layers" : undefined) },
    );
    return { layerCount, hiddenSize, tokens: places.flatMap(({ hidden }) => hidden ?? []) };
  };
  report();
  const states = await readTexts(texts, read, {
    signal,
    onText(count) {
      done = count;
      report();
    },
  });
  return { states, modelId: loaded.id };
}

/** The texts of a field, one per line: lines that are not empty, without the spaces around them. */
export function nonEmptyLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
