/** Work that takes long: what it is, and how much of it is done. */
import "./share-done.css";

interface ShareDoneProps {
  /** Without a stop at its end: "Reading the link". */
  readonly what: string;
  /** 0 to 1. */
  readonly share: number;
}

export function ShareDone({ what, share }: ShareDoneProps) {
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
