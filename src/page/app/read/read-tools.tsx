/** The switches above the text: how it is shown, and what can be done with the run. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { Button } from "../../../view/ui/button.tsx";
import type { SettingsState } from "../store/settings-store.ts";

interface ReadToolsProps {
  readonly settings: StoreApi<SettingsState>;
  /** Shown before the switches. */
  readonly tools: React.ReactNode;
  readonly isPlaying: boolean;
  readonly isOver: boolean;
  /** Whether anything was removed. */
  readonly hasSpans: boolean;
  /** Whether the layers of the model can be asked for. */
  readonly hasLayers: boolean;
  readonly play: () => void;
  readonly onVerify: (() => void) | undefined;
}

export function ReadTools(props: ReadToolsProps) {
  const { settings, tools, isPlaying, isOver, hasSpans, hasLayers, play, onVerify } = props;
  const { shadeProbability, shadeLayers, foldRemoved, change } = useStore(settings);
  return (
    <div className="read-tools">
      {tools}
      <Button
        weight="quiet"
        aria-pressed={isPlaying}
        disabled={!isOver}
        title="Play the run event by event (r)"
        onClick={play}
      >
        Play
      </Button>
      <Button
        weight="quiet"
        aria-pressed={shadeProbability && !(hasLayers && shadeLayers)}
        title="Shade words by how little the model expected them"
        onClick={() =>
          change({ shadeProbability: !shadeProbability || (hasLayers && shadeLayers), shadeLayers: false })
        }
      >
        Shade
      </Button>
      {hasLayers && (
        <Button
          weight="quiet"
          aria-pressed={shadeLayers}
          title="Shade words by the layer of the model that decided them"
          onClick={() => change({ shadeLayers: !shadeLayers, shadeProbability: false })}
        >
          Depth
        </Button>
      )}
      <Button
        weight="quiet"
        aria-pressed={foldRemoved}
        disabled={!hasSpans}
        title="Fold away what was removed"
        onClick={() => change({ foldRemoved: !foldRemoved })}
      >
        Fold
      </Button>
      {onVerify && (
        <Button
          weight="quiet"
          disabled={!isOver}
          title="Ask the mods again about what is recorded, or run again and compare"
          onClick={onVerify}
        >
          Verify
        </Button>
      )}
    </div>
  );
}
