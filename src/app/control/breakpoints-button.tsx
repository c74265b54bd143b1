/** Opens the list of breakpoints; says how many are switched on. The list is fetched when it is first opened. */
import { useStore } from "zustand";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Popover } from "../../ui/popover.tsx";
import { useStores } from "../store/stores.ts";
import "./breakpoints.css";

const BreakpointsPanel = lazyPart({
  part: "The list of breakpoints",
  load: () => import("./breakpoints-panel.tsx"),
  component: "BreakpointsPanel",
});

export function BreakpointsButton() {
  const { breakpoints: store, run } = useStores();
  const count = useStore(store, ({ breakpoints }) => breakpoints.filter(({ enabled }) => enabled).length);
  const isMet = useStore(run, ({ pausedAt }) => pausedAt?.why.type === "breakpoints");
  const name = count === 0 ? "Breakpoints" : `Breakpoints: ${plural(count, "breakpoint")} on`;
  return (
    <Popover
      label="Breakpoints"
      buttonLabel={name}
      className={`button button-quiet button-icon breakpoints-button${isMet ? " breakpoints-met" : ""}`}
      align="end"
      trigger={
        <>
          <Icon name="breakpoint" />
          {count > 0 && (
            <span className="breakpoints-count" aria-hidden="true">
              {count}
            </span>
          )}
        </>
      }
    >
      {() => (
        // As wide before the list has come as with it: the panel is placed by its width.
        <div className="breakpoints">
          <BreakpointsPanel />
        </div>
      )}
    </Popover>
  );
}
