/** The seed of the next run, or a new one each time. */
import { useStore } from "zustand";
import { IconButton } from "../../../view/ui/button.tsx";
import { useNumberEntry } from "../../../view/ui/number-entry.ts";
import { useStores } from "../store/stores.ts";

const largest = 0xffffffff;

/** The label's longest text has its room from the start, so that nothing moves when the label changes. */
const ofNextRun = "next seed";

/** `last`: the seed of the shown run. */
function seedHint(seed: number | null, last: number | null): string {
  if (seed !== null)
    return "Seed of the next run. The same seed, model, mods and settings give the same words.";
  return last === null ? "Each run uses a new seed." : "Seed of the shown run. The next run uses a new seed.";
}

export function SeedField() {
  const { settings, run } = useStores();
  const { seed, change } = useStore(settings);
  const last = useStore(run, ({ trace, version }) => (version >= 0 ? (trace.request?.seed ?? null) : null));
  // Any other run on the page has a seed of its own.
  const isOfNextRun = seed !== null && last !== null && last !== seed;
  const entry = useNumberEntry({
    value: seed ?? 0,
    min: 0,
    max: largest,
    step: 1,
    onChange: (value) => change({ seed: value }),
  });
  return (
    <div className="seed">
      <label htmlFor="seed" data-longest={ofNextRun}>
        {isOfNextRun ? ofNextRun : "seed"}
      </label>
      <input
        id="seed"
        title={seedHint(seed, last)}
        type={seed === null ? "text" : "number"}
        disabled={seed === null}
        min={0}
        max={largest}
        step={1}
        value={seed === null ? (last ?? "new") : entry.text}
        aria-invalid={seed !== null && !entry.isValid}
        onChange={({ target }) => entry.onText(target.value)}
        onFocus={entry.onFocus}
        onBlur={entry.onBlur}
      />
      <IconButton
        icon={seed === null ? "dice" : "lock"}
        label={
          seed === null
            ? "A new seed is used for each run. Click to lock this seed."
            : "The seed is locked. Click to use a new seed for each run."
        }
        aria-pressed={seed === null}
        onClick={() => change({ seed: seed === null ? (last ?? 42) : null })}
      />
    </div>
  );
}
