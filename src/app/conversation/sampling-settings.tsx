/** How one token is chosen from what the model thinks: folded to a summary until opened. */
import { type ReactNode, useId } from "react";
import { useStore } from "zustand";
import { defaultSampling, type SamplingSettings as Sampling } from "../../sdk/request.ts";
import { type SamplingNumber, type Settings, samplingRanges } from "../store/settings-store.ts";
import { useStores } from "../store/stores.ts";
import { Icon } from "../ui/icon.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { Segmented } from "../ui/segmented.tsx";

const numbers: readonly { readonly name: SamplingNumber; readonly label: string; readonly does: string }[] = [
  {
    name: "temperature",
    label: "Temperature",
    does: "Lower keeps to the likely; 0 always takes the likeliest.",
  },
  {
    name: "topP",
    label: "Top-p",
    does: "Keeps the likeliest tokens that together reach this share; 1 is off.",
  },
  { name: "topK", label: "Top-k", does: "Keeps this many of the likeliest tokens; 0 is off." },
  {
    name: "minP",
    label: "Min-p",
    does: "Drops tokens less likely than this part of the likeliest; 0 is off.",
  },
  {
    name: "repetitionPenalty",
    label: "Repetition penalty",
    does: "Above 1, tokens seen before become less likely.",
  },
  {
    name: "presencePenalty",
    label: "Presence penalty",
    does: "Taken once from each token already written; 0 is off.",
  },
  {
    name: "frequencyPenalty",
    label: "Frequency penalty",
    does: "Taken for each time a token was written; 0 is off.",
  },
];

export function SamplingSettings() {
  const { settings } = useStores();
  const state = useStore(settings);
  return (
    <details className="sampling">
      <summary>
        <Icon name="right" />
        <span className="sampling-title">Sampling</span>
        <span className="sampling-summary">{summaryOf(state)}</span>
      </summary>
      <div className="sampling-fields">
        {numbers.map(({ name, label, does }) => (
          <Field key={name} label={label} does={does}>
            {(id) => (
              <NumberField
                label={label}
                describedBy={id}
                value={state.sampling[name]}
                {...samplingRanges[name]}
                onChange={(value) => state.changeSampling({ [name]: value })}
              />
            )}
          </Field>
        ))}
        <Field label="Most tokens" does="The run ends after this many.">
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
        </Field>
        <StopField />
        <Field label="When a mod fails" does="End the run, or switch the mod off and go on.">
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
        </Field>
      </div>
    </details>
  );
}

interface FieldProps {
  readonly label: string;
  readonly does: string;
  readonly children: (describedBy: string) => ReactNode;
}

function Field({ label, does, children }: FieldProps) {
  const id = useId();
  return (
    <div className="setting">
      <span className="setting-label" aria-hidden="true">
        {label}
      </span>
      {children(id)}
      <span id={id} className="setting-does">
        {does}
      </span>
    </div>
  );
}

/** One text per line; `\n` stands for a line break. */
function StopField() {
  const { settings } = useStores();
  const { stop, change } = useStore(settings);
  const shown = stop.map((text) => text.replaceAll("\n", "\\n")).join("\n");
  return (
    <Field label="Stop texts" does="One per line; the run ends before any of them. \n is a line break.">
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
    </Field>
  );
}

/** What differs from plain sampling, in a few words. */
function summaryOf({ sampling, maxTokens, stop }: Settings): string {
  const short: Partial<Record<keyof Sampling, string>> = {
    topP: "top-p",
    topK: "top-k",
    minP: "min-p",
    repetitionPenalty: "repetition",
    presencePenalty: "presence",
    frequencyPenalty: "frequency",
  };
  const parts = [`temperature ${sampling.temperature}`];
  for (const { name } of numbers) {
    if (short[name] && sampling[name] !== defaultSampling[name])
      parts.push(`${short[name]} ${sampling[name]}`);
  }
  parts.push(`${maxTokens} tokens`);
  if (stop.length > 0) parts.push(`${stop.length} stop`);
  return parts.join(" · ");
}
