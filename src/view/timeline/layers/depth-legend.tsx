/**
 * The legend above the text while words are shaded by the layer that decided them: the meaning of the shades, and the progress
 * of reading the layers.
 */
import { countWithNoun, formatCount } from "../../ui/format.ts";
import { type LayerBand, layerBandsOf } from "./decided-marks.ts";
import "./depth-legend.css";

interface DepthLegendProps {
  /** 0 while nothing was read. */
  readonly layerCount: number;
  readonly marked: number;
  readonly tokens: number;
  /** The work in progress, in words; null if the count says it. */
  readonly words: string | null;
  /** True if a mod placed some of the words. */
  readonly hasPut: boolean;
  /** The available actions. */
  readonly children: React.ReactNode;
}

export function DecidedLayerLegend({
  layerCount,
  marked,
  tokens,
  words,
  hasPut,
  children,
}: DepthLegendProps) {
  return (
    <section className="depth-legend" aria-label="The shades of the text">
      {layerCount > 0 && (
        <p className="depth-words">
          decided at layer
          {[...layerBandsOf(layerCount)].reverse().map((band, place, { length }) => (
            <span key={band.to} className={`depth-band decided-${length - 1 - place}`}>
              <span className="word">{bandWords(band)}</span>
            </span>
          ))}
          <span className="depth-band decided-drawn">
            <span className="word">drawn, although not ranked first</span>
          </span>
          {hasPut && <span className="depth-put">written by a mod, not by the model</span>}
        </p>
      )}
      <p className="depth-progress" role="status">
        {words ?? `Layers read for ${formatCount(marked)} of ${countWithNoun(tokens, "token")}`}
      </p>
      {children}
    </section>
  );
}

function bandWords({ from, to }: LayerBand): string {
  return from === to ? String(to) : `${from}–${to}`;
}
