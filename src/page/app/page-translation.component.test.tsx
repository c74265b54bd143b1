// @vitest-environment happy-dom
/** A browser that translates the page replaces each text node by a `<font>` element; the page goes on, and shows new texts. */
import { act, useState } from "react";
import { expect, test } from "vitest";
import { render, waitUntilPasses } from "../../view/ui/testing/render.ts";
import { supportPageTranslation } from "./page-translation.ts";

function translate(root: HTMLElement, inOneStep: boolean): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Node[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    const font = document.createElement("font");
    font.textContent = text.textContent?.toUpperCase() ?? "";
    if (inOneStep) text.parentNode?.replaceChild(font, text);
    else {
      text.parentNode?.insertBefore(font, text);
      text.parentNode?.removeChild(text);
    }
  }
}

interface Shown {
  readonly count: number;
  readonly isOver: boolean;
  readonly isNamed: boolean;
}

let show: (shown: Shown) => void;

function Line() {
  const [{ count, isOver, isNamed }, set] = useState<Shown>({ count: 1, isOver: true, isNamed: false });
  show = set;
  return (
    <p>
      {isNamed && <b>B: </b>}
      {count} of {10} tokens{isOver ? ", ended" : null}.
    </p>
  );
}

test.each([true, false])(
  "a translated page goes on and shows its new texts (texts replaced in one step: %s)",
  async (inOneStep) => {
    const leave = supportPageTranslation();
    try {
      const root = await render(<Line />);
      translate(root, inOneStep);
      expect(root.textContent).toBe("1 OF 10 TOKENS, ENDED.");
      // The observer hears of the translation after this task.
      await waitUntilPasses(() => {});
      await act(async () => show({ count: 2, isOver: false, isNamed: true }));
      await waitUntilPasses(() => expect(root.textContent).toBe("B: 2 OF 10 TOKENS."));
      await act(async () => show({ count: 3, isOver: true, isNamed: false }));
      await waitUntilPasses(() => expect(root.textContent).toBe("3 OF 10 TOKENS, ended."));
    } finally {
      leave();
    }
  },
);
