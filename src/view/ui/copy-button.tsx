/** A button that copies a text, and says whether the browser allowed it. */
import { useState } from "react";
import { Button } from "./button.tsx";
import { copyText } from "./copy-text.ts";

interface CopyButtonProps {
  readonly label: string;
  readonly text: () => string;
  readonly weight?: "primary" | "quiet";
}

export function CopyButton({ label, text, weight = "quiet" }: CopyButtonProps) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = () =>
    copyText(text()).then(
      () => setSaid("Copied"),
      () => setSaid("The browser blocks copying. Select the text and copy it yourself."),
    );
  return (
    <Button weight={weight} onClick={copy} onBlur={() => setSaid(null)}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  );
}
