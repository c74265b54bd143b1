/** The tokens that a server did not list at a step: bounds of their probability, drawn as bounds. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { tokenRow } from "../../../core/trace/model/trace-view.ts";
import { formatUpperBound } from "./at-most.ts";

export function UnlistedTokens({ trace, index }: { readonly trace: TraceModel; readonly index: number }) {
  const { before, after } = tokenRow(trace, index);
  if (!before?.partial) return null;
  return (
    <section className="unlisted" aria-label="Tokens that the server did not list">
      <h3>Tokens that the server did not list</h3>
      <Share name={after ? "before the mods" : "in total"} rest={before.partial.rest} />
      {after?.partial && (
        <>
          <Share name="after the mods" rest={after.partial.rest} />
          <p className="draw-hint">
            After the mods, a listed token’s probability is at least the number shown.
          </p>
        </>
      )}
    </section>
  );
}

function Share({ name, rest }: { name: string; rest: number }) {
  return (
    <p className="unlisted-share">
      <span>{name}</span> <b>{formatUpperBound(rest)}</b>
      <span className="moved-track" aria-hidden="true">
        <i className="moved-perhaps" style={{ width: `${Math.max(0.5, rest * 100)}%` }} />
      </span>
    </p>
  );
}
