/** The field for the maker's name, which the shared run contains if the maker wants that. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { cleanAuthorName, longestAuthorName, shownAuthorName } from "../../../core/trace/file/maker.ts";
import type { AuthorNameState } from "./maker-store.ts";
import type { RunToShare } from "./shared.ts";
import "../../../view/ui/form.css";

interface ShareMakerProps {
  readonly shared: RunToShare;
  readonly maker: StoreApi<AuthorNameState>;
}

export function ShareAuthorName({ shared, maker }: ShareMakerProps) {
  if (!shared.isOwn) {
    const named = shownAuthorName(shared.model.request);
    return (
      named && (
        <p className="share-maker">
          <small>
            The run names <bdi>“{named}”</bdi> as its author. This name stays in everything that you share
            here.
          </small>
        </p>
      )
    );
  }
  return <AuthorNameField maker={maker} />;
}

interface MakerFieldProps {
  readonly maker: StoreApi<AuthorNameState>;
  /** The hint if a name is given. */
  readonly about?: string;
}

/** Whether a name is put into what is shared, and which. */
export function AuthorNameField({
  maker,
  about = "Your name is public: anyone who receives the run can read it. This browser remembers the name until you remove it.",
}: MakerFieldProps) {
  const { name, signs } = useStore(maker);
  const hint = cleanAuthorName(name) === "" ? "If this field is empty, no name is added." : about;
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
          maxLength={longestAuthorName}
          value={name}
          onChange={({ target }) => maker.setState({ name: target.value })}
        />
      )}
      <small>{signs ? hint : "Shared without your name."}</small>
    </div>
  );
}
