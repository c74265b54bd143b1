/**
 * Short notices at the edge of the page, each with at most one button, for example Undo. One is shown at a time. A notice
 * with a button is shown at once, in the place of an earlier one with a button. An error is shown at once, and the notice
 * that it covers is shown after it. Any other notice waits its turn.
 */
import { createStore, type StoreApi } from "zustand/vanilla";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly action: {
    readonly label: string;
    readonly run: () => void;
    /** Called when the notice is gone and the action can no longer be chosen. */
    readonly lapse?: () => void;
  } | null;
}

export interface NoticeState {
  /** The first notice is shown, the others wait. */
  readonly notices: readonly Notice[];
  /** Returns the id of the notice: of an equal notice that waits already, if there is one. */
  show(text: string, action?: Notice["action"]): number;
  /** Shows at once that what the user asked for did not happen, and why. Returns the id of the notice. */
  fail(text: string): number;
  dismiss(id: number): void;
  /** Dismisses the notice and does what its button says. */
  act(id: number): void;
}

/** How many notices may wait. Further ones are left out, since nobody would read them all. */
const mostWaiting = 5;

export function createNoticeStore(): StoreApi<NoticeState> {
  let next = 1;
  return createStore<NoticeState>()((set, get) => {
    const without = (isGone: (notice: Notice) => boolean) => {
      const gone = get().notices.filter(isGone);
      set(({ notices }) => ({ notices: notices.filter((notice) => !gone.includes(notice)) }));
      return gone;
    };
    return {
      notices: [],
      show(text, action = null) {
        const notice = { id: next++, text, action };
        if (action) {
          const replaced = without((other) => other.action !== null);
          set(({ notices }) => ({ notices: [notice, ...notices] }));
          for (const other of replaced) other.action?.lapse?.();
          return notice.id;
        }
        const { notices } = get();
        const known = notices.find((other) => other.text === text && !other.action);
        if (!known && notices.length < mostWaiting) set({ notices: [...notices, notice] });
        return (known ?? notice).id;
      },
      fail(text) {
        const [known] = without((other) => other.text === text && !other.action);
        const notice = known ?? { id: next++, text, action: null };
        const last = get().notices.findLast(({ action }) => !action);
        if (get().notices.length >= mostWaiting) without((other) => other === last);
        set(({ notices }) => ({ notices: [notice, ...notices] }));
        return notice.id;
      },
      dismiss(id) {
        for (const gone of without((notice) => notice.id === id)) gone.action?.lapse?.();
      },
      act(id) {
        // The notice is dismissed first, since its action may show a notice of its own in its place.
        for (const gone of without((notice) => notice.id === id)) gone.action?.run();
      },
    };
  });
}
