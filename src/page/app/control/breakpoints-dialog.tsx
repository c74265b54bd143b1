/** The list of breakpoints, each with a switch, and the form for a new one. */
import { useStore } from "zustand";
import type { Breakpoint } from "../../../runtime/session/shared/breakpoint.ts";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { useStores } from "../store/stores.ts";
import { breakpointRuleLabel } from "./breakpoint-labels.ts";
import { NewBreakpoint } from "./new-breakpoint.tsx";
import "./breakpoints.css";

export function BreakpointsDialog({ onClose }: { readonly onClose: () => void }) {
  const stores = useStores();
  const { breakpoints, setAllEnabled } = useStore(stores.breakpoints);
  const pausedAt = useStore(stores.run, (state) => state.pausedAt);
  const met = pausedAt?.why.type === "breakpoints" ? pausedAt.why.met.map((each) => each.id) : [];
  const areOn = breakpoints.some(({ enabled }) => enabled);
  const remove = (breakpoint: Breakpoint) => {
    const undo = stores.breakpoints.getState().remove(breakpoint.id);
    stores.notices
      .getState()
      .show(`Runs no longer pause when ${breakpointRuleLabel(breakpoint)}.`, { label: "Undo", run: undo });
  };
  return (
    <Dialog
      title="Breakpoints"
      onClose={onClose}
      footer={
        breakpoints.length > 1 && (
          <Button onClick={() => setAllEnabled(!areOn)}>{areOn ? "Switch all off" : "Switch all on"}</Button>
        )
      }
    >
      <div className="breakpoints">
        {breakpoints.length === 0 ? (
          <p className="breakpoints-none">
            There are no breakpoints yet. A run pauses at each breakpoint; pauses do not change its words.
          </p>
        ) : (
          <ul aria-label="A run pauses when" className="breakpoints-list">
            {breakpoints.map((breakpoint) => (
              <li key={breakpoint.id} className={met.includes(breakpoint.id) ? "breakpoint-met" : undefined}>
                <label>
                  <input
                    type="checkbox"
                    checked={breakpoint.enabled}
                    onChange={({ target }) =>
                      stores.breakpoints.getState().setEnabled(breakpoint.id, target.checked)
                    }
                  />
                  <span>{breakpointRuleLabel(breakpoint)}</span>
                  {met.includes(breakpoint.id) && <em className="breakpoint-here">paused here</em>}
                </label>
                <IconButton
                  icon="close"
                  label={`Remove: ${breakpointRuleLabel(breakpoint)}`}
                  onClick={() => remove(breakpoint)}
                />
              </li>
            ))}
          </ul>
        )}
        <NewBreakpoint />
      </div>
    </Dialog>
  );
}
