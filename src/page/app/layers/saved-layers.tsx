/** Stands below the table of layers: how much of the memory budget the cache takes, and a switch for hidden states. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import { saveFile } from "../share/save-file.ts";
import { useStores } from "../store/stores.ts";
import { type LayersReader, layersCacheBudget } from "./layers-store.ts";
import { encodeNpyFile } from "./npy-file.ts";

export function CachedLayersSummary({
  reader,
  index,
}: {
  readonly reader: LayersReader;
  readonly index: number | null;
}) {
  const { settings } = useStores();
  const keepsHidden = useStore(settings, (state) => state.keepsHidden);
  const { tokens, bytes } = useStore(reader.store, (state) => state.cacheSize);
  const reading = index === null ? null : reader.reading(index, false);
  if (tokens === 0) return null;
  const saveHidden = () => {
    if (!reading?.hidden) return;
    const { hidden, hiddenSize, step } = reading;
    saveFile(
      `hidden-states-token-${step.index + 1}.npy`,
      encodeNpyFile(hidden, [hidden.length / hiddenSize, hiddenSize]),
    );
  };
  return (
    <div className="layers-kept">
      <span>
        Layers of {countWithNoun(tokens, "token")} saved · {(bytes / 1e6).toFixed(1)} of{" "}
        {layersCacheBudget / 1e6} MB
      </span>
      <Button weight="quiet" onClick={() => reader.clear()}>
        Delete the saved layers
      </Button>
      <label title="The residual stream after each layer, as float32 numbers">
        <input
          type="checkbox"
          checked={keepsHidden}
          onChange={({ target }) => settings.getState().change({ keepsHidden: target.checked })}
        />
        Save hidden states too
      </label>
      {reading?.hidden && (
        <Button weight="quiet" icon="download" title="As a file for NumPy (.npy)" onClick={saveHidden}>
          Save this step
        </Button>
      )}
    </div>
  );
}
