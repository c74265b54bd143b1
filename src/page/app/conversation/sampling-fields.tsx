/** The fields of sampling: numbers, the end of a run, and the limits. */
import { useState } from "react";
import { useStore } from "zustand";
import { samplingNumbers } from "../../../core/base/sampling.ts";
import { formatCount } from "../../../view/ui/format.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { NumberField } from "../../../view/ui/number-field.tsx";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
import { largestMaxTokens } from "../store/settings-store.ts";
import { useStores } from "../store/stores.ts";
import { samplingHints } from "./sampling-hints.ts";
import { SettingField } from "./setting-field.tsx";
import { shownSamplingNames } from "./shown-names.ts";

/** Folded within the fields: fetched after them. */
const LimitSettingsPanel = lazyPart({
  part: "The limits",
  load: () => import("./limit-settings.tsx"),
  component: "LimitSettingsPanel",
});

export function SamplingFields() {
  const { model, settings } = useStores();
  const state = useStore(settings);
  const capacity = useStore(model, ({ status }) => (status.type === "ready" ? status.loaded.capacity : null));
  return (
    <>
      <div className="sampling-fields">
        {shownSamplingNames.map((name) => {
          const { label, min, max, step } = samplingNumbers[name];
          return (
            <SettingField key={name} label={label} does={samplingHints[name]}>
              {(id) => (
                <NumberField
                  label={label}
                  describedBy={id}
                  value={state.sampling[name]}
                  min={min}
                  max={max}
                  step={step}
                  onChange={(value) => state.changeSampling({ [name]: value })}
                />
              )}
            </SettingField>
          );
        })}
        <SettingField label="Max tokens" does={`The run ends after this many tokens.${roomOf(capacity)}`}>
          {(id) => (
            <NumberField
              label="Max tokens"
              describedBy={id}
              value={state.maxTokens}
              min={1}
              max={largestMaxTokens}
              step={1}
              onChange={(maxTokens) => state.change({ maxTokens })}
            />
          )}
        </SettingField>
        <TextsField
          label="Stop sequences"
          does="One per line; the run ends before it writes any of these texts. \n is a line break."
          texts={state.stop}
          onChange={(stop) => state.change({ stop })}
        />
        <TextsField
          label="Banned texts"
          does="The model never writes these phrases. One per line; case is ignored."
          texts={state.bannedStrings}
          onChange={(bannedStrings) => state.change({ bannedStrings })}
        />
        <SettingField label="When a mod fails" does="End the run, or switch the mod off and continue.">
          {() => (
            <SegmentedControl
              label="When a mod fails"
              value={state.onModError}
              options={[
                { value: "stop", label: "End" },
                { value: "continue", label: "Continue" },
              ]}
              onChange={(onModError) => state.change({ onModError })}
            />
          )}
        </SettingField>
      </div>
      <LimitSettingsPanel />
    </>
  );
}

/** A longer prompt ends a run before its first token, so the limit is stated before the run. */
function roomOf(capacity: number | null): string {
  if (capacity === null) return "";
  return ` Prompt and output together have room for ${formatCount(capacity)} tokens in this model.`;
}

interface TextsFieldProps {
  readonly label: string;
  readonly does: string;
  readonly texts: readonly string[];
  readonly onChange: (texts: readonly string[]) => void;
}

/** One text per line; `\n` stands for a line break. Shows what was typed as long as the settings say the same. */
function TextsField({ label, does, texts, onChange }: TextsFieldProps) {
  const [typed, setTyped] = useState("");
  const shown = texts.map((text) => text.replaceAll("\n", "\\n")).join("\n");
  const isTyped = JSON.stringify(textsOf(typed)) === JSON.stringify(texts);
  return (
    <SettingField label={label} does={does}>
      {(id) => (
        <textarea
          className="field setting-stop"
          aria-label={label}
          aria-describedby={id}
          rows={2}
          spellCheck={false}
          value={isTyped ? typed : shown}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(textsOf(target.value));
          }}
        />
      )}
    </SettingField>
  );
}

function textsOf(lines: string): readonly string[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll("\\n", "\n"));
}
