/** The playground with the real engine. Loaded only when the playground is shown. */
import { listModels, readModels } from "../api/catalog.ts";
import { answerFormatProblem, createSession } from "../api/session.ts";
import { startPlayground } from "./playground-start.tsx";

/** Answers with what takes it away again. */
export function mountPlayground(root: HTMLElement): () => void {
  return startPlayground(root, () => ({
    session: createSession(),
    answerFormatProblem,
    listModels,
    readModels,
  }));
}
