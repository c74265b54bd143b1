/** The view of a run in a file of its own, which opens from a disk. The run can only be read. */
import { useEffect, useState } from "react";
import type { StoreApi } from "zustand/vanilla";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { ProgressLine } from "../../../view/ui/share-done.tsx";
import { ThemeButton } from "../bar/theme-button.tsx";
import { HelpDialog } from "../help-dialog.tsx";
import { RunPane } from "../read/run-pane.tsx";
import { createRunStore } from "../store/run-store.ts";
import { selectOpeningToken } from "../store/selection-address.ts";
import type { SettingsState } from "../store/settings-store.ts";
import { useKeys } from "../use-keys.ts";
import { RecordedBy } from "./recorded-by.tsx";
import { SourceDialog } from "./source-dialog.tsx";
import "../../../view/ui/banner.css";
import "../bar/bar.css";
import "./link-view.css";

interface FileViewProps {
  readonly trace: TraceModel;
  readonly settings: StoreApi<SettingsState>;
}

export function SavedRunView({ trace, settings }: FileViewProps) {
  const [run] = useState(() => {
    const store = createRunStore(null);
    store.getState().show(trace);
    return store;
  });
  const [dialog, setDialog] = useState<"help" | "source" | null>(null);
  const close = () => setDialog(null);
  useEffect(() => selectOpeningToken(run), [run]);
  useKeys({ run, settings }, { help: () => setDialog("help"), share() {} });
  return (
    <div className="link-view">
      <header className="bar">
        <h1 className="wordmark">Midtoken</h1>
        <p className="link-model">{showInvisibleCharacters(trace.request?.model.id ?? "")}</p>
        <div className="bar-end">
          <ThemeButton settings={settings} />
          <IconButton icon="help" label="Shortcuts" onClick={() => setDialog("help")} />
        </div>
      </header>
      <aside className="banner link-banner" aria-label="About this run">
        <p>
          <strong>
            A recorded run
            <RecordedBy trace={trace} />, in a file. Nothing has run on this device.
          </strong>{" "}
          The file makes no network requests. To repeat or change the run, drop the file on Midtoken’s page.
        </p>
        <div className="link-actions">
          {(trace.request?.mods.length ?? 0) > 0 && (
            <Button weight="quiet" onClick={() => setDialog("source")}>
              Show the mods
            </Button>
          )}
        </div>
      </aside>
      <main className="link-main">
        <RunPane
          run={run}
          settings={settings}
          onOpenSource={() => setDialog("source")}
          onBranch={null}
          empty={<p className="inspector-empty">The run ended before its first token.</p>}
        />
      </main>
      {dialog === "help" && <HelpDialog inFile settings={settings} onClose={close} />}
      {dialog === "source" && <SourceDialog trace={trace} onClose={close} onRun={null} />}
    </div>
  );
}

export function FileReadingProgress({ share }: { share: number }) {
  return (
    <main className="fault" aria-busy>
      <h2>Opening a long run</h2>
      <ProgressLine what="Reading and checking the file" share={share} />
    </main>
  );
}

export function BrokenFile({ error }: { error: Error }) {
  return (
    <main className="fault">
      <h2>This file cannot be opened</h2>
      <p>{error.message}</p>
      <p>Nothing has run on this device.</p>
    </main>
  );
}
