/** The keys, and whether single letters count. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { Dialog, inDialog } from "../ui/dialog.tsx";
import { PaneBoundary } from "../ui/pane-boundary.tsx";
import { keyLabel, keyTable } from "./keys.ts";
import type { SettingsState } from "./store/settings-store.ts";
import "./help-dialog.css";

interface HelpDialogProps {
  readonly settings: StoreApi<SettingsState>;
  readonly onClose: () => void;
}

export function HelpDialog(props: HelpDialogProps) {
  return (
    <PaneBoundary pane="The list of keys" within={inDialog("Keys", props.onClose)}>
      <Keys {...props} />
    </PaneBoundary>
  );
}

function Keys({ settings, onClose }: HelpDialogProps) {
  const { letterKeys, change } = useStore(settings);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {keyTable.map((row) => (
          <div key={row.does}>
            <dt>
              <kbd>{keyLabel(row)}</kbd>
            </dt>
            <dd>{row.does}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={letterKeys} onChange={() => change({ letterKeys: !letterKeys })} />
        Keys of one letter
      </label>
    </Dialog>
  );
}
