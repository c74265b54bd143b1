/**
 * Reads an event of a llama.cpp stream that has a step, without `JSON.parse`, which takes longer for such an event than the check of
 * its list. Only an event in exactly the form of build 11669 is read here; `LlamaStreamReader` reads every other one as JSON.
 */
import type { EventData } from "./event-stream.ts";
import { readList } from "./listed-entries.ts";
import { type ExpectedStepShape, readLogprob, type ServerStep } from "./parse-responses.ts";

export interface UsualStep {
  readonly step: ServerStep;
  /** Tokens that the stream has made so far. */
  readonly predicted: number;
}

const text = /"(?:[^"\\\n]|\\.)*"/.source;
const parts = [
  `{"index":\\d+,"content":${text},"tokens":\\[(?<token>\\d+)],"stop":false,"id_slot":-?\\d+,`,
  `"tokens_predicted":(?<predicted>\\d+),"tokens_evaluated":\\d+,"completion_probabilities":\\[`,
  `{"id":(?<id>\\d+),"token":${text},"bytes":\\[[\\d,]*],"logprob":(?<logprob>-\\d+(?:\\.\\d+)?),"top_logprobs":\\[`,
];
/** The event up to its list. */
const start = new RegExp(parts.join(""), "y");
/** The event after its list. */
const end = "}]}";

/** Null for an event of another form, and for a list that is wrong. */
export function readUsualStep(data: EventData, shape: ExpectedStepShape): UsualStep | null {
  start.lastIndex = data.from;
  const found = start.exec(data.text)?.groups;
  if (!found || found.token !== found.id) return null;
  const token = Number(found.token);
  const logprob = readLogprob(Number(found.logprob));
  if (token >= shape.vocabularySize || logprob === null) return null;
  const read = readList(data.text, start.lastIndex, shape);
  if (!read || read.end + end.length !== data.to || !data.text.startsWith(end, read.end)) return null;
  const { tokens, logprobs } = read.list;
  return {
    step: { token, logprob, tokens, logprobs, computed: null },
    predicted: Number(found.predicted),
  };
}
