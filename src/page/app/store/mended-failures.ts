/** Removes the message that a run could not start as soon as the user changes what caused it. */
import type { Stores } from "./stores.ts";

/** Watches until the returned function is called. */
export function clearStartFailureOnChange({
  run,
  mods,
  conversation,
  settings,
  model,
  problems,
}: Stores): () => void {
  const mended = () => run.getState().forgetStartFailure();
  const stops = [
    mods.subscribe((now, before) => now.mods !== before.mods && mended()),
    conversation.subscribe(mended),
    problems.subscribe((now, before) => {
      if (before.missingCompiler !== null && now.missingCompiler === null) mended();
    }),
    settings.subscribe(
      (now, before) => (now.answer !== before.answer || now.sampling !== before.sampling) && mended(),
    ),
    model.subscribe((now, before) => {
      // Only a model that had failed counts: another model may become ready after the run failed for another reason.
      const isTriedAgain = before.status.type === "failed" && now.status.type !== "failed";
      // The page chooses the first model by itself, perhaps only after the failure.
      const isAnother = before.choice !== null && now.choice !== before.choice;
      if (isAnother || isTriedAgain) mended();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
