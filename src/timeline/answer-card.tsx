/** Below the text: what a program would take from the answer. */
import { visibleText } from "../trace/visible-text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { shorten } from "../ui/format.ts";
import type { AnswerCard as Card } from "./answer-cards.ts";
import "./answer-card.css";

export function AnswerCard({ card: { title, json } }: { card: Card }) {
  return (
    <section className="answer-card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <CopyButton label="Copy" text={() => json} />
      </header>
      <pre>{drawn(json)}</pre>
    </section>
  );
}

/** Characters of an answer that are drawn. Copy has all of them. */
const longestDrawn = 20_000;

function drawn(json: string): string {
  return shorten(json, longestDrawn)
    .split("\n")
    .map((line) => visibleText(line, longestLine))
    .join("\n");
}

/** Characters of a line that are drawn. */
const longestLine = 80;
