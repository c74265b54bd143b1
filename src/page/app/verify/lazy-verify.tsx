/** The dialog that verifies a run, loaded on demand. */
import { faultInDialog } from "../../../view/ui/dialog.tsx";
import { lazyDialog } from "../../../view/ui/lazy-dialog.tsx";
import { PaneBoundary } from "../../../view/ui/pane-boundary.tsx";

const VerifyDialog = lazyDialog({
  part: "The code that checks runs",
  load: () => import("./verify-dialog.tsx"),
  component: "VerifyDialog",
});

export function LazyVerify({ onClose }: { onClose: () => void }) {
  return (
    <PaneBoundary pane="The check of the run" within={faultInDialog("Repeat and check this run", onClose)}>
      <VerifyDialog onClose={onClose} />
    </PaneBoundary>
  );
}
