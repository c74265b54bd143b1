/** The legend above the text while words are shaded by surprise: the meaning of each shade, in bits and as a probability. */
import "./shade-legend.css";

/** Labels in the order of the shades (`surpriseSteps` in ribbon-cells.ts). */
const shades = [
  { bits: "1–3 bits", probability: "50 to 12%" },
  { bits: "3–5 bits", probability: "12 to 3%" },
  { bits: "5–7 bits", probability: "3 to 0.8%" },
  { bits: "over 7 bits", probability: "under 0.8%" },
] as const;

export function SurprisalLegend() {
  return (
    <section className="shade-legend ribbon-shaded" aria-label="The shades of the text">
      <span>Surprisal</span>
      {shades.map(({ bits, probability }, place) => (
        <span key={bits} className={`cell-surprise-${place + 1}`} title={`Probability ${probability}`}>
          <span className="word">{bits}</span>
        </span>
      ))}
      <span>No shade: probability over 50%.</span>
    </section>
  );
}
