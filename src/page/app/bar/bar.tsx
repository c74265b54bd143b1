/** The bar at the top: the model, its device, and the controls of the run. */
import { useStore } from "zustand";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import type { IconName } from "../../../view/ui/icon.tsx";
import { Logo } from "../../../view/ui/logo.tsx";
import { featurePanes } from "../features/feature-panes.ts";
import { features } from "../features/features.ts";
import type { OverlayPane, PageActions } from "../page-actions.ts";
import { useStores } from "../store/stores.ts";
import { ModelPicker } from "./model-picker.tsx";
import { RunControls } from "./run-controls.tsx";
import { SeedField } from "./seed-field.tsx";
import { ThemeButton } from "./theme-button.tsx";
import { UpdateButton } from "./update-button.tsx";
import "./bar.css";

/** Null if the pane is a place of its own. */
type PaneButton = { readonly isOpen: boolean; readonly onToggle: () => void } | null;

interface BarProps {
  readonly page: PageActions;
  readonly paneButton: (pane: OverlayPane) => PaneButton;
}

export function Bar({ page, paneButton }: BarProps) {
  const { run, settings } = useStores();
  const isReading = useStore(run, ({ status }) => status === "reading");
  return (
    <header className="bar">
      <Logo />
      <ModelPicker />
      <Button weight="quiet" className="examples-button" onClick={() => page.open("gallery")}>
        Examples
      </Button>
      {/* Badges stand before the run controls at the right edge, so that the controls stay in place when a badge appears. */}
      {features.map(({ name, Badge }) => Badge && <Badge key={name} page={page} />)}
      <div className="bar-run">
        <RunControls onRun={page.run} onBreakpoints={() => page.open("breakpoints")} />
        <SeedField />
      </div>
      <div className="bar-end">
        <UpdateButton />
        <Button
          weight="quiet"
          className="all-controls"
          onClick={() => settings.getState().change({ showsAll: true })}
        >
          Show all controls
        </Button>
        <PaneToggle pane={paneButton("history")} icon="history" className="history-button" label="History" />
        {featurePanes.map(({ id, icon, label }) => (
          <PaneToggle key={id} pane={paneButton(id)} icon={icon} className={`${id}-button`} label={label} />
        ))}
        <PaneToggle pane={paneButton("guide")} icon="book" className="guide-button" label="Guide" />
        <IconButton
          icon="share"
          label="Share this run"
          word="Share"
          disabled={isReading}
          onClick={() => page.open("share")}
        />
        <IconButton icon="search" label="Commands (Ctrl K)" onClick={() => page.open("commands")} />
        <ThemeButton settings={settings} />
        <IconButton icon="help" label="Shortcuts" onClick={() => page.open("help")} />
      </div>
    </header>
  );
}

interface PaneToggleProps {
  readonly pane: PaneButton;
  readonly icon: IconName;
  readonly label: string;
  readonly className: string;
}

function PaneToggle({ pane, ...button }: PaneToggleProps) {
  return (
    pane && <IconButton {...button} word={button.label} aria-pressed={pane.isOpen} onClick={pane.onToggle} />
  );
}
