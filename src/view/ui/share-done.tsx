/** The progress of long work: its name, and the share that is done. */
import "./share-done.css";

interface ShareDoneProps {
  /** Name of the work without a full stop: "Reading the link". */
  readonly what: string;
  /** The share that is done, from 0 to 1. */
  readonly share: number;
}

export function ProgressLine({ what, share }: ShareDoneProps) {
  const percent = Math.floor(share * 100);
  return (
    <p className="share-done">
      <span>
        {what}: {percent}%
      </span>
      <progress aria-label={what} max={100} value={percent} />
    </p>
  );
}
