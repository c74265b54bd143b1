/** Shows the memory of the models, and its limit. */
import { useStore } from "zustand";
import { defaultMemoryBudget, deviceMemoryBytes } from "../../../runtime/session/shared/memory-budget.ts";
import { NumberField } from "../../../view/ui/number-field.tsx";
import { SettingField } from "../conversation/setting-field.tsx";
import { memoryBudgetRange } from "../store/settings-store.ts";
import { useStores } from "../store/stores.ts";
import { defaultMemoryBudgetSentence, loadedModelsSentence, modelMemorySentence } from "./memory-labels.ts";

const gigabyte = 1e9;
const label = "Memory for models, GB";

export function ModelMemory() {
  const { model, settings } = useStores();
  const memory = useStore(model, (state) => state.memory);
  const { memoryBudget, change } = useStore(settings);
  const usual = defaultMemoryBudget();
  const words = memory
    ? [modelMemorySentence(memory), loadedModelsSentence(memory)].filter(Boolean).join(" ")
    : "";
  return (
    <div className="model-memory">
      {words && <p className="model-reason">{words}</p>}
      <SettingField
        label={label}
        does={`Models stay loaded while they fit into this limit. If memory runs out, the least recently used model is unloaded. ${defaultMemoryBudgetSentence(usual, deviceMemoryBytes())}`}
      >
        {(id) => (
          <NumberField
            label={label}
            describedBy={id}
            value={(memoryBudget ?? usual) / gigabyte}
            min={memoryBudgetRange.min / gigabyte}
            max={memoryBudgetRange.max / gigabyte}
            step={0.1}
            onChange={(value) => {
              const bytes = Math.round(value * gigabyte);
              change({ memoryBudget: bytes === usual ? null : bytes });
            }}
          />
        )}
      </SettingField>
    </div>
  );
}
