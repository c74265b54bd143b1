/** Tells the user what the browser's storage refuses. All values of a page share one, because a full storage refuses each of them. */

/** The part of the notices that shows a sentence or an error and removes it again, by its id. */
interface NoticePlace {
  show(text: string): number;
  fail(text: string): number;
  dismiss(id: number): void;
}

export interface StorageTroubleReporter {
  say(sentence: string): void;
  /**
   * Returns a function that runs a write of one value and returns whether the write worked. The first value that fails shows a
   * notice. Further values show none until the writes of all values have worked in between.
   */
  writer(): (write: () => void) => boolean;
  /** For a message that covers the failed writes too: removes their notice, and returns whether there are any. */
  dismissFailures(): boolean;
}

export function createStorageTroubleReporter({ show, fail, dismiss }: NoticePlace): StorageTroubleReporter {
  /** The writers whose last write failed. */
  const failing = new Set<unknown>();
  /** Id of the notice about failed writes. */
  let notice = 0;
  return {
    say: show,
    writer() {
      const attempt = (write: () => void) => {
        try {
          write();
          failing.delete(attempt);
          return true;
        } catch (cause) {
          if (failing.size === 0) {
            notice = fail(
              `This browser did not save your latest changes (${errorName(cause)}). Download what you need before you close this tab.`,
            );
          }
          failing.add(attempt);
          return false;
        }
      };
      return attempt;
    },
    dismissFailures() {
      const hasFailed = failing.size > 0;
      if (hasFailed) dismiss(notice);
      return hasFailed;
    },
  };
}

export function errorName(cause: unknown): string {
  return cause instanceof Error || cause instanceof DOMException ? cause.name : String(cause);
}
