/** The playground with the real engine. Loaded only when the playground is shown. */
import { listModels } from "../session/catalog.ts";
import { answerFormatProblem, createSession } from "../session/client.ts";
import type { PlaygroundProps } from "./app.tsx";
import { PlaygroundStart } from "./playground-start.tsx";

export function Playground({ page }: PlaygroundProps) {
  return (
    <PlaygroundStart
      page={page}
      startEngine={() => ({ session: createSession(), answerFormatProblem, listModels })}
    />
  );
}
