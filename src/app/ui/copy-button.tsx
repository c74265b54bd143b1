/** Copies a text, and says whether the browser let it. */
import { useState } from "react";
import { Button } from "./button.tsx";

export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setSaid("Copied"),
      () => setSaid("The browser refused; select the text instead"),
    );
  return (
    <Button weight="quiet" onClick={copy} onBlur={() => setSaid(null)}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  );
}
