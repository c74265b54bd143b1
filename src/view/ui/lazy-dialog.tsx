/**
 * A dialog or a pane whose code is fetched when it is opened. The keys that the user presses meanwhile are typed into the field
 * that gets the focus, and Esc closes the dialog before it is there.
 */
import { type ComponentType, useLayoutEffect } from "react";
import { type LazyPartOptions, lazyPart, type PartPlace } from "./lazy-part.tsx";

interface Closable {
  /** Absent for a pane that is a place of its own: such a pane takes no focus. */
  readonly onClose?: (() => void) | undefined;
}

interface Awaited {
  readonly close: () => void;
  /** The element with the focus when the dialog was opened. */
  readonly from: Element | null;
}

/** The dialog whose code is being fetched; the latest if there are several. */
let awaited: Awaited | null = null;

/** The keys for this dialog. */
const pressed: string[] = [];

/** Fetched with the first dialog. */
let pressAgain: typeof import("./press-again.ts").pressAgain = () => {};

export function lazyDialog<Name extends string, Props extends Closable>(
  options: LazyPartOptions<Name, Props>,
): ComponentType<Props & PartPlace> {
  const Part = lazyPart({
    ...options,
    async load() {
      const [again, module] = await Promise.all([import("./press-again.ts"), options.load()]);
      pressAgain = again.pressAgain;
      return module;
    },
  });
  return function LazyDialog(props: Props & PartPlace) {
    return <Part {...props} placeholder={props.onClose && <AwaitedDialog onClose={props.onClose} />} />;
  };
}

function AwaitedDialog({ onClose }: { readonly onClose: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first function closes the dialog as a later one would
  useLayoutEffect(() => {
    const own: Awaited = { close: onClose, from: document.activeElement };
    awaited = own;
    return () => {
      if (awaited === own) awaited = null;
      // By then, the dialog has the focus. A part of the dialog whose code is fetched, too, is awaited.
      queueMicrotask(() => {
        if (!awaited) pressAgain(pressed.splice(0), own.from);
      });
    };
  }, []);
  return null;
}

/**
 * Takes a key press for a dialog whose code is being fetched. Returns false if there is none, or if the key is not for it: a key
 * with Ctrl, or a key for a text field that got the focus after the dialog was opened.
 */
export function pressAhead({ key, ctrlKey, metaKey, target }: KeyboardEvent, isTyping: boolean): boolean {
  if (!awaited) return false;
  if (key === "Escape") {
    pressed.length = 0;
    awaited.close();
    return true;
  }
  if (ctrlKey || metaKey || (isTyping && target !== awaited.from)) return false;
  const isTyped = key.length === 1 || /^(Back|Ent|Arrow)/.test(key);
  if (isTyped) pressed.push(key);
  return isTyped;
}
