/** The guest's side of `event.score`: sends calls over the port, one at a time, until the handler has returned. */
import type { ScoreContinuations } from "../../core/sdk/score-arguments.ts";
import type { EngineToGuest, GuestToEngine } from "./protocol.ts";

type Scores = Extract<EngineToGuest, { type: "scores" }>;

export interface GuestTokenScoring {
  readonly score: ScoreContinuations;
  /** Receives the engine's answer. */
  receive(scores: Scores): void;
  /** Called when the handler has returned. Settles when the engine has answered the open call. */
  close(): Promise<void>;
}

export function createGuestTokenScoring(
  run: number,
  sequence: number,
  post: (message: GuestToEngine) => void,
): GuestTokenScoring {
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();
  let onScores: (scores: Scores) => void = () => undefined;

  const ask = async (continuations: Parameters<ScoreContinuations>[0]): Promise<readonly number[]> => {
    if (isOver)
      throw new Error("score(…) was called after the handler had returned: await it before you return.");
    const answer = new Promise<Scores>((resolve) => {
      onScores = resolve;
    });
    post({ type: "score", run, sequence, continuations });
    const { logprobs, error } = await answer;
    if (error !== null) throw new Error(error);
    return logprobs;
  };

  return {
    score(continuations) {
      const next = last.then(() => ask(continuations));
      last = next.catch(() => undefined);
      return next;
    },
    receive: (scores) => onScores(scores),
    async close() {
      isOver = true;
      await last;
    },
  };
}
