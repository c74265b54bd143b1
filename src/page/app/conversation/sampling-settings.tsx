/** The sampling settings, folded to a summary until opened. */
import { useStore } from "zustand";
import { countWithNoun } from "../../../core/base/number-text.ts";
import { samplingNumbers } from "../../../core/base/sampling.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { hasOwnLimits } from "../store/limit-settings.ts";
import type { Settings } from "../store/settings-store.ts";
import { useStores } from "../store/stores.ts";
import { FoldedSettingsSection } from "./folded-settings.tsx";
import { shownSamplingNames } from "./shown-names.ts";

/** The fields are folded at first, so they are fetched after the first screen. */
const SamplingFields = lazyPart<"SamplingFields", object>({
  part: "The settings of sampling",
  load: () => import("./sampling-fields.tsx"),
  component: "SamplingFields",
});

export function SamplingSettingsPanel() {
  const { settings } = useStores();
  const state = useStore(settings);
  return (
    <FoldedSettingsSection className="sampling" title="Sampling" summary={summaryOf(state)}>
      <SamplingFields />
    </FoldedSettingsSection>
  );
}

/** The settings that differ from plain sampling, in a few words. */
function summaryOf({ sampling, maxTokens, stop, bannedStrings, limits }: Settings): string {
  const parts = shownSamplingNames
    .filter((name) => name === "temperature" || sampling[name] !== samplingNumbers[name].neutral)
    .map((name) => `${samplingNumbers[name].short} ${sampling[name]}`);
  parts.push(`${maxTokens} tokens`);
  if (stop.length > 0) parts.push(countWithNoun(stop.length, "stop sequence"));
  if (bannedStrings.length > 0) parts.push(countWithNoun(bannedStrings.length, "banned text"));
  if (hasOwnLimits(limits)) parts.push("custom limits");
  return parts.join(" · ");
}
