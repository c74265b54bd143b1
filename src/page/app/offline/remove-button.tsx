/** Deletes data that can only be downloaded again. Asks for confirmation at the same place. */
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../view/ui/button.tsx";

interface RemoveButtonProps {
  readonly label: string;
  /** Accessible name of the button, if several buttons have the same label. */
  readonly name?: string;
  readonly asks: string;
  readonly disabled: boolean;
  readonly onRemove: () => void;
}

export function RemoveButton({ label, name, asks, disabled, onRemove }: RemoveButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const wasAsking = useRef(false);
  // Other buttons replace the pressed button, and one of them takes the focus.
  useEffect(() => {
    if (isAsking === wasAsking.current) return;
    wasAsking.current = isAsking;
    [...(place.current?.querySelectorAll("button") ?? [])].at(-1)?.focus();
  }, [isAsking]);
  return (
    <div ref={place} className={isAsking ? "kept-asking" : undefined}>
      {isAsking ? (
        <>
          <p role="alert">{asks}</p>
          <Button
            weight="danger"
            onClick={() => {
              setAsking(false);
              onRemove();
            }}
          >
            Remove
          </Button>
          <Button weight="quiet" onClick={() => setAsking(false)}>
            Cancel
          </Button>
        </>
      ) : (
        <Button weight="quiet" aria-label={name} disabled={disabled} onClick={() => setAsking(true)}>
          {label}
        </Button>
      )}
    </div>
  );
}
