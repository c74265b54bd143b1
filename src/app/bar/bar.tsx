/** The bar: what runs, where, and the controls of the run. */
import { useStore } from "zustand";
import { IconButton } from "../../ui/button.tsx";
import { Logo } from "../../ui/logo.tsx";
import { useStores } from "../store/stores.ts";
import { ModelPicker } from "./model-picker.tsx";
import { RunControls } from "./run-controls.tsx";
import { SeedField } from "./seed-field.tsx";
import { ThemeButton } from "./theme-button.tsx";
import { UpdateButton } from "./update-button.tsx";
import "./bar.css";

/** Null where the pane is a place of its own. */
type PaneButton = { readonly isOpen: boolean; readonly onToggle: () => void } | null;

interface BarProps {
  readonly onRun: () => void;
  readonly onBreakpoints: () => void;
  readonly history: PaneButton;
  readonly experiments: PaneButton;
  readonly guide: PaneButton;
  readonly onShare: () => void;
  readonly onCommands: () => void;
  readonly onHelp: () => void;
}

export function Bar({
  onRun,
  onBreakpoints,
  history,
  experiments,
  guide,
  onShare,
  onCommands,
  onHelp,
}: BarProps) {
  const { run, settings } = useStores();
  const hasText = useStore(
    run,
    ({ trace, status }) => status !== "empty" && status !== "reading" && trace.tokens.text.length > 0,
  );
  return (
    <header className="bar">
      <Logo />
      <ModelPicker />
      <div className="bar-run">
        <RunControls onRun={onRun} onBreakpoints={onBreakpoints} />
        <SeedField />
      </div>
      <div className="bar-end">
        <UpdateButton />
        {history && (
          <IconButton
            icon="history"
            className="history-button"
            label="History"
            aria-pressed={history.isOpen}
            onClick={history.onToggle}
          />
        )}
        {experiments && (
          <IconButton
            icon="flask"
            className="experiments-button"
            label="Experiments"
            aria-pressed={experiments.isOpen}
            onClick={experiments.onToggle}
          />
        )}
        {guide && (
          <IconButton
            icon="book"
            className="guide-button"
            label="Guide"
            aria-pressed={guide.isOpen}
            onClick={guide.onToggle}
          />
        )}
        <IconButton icon="share" label="Share this run" disabled={!hasText} onClick={onShare} />
        <IconButton icon="search" label="Commands (Ctrl K)" onClick={onCommands} />
        <ThemeButton settings={settings} />
        <IconButton icon="help" label="Keys" onClick={onHelp} />
      </div>
    </header>
  );
}
