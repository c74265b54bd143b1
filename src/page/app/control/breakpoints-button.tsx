/** Opens the list of breakpoints; says how many are switched on, and whether the run is paused at one. */
import { useStore } from "zustand";
import { countWithNoun } from "../../../view/ui/format.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import { useStores } from "../store/stores.ts";
import "./breakpoints-button.css";

export function BreakpointsButton({ onOpen }: { readonly onOpen: () => void }) {
  const { breakpoints: store, run } = useStores();
  const count = useStore(store, ({ breakpoints }) => breakpoints.filter(({ enabled }) => enabled).length);
  const isMet = useStore(run, ({ pausedAt }) => pausedAt?.why.type === "breakpoints");
  const name = count === 0 ? "Breakpoints" : `Breakpoints: ${countWithNoun(count, "breakpoint")} on`;
  return (
    <button
      type="button"
      className={`button button-quiet button-icon breakpoints-button${isMet ? " breakpoints-met" : ""}`}
      aria-label={name}
      title={name}
      aria-haspopup="dialog"
      onClick={onOpen}
    >
      <Icon name="breakpoint" />
      <span className="button-word">Breakpoints</span>
      {count > 0 && (
        <span className="breakpoints-count" aria-hidden="true">
          {count}
        </span>
      )}
    </button>
  );
}
