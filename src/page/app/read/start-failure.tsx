/** Says why the latest run could not start, where the reader looks for its text. Part of the first scripts, so that it shows without a network. */
import { Icon } from "../../../view/ui/icon.tsx";
import "./start-failure.css";

interface StartFailureProps {
  readonly message: string;
  /** The page still shows the run before. */
  readonly hasRunBefore: boolean;
}

export function StartFailure({ message, hasRunBefore }: StartFailureProps) {
  return (
    <div className="start-failure" role="alert">
      <strong>
        <Icon name="warning" /> The run did not start.
      </strong>
      <p>{message}</p>
      {hasRunBefore && <p>The text below is from the previous run.</p>}
    </div>
  );
}
