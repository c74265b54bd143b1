/**
 * Short notices at the edge of the page, each with at most one button, for example Undo. One is shown at a time. A notice
 * with a button is shown at once, in the place of an earlier one with a button; a notice without a button waits its turn.
 */
import { createStore, type StoreApi } from "zustand/vanilla";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

export interface NoticeState {
  /** The first notice is shown, the others wait. */
  readonly notices: readonly Notice[];
  show(text: string, action?: Notice["action"]): void;
  dismiss(id: number): void;
}

/** How many notices may wait. Further ones are left out, since nobody would read them all. */
const mostWaiting = 5;

export function createNoticeStore(): StoreApi<NoticeState> {
  let next = 1;
  return createStore<NoticeState>()((set) => ({
    notices: [],
    show: (text, action = null) =>
      set(({ notices }) => {
        const notice = { id: next++, text, action };
        if (action) return { notices: [notice, ...notices.filter((other) => !other.action)] };
        const isKnown = notices.some((other) => other.text === text && !other.action);
        return isKnown || notices.length >= mostWaiting ? {} : { notices: [...notices, notice] };
      }),
    dismiss: (id) => set(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
  }));
}
