/** Draws, below the text, the parts of an answer that a program would use: tool calls or JSON. */
import { useMemo } from "react";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { shorten } from "../ui/format.ts";
import { PagedList } from "../ui/paged.tsx";
import { answerCardCount, answerCards, type AnswerCard as Card } from "./answer-cards.ts";
import "../ui/base-panels.css";
import "./answer-card.css";

/** How many tool calls are drawn at a time. */
const cardsShown = 10;

export function AnswerCards({ trace, version }: { readonly trace: TraceModel; readonly version: number }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const count = useMemo(() => answerCardCount(trace), [trace, version]);
  return (
    <PagedList count={count} size={cardsShown} noun="tool calls">
      {(from, to) =>
        answerCards(trace, from, to).map((card, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards of a run that has ended never change places
          <AnswerCard key={from + place} card={card} />
        ))
      }
    </PagedList>
  );
}

function AnswerCard({ card: { title, json } }: { card: Card }) {
  return (
    <section className="answer-card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <CopyButton label="Copy" text={() => json} />
      </header>
      <pre translate="no">{drawn(json)}</pre>
    </section>
  );
}

/** The most characters of an answer that are drawn. The Copy button copies all of them. */
const longestDrawn = 20_000;

function drawn(json: string): string {
  return shorten(json, longestDrawn)
    .split("\n")
    .map((line) => showInvisibleCharacters(line, longestLine))
    .join("\n");
}

/** The most characters of a line that are drawn. */
const longestLine = 80;
