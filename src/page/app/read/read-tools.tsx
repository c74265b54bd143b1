/** The buttons above the text: the actions on the run, and the menu of its display. */
import { useId } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { Button } from "../../../view/ui/button.tsx";
import { Icon } from "../../../view/ui/icon.tsx";
import { Popover } from "../../../view/ui/popover.tsx";
import type { SettingsState } from "../store/settings-store.ts";
import "./read-tools.css";

interface ViewProps {
  readonly settings: StoreApi<SettingsState>;
  /** Whether anything was removed. */
  readonly hasSpans: boolean;
  /** Whether the layers of the model can be asked for. */
  readonly hasLayers: boolean;
}

interface ReadToolsProps extends ViewProps {
  /** Shown before the other buttons. */
  readonly tools: React.ReactNode;
  readonly isPlaying: boolean;
  readonly isOver: boolean;
  readonly play: () => void;
  readonly onVerify: (() => void) | undefined;
}

export function ReadTools({ tools, isPlaying, isOver, play, onVerify, ...view }: ReadToolsProps) {
  return (
    <div className="read-tools">
      {tools}
      {onVerify && (
        <Button
          weight="quiet"
          disabled={!isOver}
          title="Send the recorded events to the mods again, or repeat the whole run, and check that the result is the same"
          onClick={onVerify}
        >
          Repeat and check
        </Button>
      )}
      <Button
        weight="quiet"
        aria-pressed={isPlaying}
        disabled={!isOver}
        title="Play the run event by event (r)"
        onClick={play}
      >
        Play
      </Button>
      <Popover
        label="View"
        className="button button-quiet"
        align="end"
        trigger={
          <>
            View <Icon name="down" />
          </>
        }
      >
        {() => <ViewMenu {...view} />}
      </Popover>
    </div>
  );
}

function ViewMenu({ settings, hasSpans, hasLayers }: ViewProps) {
  const { shadeProbability, shadeLayers, foldRemoved, change } = useStore(settings);
  const showsLayers = hasLayers && shadeLayers;
  return (
    <div className="view-menu">
      <ViewChoice
        label="Shade by surprisal"
        help="The less the model expected a word, the stronger its shade."
        checked={shadeProbability && !showsLayers}
        onChange={(checked) => change({ shadeProbability: checked, shadeLayers: false })}
      />
      {hasLayers && (
        <ViewChoice
          label="Shade by layer"
          help="The shade shows the layer of the model at which the word was decided."
          checked={shadeLayers}
          onChange={(checked) => change({ shadeLayers: checked, shadeProbability: false })}
        />
      )}
      <ViewChoice
        label="Fold removed text"
        help={
          hasSpans ? "Each removed passage shrinks to a small mark (f)." : "Nothing was removed in this run."
        }
        checked={foldRemoved}
        disabled={!hasSpans}
        onChange={(checked) => change({ foldRemoved: checked })}
      />
      <p className="view-menu-note">
        Surprisal measures how unexpected a token was to the model: −log₂ of its probability before the mods
        changed it. 1 bit is 50%, 7 bits is 0.8%. The bars above the text show the surprisal of each token,
        from 0 to 12 bits.
      </p>
    </div>
  );
}

interface ViewChoiceProps {
  readonly label: string;
  readonly help: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

function ViewChoice({ label, help, checked, disabled = false, onChange }: ViewChoiceProps) {
  const id = useId();
  return (
    <label className="view-choice">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={id}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
      <small id={id}>{help}</small>
    </label>
  );
}
