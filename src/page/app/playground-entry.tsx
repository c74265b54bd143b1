/** The playground with the real engine. Loaded only when the playground is shown. */
import { answerFormatProblem, createSession } from "../../runtime/session/page-side/client.ts";
import { startPlayground } from "./playground-start.tsx";

/** The list of models is fetched beside the first scripts. If the import fails, the next caller tries again. */
const modelList = () => import("../../runtime/session/shared/catalog.ts");

/** Returns a function that removes the playground. */
export function mountPlayground(root: HTMLElement): () => void {
  // Fetched at once; the caller that needs the list reports a failure.
  modelList().catch(() => undefined);
  return startPlayground(root, () => ({
    session: createSession(),
    answerFormatProblem,
    listModels: async () => (await modelList()).listModels(),
    readModels: async () => (await modelList()).readModels(),
  }));
}
