/** Below the text: what a program would take from the answer. */
import { visibleText } from "../../trace/visible-text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import type { AnswerCard as Card } from "./answer-cards.ts";
import "./answer-card.css";

export function AnswerCard({ card: { title, json } }: { card: Card }) {
  return (
    <section className="answer-card" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <CopyButton label="Copy" text={() => json} />
      </header>
      <pre>{json.split("\n").map(visibleText).join("\n")}</pre>
    </section>
  );
}
