/** Describes the shown run in one line. Pure. */

import { rangeOf } from "../../core/trace/model/selection.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { runEndSentence } from "../../view/timeline/end-labels.ts";
import type { TimelineState } from "./timeline-state.ts";

/** The most UTF-16 units of an error that are shown. */
const longestError = 500;

export function statusSentence({ status, trace, error, share }: TimelineState): string {
  switch (status) {
    case "empty":
      return "No run yet.";
    case "loading":
      return share === null ? "Opening the run …" : `Reading the run: ${Math.floor(share * 100)}%`;
    case "waiting":
      return "Waiting for the first word …";
    case "running":
      return trace && trace.tokens.text.length > 0 ? "Writing …" : "Reading the prompt …";
    case "failed":
    case "finished": {
      const message = error?.message ?? trace?.finished?.error?.message;
      if (message !== undefined) return showInvisibleCharacters(message, longestError);
      return trace?.finished ? runEndSentence(trace.finished) : "The file ends before the run does.";
    }
  }
}

/** Whether the text of `statusSentence` is an error. */
export function isErrorSentence({ status, trace, error }: TimelineState): boolean {
  return (
    (status === "failed" && error !== null) || (status === "finished" && Boolean(trace?.finished?.error))
  );
}

/** The text of the selected tokens, including removed tokens. */
export function selectedText({ trace, selection }: TimelineState): string {
  if (!trace || !selection) return "";
  const { first, end } = rangeOf(selection);
  return trace.tokens.text.slice(first, end).join("");
}
