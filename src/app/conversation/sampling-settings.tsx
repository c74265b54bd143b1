/** How one token is chosen from what the model thinks: folded to a summary until opened. */
import { useStore } from "zustand";
import { samplingNames, samplingNumbers } from "../../base/sampling.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { hasOwnLimits } from "../store/limit-settings.ts";
import type { Settings } from "../store/settings-store.ts";
import { useStores } from "../store/stores.ts";
import { FoldedSettings } from "./folded-settings.tsx";
import { SettingField } from "./setting-field.tsx";

/** Folded within what is folded: fetched after what is seen. */
const LimitSettings = lazyPart({
  part: "The limits",
  load: () => import("./limit-settings.tsx"),
  component: "LimitSettings",
});

/**
 * The settings in the order in which they are shown: first those that choose among tokens, then the penalties on tokens
 * that came before.
 */
const shownNames = (["choice", "penalty"] as const).flatMap((group) =>
  samplingNames.filter((name) => samplingNumbers[name].group === group),
);

export function SamplingSettings() {
  const { settings } = useStores();
  const state = useStore(settings);
  return (
    <FoldedSettings className="sampling" title="Sampling" summary={summaryOf(state)}>
      <div className="sampling-fields">
        {shownNames.map((name) => {
          const { label, hint, min, max, step } = samplingNumbers[name];
          return (
            <SettingField key={name} label={label} does={hint}>
              {(id) => (
                <NumberField
                  label={label}
                  describedBy={id}
                  value={state.sampling[name]}
                  {...{ min, max, step }}
                  onChange={(value) => state.changeSampling({ [name]: value })}
                />
              )}
            </SettingField>
          );
        })}
        <SettingField label="Most tokens" does="The run ends after this many.">
          {(id) => (
            <NumberField
              label="Most tokens"
              describedBy={id}
              value={state.maxTokens}
              min={1}
              max={100_000}
              step={1}
              onChange={(maxTokens) => state.change({ maxTokens })}
            />
          )}
        </SettingField>
        <StopField />
        <SettingField label="When a mod fails" does="End the run, or switch the mod off and go on.">
          {() => (
            <Segmented
              label="When a mod fails"
              value={state.onModError}
              options={[
                { value: "stop", label: "End" },
                { value: "continue", label: "Go on" },
              ]}
              onChange={(onModError) => state.change({ onModError })}
            />
          )}
        </SettingField>
      </div>
      <LimitSettings />
    </FoldedSettings>
  );
}

/** One text per line; `\n` stands for a line break. */
function StopField() {
  const { settings } = useStores();
  const { stop, change } = useStore(settings);
  const shown = stop.map((text) => text.replaceAll("\n", "\\n")).join("\n");
  return (
    <SettingField
      label="Stop texts"
      does="One per line; the run ends before any of them. \n is a line break."
    >
      {(id) => (
        <textarea
          className="field setting-stop"
          aria-label="Stop texts"
          aria-describedby={id}
          rows={2}
          spellCheck={false}
          defaultValue={shown}
          onChange={({ target }) =>
            change({
              stop: target.value
                .split("\n")
                .filter((line) => line !== "")
                .map((line) => line.replaceAll("\\n", "\n")),
            })
          }
        />
      )}
    </SettingField>
  );
}

/** What differs from plain sampling, in a few words. */
function summaryOf({ sampling, maxTokens, stop, limits }: Settings): string {
  const parts = shownNames
    .filter((name) => name === "temperature" || sampling[name] !== samplingNumbers[name].neutral)
    .map((name) => `${samplingNumbers[name].short} ${sampling[name]}`);
  parts.push(`${maxTokens} tokens`);
  if (stop.length > 0) parts.push(`${stop.length} stop`);
  if (hasOwnLimits(limits)) parts.push("own limits");
  return parts.join(" · ");
}
