/** Whether the page is being printed. Content that is only for paper is rendered then. */
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const media = matchMedia("print");
    // `flushSync`, because the browser prints the page in the state in which this event handler leaves it.
    const set = (value: boolean) => flushSync(() => setPrinting(value));
    const before = () => set(true);
    const after = () => set(false);
    const change = ({ matches }: MediaQueryListEvent) => set(matches);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    media.addEventListener("change", change);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
      media.removeEventListener("change", change);
    };
  }, []);
  return isPrinting;
}
