/** “With and without”: the same prompt, settings and seeds, once with mods and once without. What does it is fetched when it is asked for. */
import { importPart } from "../../../core/base/import-part.ts";
import { Popover } from "../../../view/ui/popover.tsx";
import { tell } from "../history/tell.ts";
import type { Stores } from "../store/stores.ts";

type Actions = typeof import("./experiment-actions.ts");

/** Seeds that are offered. */
const seedCounts = [1, 8] as const;

export function startWithAndWithout(
  stores: Stores,
  start: (actions: Actions, stores: Stores) => Promise<void>,
): Promise<void> {
  return tell(stores, async () =>
    start(
      await importPart("What makes experiments", () => import("./experiment-actions.ts"), "startExperiment"),
      stores,
    ),
  );
}

interface WithWithoutMenuProps {
  /** It stands there while the run goes on, so that nothing moves when it ends. */
  readonly disabled: boolean;
  readonly onChoose: (seeds: number) => void;
}

/** For the run that is shown. */
export function WithWithoutMenu({ disabled, onChoose }: WithWithoutMenuProps) {
  return (
    <Popover
      label="With and without the mods"
      className="button button-quiet"
      align="end"
      disabled={disabled}
      trigger="With and without"
    >
      {(close) => (
        <div className="menu">
          {seedCounts.map((seeds) => (
            <button
              key={seeds}
              type="button"
              onClick={() => {
                close();
                onChoose(seeds);
              }}
            >
              {seeds === 1 ? "This run’s seed, once each" : `${seeds} seeds each, from this run’s on`}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}
