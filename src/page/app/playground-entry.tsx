/** The playground with the real engine. Loaded only when the playground is shown. */
import { answerFormatProblem, createSession } from "../../runtime/session/page-side/client.ts";
import { startPlayground } from "./playground-start.tsx";

/** The list of models comes beside the first scripts. An import that failed is tried again by the next who asks. */
const modelList = () => import("../../runtime/session/shared/catalog.ts");

/** Answers with what takes it away again. */
export function mountPlayground(root: HTMLElement): () => void {
  // Asked for at once; whoever needs it tells of a failure.
  modelList().catch(() => undefined);
  return startPlayground(root, () => ({
    session: createSession(),
    answerFormatProblem,
    listModels: async () => (await modelList()).listModels(),
    readModels: async () => (await modelList()).readModels(),
  }));
}
