/** The playground with the real engine. Loaded only when the playground is shown. */
import { listModels } from "../session/catalog.ts";
import { answerFormatProblem, compileProblems, createSession, exportedNames } from "../session/client.ts";
import type { PlaygroundProps } from "./app.tsx";
import { PlaygroundStart } from "./playground-start.tsx";

export function Playground({ page }: PlaygroundProps) {
  return (
    <PlaygroundStart
      page={page}
      startEngine={() => ({
        session: createSession(),
        compileProblems,
        exportedNames,
        answerFormatProblem,
        listModels,
      })}
    />
  );
}
