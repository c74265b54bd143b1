/** The dialog "Shortcuts": all keyboard shortcuts, and the switch for those of single letters. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { Dialog, faultInDialog } from "../../view/ui/dialog.tsx";
import { PaneBoundary } from "../../view/ui/pane-boundary.tsx";
import { keyGroups } from "./key-groups.ts";
import type { KeyRow } from "./key-row.ts";
import { keyLabel, keyTable } from "./keys.ts";
import type { SettingsState } from "./store/settings-store.ts";
import "../../view/ui/form.css";
import "./help-dialog.css";

interface HelpDialogProps {
  readonly settings: StoreApi<SettingsState>;
  /** The keys of the playground, if the dialog is shown there. */
  readonly playgroundKeys?: readonly KeyRow[];
  readonly inFile?: boolean;
  readonly onClose: () => void;
}

/** The list of shortcuts, as a dialog. */
export function HelpDialog(props: HelpDialogProps) {
  return (
    <PaneBoundary pane="The list of shortcuts" within={faultInDialog("Shortcuts", props.onClose)}>
      <Keys {...props} />
    </PaneBoundary>
  );
}

function Keys({ settings, playgroundKeys, inFile = false, onClose }: HelpDialogProps) {
  const { letterKeys, change } = useStore(settings);
  const table = playgroundKeys ?? keyTable.filter((row) => !row.inPlayground);
  const rows = table.filter((row) => !(inFile && row.notInFile));
  const groups = keyGroups.filter((group) => rows.some((row) => row.group === group));
  return (
    <Dialog title="Shortcuts" onClose={onClose} wide>
      <div className="key-groups">
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl className="keys">
              {rows
                .filter((row) => row.group === group)
                .map((row) => (
                  <div key={row.does} data-off={row.isLetter && !letterKeys}>
                    <dt>
                      <kbd>{keyLabel(row)}</kbd>
                    </dt>
                    <dd>{row.does}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="check key-letters">
        <input type="checkbox" checked={letterKeys} onChange={() => change({ letterKeys: !letterKeys })} />
        Single-letter shortcuts{letterKeys ? "" : " (off: the grey shortcuts above do nothing)"}
      </label>
    </Dialog>
  );
}
