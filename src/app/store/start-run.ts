/** Run, as the button means it: load the model if need be, check the mods, start. */
import { messageOf } from "../../base/message-of.ts";
import type { RunRequest } from "../../session/protocol.ts";
import { readAnswer } from "./answer-settings.ts";
import { messagesOf } from "./conversation-store.ts";
import type { UserMod } from "./mods-store.ts";
import type { Problem } from "./problems-store.ts";
import type { Stores } from "./stores.ts";

export async function startRun(stores: Stores): Promise<void> {
  const run = stores.run.getState();
  if (["starting", "running", "paused"].includes(run.status)) return;
  const stillWanted = run.begin();
  const mods = stores.mods.getState().mods.filter(({ enabled }) => enabled);
  try {
    const answer = readAnswer(stores.settings.getState().answer);
    if (!answer.ok) {
      run.fail(answer.problem);
      return;
    }
    const [loaded, problem] = await Promise.all([stores.model.getState().load(), firstProblem(stores, mods)]);
    if (!stillWanted()) return;
    if (problem) {
      stores.mods.getState().open(problem.mod);
      run.fail(`${nameOf(mods, problem.mod)} does not compile${at(problem)}: ${problem.message}`);
    } else if (!loaded) {
      const { status } = stores.model.getState();
      if (status.type === "failed") run.fail(status.message);
      // The user cancelled the loading, which is no failure of the run.
      else run.stop();
    } else {
      stores.problems.getState().report("run", []);
      run.run(
        { ...requestOf(stores, mods), ...answer.fields },
        mods.map(({ id }) => id),
      );
    }
  } catch (cause) {
    if (stillWanted()) run.fail(messageOf(cause));
  }
}

async function firstProblem(stores: Stores, mods: readonly UserMod[]): Promise<Problem | null> {
  const found = await Promise.all(
    mods.map(async ({ id, source }) =>
      (await stores.engine.compileProblems(source)).map(
        (problem): Problem => ({ ...problem, mod: id, source: "compile" }),
      ),
    ),
  );
  stores.problems.getState().report("compile", found.flat());
  return found.flat()[0] ?? null;
}

function nameOf(mods: readonly UserMod[], id: string): string {
  return mods.find((mod) => mod.id === id)?.name ?? "A mod";
}

function at({ line, column }: Problem): string {
  return line === null ? "" : ` (line ${line}${column === null ? "" : `, column ${column}`})`;
}

/** The request that a run with these mods sends, but for what the answer has to be. */
export function requestOf(stores: Stores, mods: readonly UserMod[]): RunRequest {
  const { sampling, maxTokens, stop, seed, onModError, limits } = stores.settings.getState();
  return {
    requestId: requestId(),
    messages: messagesOf(stores.conversation.getState().turns),
    sampling,
    maxTokens,
    stop,
    seed: seed ?? Math.floor(Math.random() * 0x1_0000_0000),
    onModError,
    ...(limits.budget !== null && { budget: limits.budget }),
    deadlines: limits.deadlines,
    mods: mods.map(({ name, source, entry }) => ({ name, source, ...(entry !== null && { entry }) })),
  };
}

function requestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return `req_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
