/**
 * Draws bars of the tokens side by side: without the mods, after each mod, and with all mods; and the random number as a line
 * across the bars.
 */
import {
  isPartOfCharacter,
  partOfCharacter,
  showInvisibleCharacters,
} from "../../../core/trace/text/visible-text.ts";
import { formatProbability } from "../../ui/format.ts";
import { tokenTextOrId } from "./draw-labels.ts";
import type { TokenDrawBarPart } from "./draw-layout.ts";
import type { NamedTokenDrawBar } from "./named-bars.ts";
import { tokenIdentity } from "./step-probabilities.ts";

export function TokenDrawBars({ bars, draw }: { bars: readonly NamedTokenDrawBar[]; draw: number | null }) {
  return (
    <div className="draw-bars" aria-hidden="true">
      {draw !== null && (
        <span
          className={`draw-number ${draw > 0.8 ? "draw-number-left" : ""}`}
          style={{ left: `${draw * 100}%` }}
        >
          {draw.toFixed(4)}
        </span>
      )}
      <div className="draw-field">
        {bars.map((named, place) => {
          const above = bars[place - 1];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a mod may have two bars, and bars never change places
            <div key={place}>
              {above && <Links above={above} below={named} />}
              {bars.length > 1 && <span className="draw-name">{named.name}</span>}
              <div className="draw-bar">
                {named.bar.parts.map((part) => (
                  <Part key={part.from} part={part} hit={named.hit} />
                ))}
              </div>
            </div>
          );
        })}
        {draw !== null && <i className="draw-mark" style={{ left: `${draw * 100}%` }} />}
      </div>
    </div>
  );
}

/** The smallest share of a bar that has room for a label. */
const narrowest = 0.05;

function Part({ part: { token, from, to }, hit }: { part: TokenDrawBarPart; hit: string | null }) {
  const style = { left: `${from * 100}%`, width: `${(to - from) * 100}%` };
  const share = formatProbability(to - from);
  if (token === null)
    return (
      <span
        className="draw-part draw-others"
        style={style}
        title={`Tokens that were not recorded, ${share}`}
      />
    );
  const text = tokenTextOrId(token);
  return (
    <span
      className={tokenIdentity(token) === hit ? "draw-part draw-hit" : "draw-part"}
      style={style}
      title={`${text}, ${share}`}
    >
      {to - from >= narrowest && <bdi translate="no">{labelOf(token)}</bdi>}
    </span>
  );
}

function labelOf({ token, text }: NonNullable<TokenDrawBarPart["token"]>): string {
  if (text === null) return `#${token}`;
  return isPartOfCharacter(text) ? partOfCharacter : showInvisibleCharacters(text).replaceAll(" ", "·");
}

/** Lines from each token's place in one bar to its place in the next bar. */
function Links({ above, below }: { above: NamedTokenDrawBar; below: NamedTokenDrawBar }) {
  const places = new Map(
    above.bar.parts.flatMap((part) => (part.token ? [[tokenIdentity(part.token), part] as const] : [])),
  );
  return (
    <svg aria-hidden="true" className="draw-links" viewBox="0 0 1 1" preserveAspectRatio="none">
      {below.bar.parts.map(({ token, from, to }) => {
        const before = token && places.get(tokenIdentity(token));
        return (
          before && (
            <path
              key={from}
              className={tokenIdentity(token) === below.hit ? "draw-link-hit" : undefined}
              d={`M${before.from} 0L${before.to} 0L${to} 1L${from} 1z`}
            />
          )
        );
      })}
    </svg>
  );
}
