/** The field for the maker's name, which the shared run contains if the maker wants that. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { cleanMakerName, longestMakerName, shownMakerName } from "../../../core/trace/file/maker.ts";
import type { MakerNameState } from "./maker-store.ts";
import type { RunToShare } from "./shared.ts";
import "../../../view/ui/form.css";

interface ShareMakerProps {
  readonly shared: RunToShare;
  readonly maker: StoreApi<MakerNameState>;
}

export function ShareMakerName({ shared, maker }: ShareMakerProps) {
  if (!shared.isOwn) {
    const named = shownMakerName(shared.model.request);
    return (
      named && (
        <p className="share-maker">
          <small>
            The record names <bdi>“{named}”</bdi> as its author. That name stays in everything that you share
            here.
          </small>
        </p>
      )
    );
  }
  return <MakerNameField maker={maker} />;
}

interface MakerFieldProps {
  readonly maker: StoreApi<MakerNameState>;
  /** The hint if a name is given. */
  readonly about?: string;
}

/** Whether a name is put into what is shared, and which. */
export function MakerNameField({
  maker,
  about = "Your name is public: anyone who receives the run can read it. This browser remembers the name until you remove it.",
}: MakerFieldProps) {
  const { name, signs } = useStore(maker);
  return (
    <div className="share-maker">
      <label className="check">
        <input type="checkbox" checked={signs} onChange={() => maker.setState({ signs: !signs })} />
        Add my name
      </label>
      {signs && (
        <input
          className="field"
          aria-label="Your name"
          placeholder="Your name"
          autoComplete="nickname"
          maxLength={longestMakerName}
          value={name}
          onChange={({ target }) => maker.setState({ name: target.value })}
        />
      )}
      <small>
        {!signs
          ? "Shared without your name."
          : cleanMakerName(name) === ""
            ? "If this field is empty, no name is added."
            : about}
      </small>
    </div>
  );
}
