/** Hands the memory that the user gives to models on to the engine. */
import type { StoreApi } from "zustand/vanilla";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import { defaultMemoryBudget } from "../../../runtime/session/shared/memory-budget.ts";
import type { SettingsState } from "./settings-store.ts";

/** Whoever types 12 types 1 first, at which models would be let go: milliseconds after the last change. */
const settleMs = 1_000;

export function followMemoryBudget(
  settings: StoreApi<SettingsState>,
  session: Pick<Session, "setMemoryBudget">,
): void {
  const hand = () => session.setMemoryBudget(settings.getState().memoryBudget ?? defaultMemoryBudget());
  if (settings.getState().memoryBudget !== null) hand();
  let timer: ReturnType<typeof setTimeout> | undefined;
  settings.subscribe((now, before) => {
    if (now.memoryBudget === before.memoryBudget) return;
    clearTimeout(timer);
    timer = setTimeout(hand, settleMs);
  });
}
