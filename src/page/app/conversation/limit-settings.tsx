/** The limits of a run's work and of its mods' time, folded to a summary until opened. */
import { useStore } from "zustand";
import {
  type Deadlines,
  defaultDeadlines,
  defaultPassBudget,
  limitRanges,
} from "../../../runtime/session/shared/request-limits.ts";
import { Button } from "../../../view/ui/button.tsx";
import { formatCount } from "../../../view/ui/format.ts";
import { NumberField } from "../../../view/ui/number-field.tsx";
import { deadlineNames, defaultLimits, hasOwnLimits, withDeadline } from "../store/limit-settings.ts";
import type { Settings } from "../store/settings-store.ts";
import { useStores } from "../store/stores.ts";
import { FoldedSettingsSection } from "./folded-settings.tsx";
import { SettingField } from "./setting-field.tsx";

const deadlineLabels: Readonly<
  Record<keyof Deadlines, { readonly label: string; readonly what: string; readonly short: string }>
> = {
  load: { label: "Loading a mod, ms", what: "load its file", short: "load" },
  prefilled: {
    label: "Prompt event (prefilled), ms",
    what: "handle the prompt event",
    short: "prefilled",
  },
  event: { label: "All other events, ms", what: "handle one event", short: "event" },
};

export function LimitSettingsPanel() {
  const { settings } = useStores();
  const state = useStore(settings);
  const { limits, maxTokens, change } = state;
  const usual = defaultPassBudget(maxTokens);
  return (
    <FoldedSettingsSection className="limits" title="Limits" summary={summaryOf(state)}>
      <div className="sampling-fields">
        <SettingField
          label="Max forward passes"
          does={`The run ends after this many forward passes. Default: ${usual} (4 × Max tokens + 64).`}
        >
          {(id) => (
            <NumberField
              label="Max forward passes"
              describedBy={id}
              value={limits.budget ?? usual}
              {...limitRanges.budget}
              step={1}
              onChange={(value) => change({ limits: { ...limits, budget: value === usual ? null : value } })}
            />
          )}
        </SettingField>
        {deadlineNames.map((name) => {
          const { label, what } = deadlineLabels[name];
          return (
            <SettingField
              key={name}
              label={label}
              does={`A mod is stopped if it takes longer to ${what}. Default: ${defaultDeadlines[name]} ms.`}
            >
              {(id) => (
                <NumberField
                  label={label}
                  describedBy={id}
                  value={limits.deadlines[name] ?? defaultDeadlines[name]}
                  {...limitRanges.deadline}
                  step={1}
                  onChange={(value) => change({ limits: withDeadline(limits, name, value) })}
                />
              )}
            </SettingField>
          );
        })}
        <Button
          className="limits-reset"
          disabled={!hasOwnLimits(limits)}
          onClick={() => change({ limits: defaultLimits })}
        >
          Reset to defaults
        </Button>
      </div>
    </FoldedSettingsSection>
  );
}

/** The settings that differ from the defaults, in a few words. */
function summaryOf({ limits: { budget, deadlines } }: Settings): string {
  const own = deadlineNames.flatMap((name) =>
    deadlines[name] === undefined ? [] : [`${deadlineLabels[name].short} ${deadlines[name]} ms`],
  );
  const parts = budget === null ? own : [`at most ${formatCount(budget)} passes`, ...own];
  return parts.length === 0 ? "the defaults" : parts.join(" · ");
}
