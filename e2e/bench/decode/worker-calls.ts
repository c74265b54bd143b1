/** Functions of a worker, called from its page by their names. */
import { timedStep } from "./timed-step.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever the functions take crosses as it is.
type Functions = Readonly<Record<string, (...values: any[]) => unknown>>;

/** The same functions as the page calls them. */
export type Calls<F extends Functions> = {
  readonly [Name in keyof F]: (...values: Parameters<F[Name]>) => Promise<Awaited<ReturnType<F[Name]>>>;
};

export interface CallOptions<F extends Functions> {
  /** Who is called, as the log and errors have it. */
  readonly who: string;
  /** Milliseconds that a call of each function may take. */
  readonly limitsMs: Readonly<Record<keyof F, number>>;
  readonly log: (line: string) => void;
}

interface Call {
  readonly id: number;
  readonly name: string;
  readonly values: readonly unknown[];
}

type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: string });

/** One end of a connection: a worker, its own scope, or a port. */
interface End extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  postMessage(message: unknown): void;
}

/** In the worker: answers calls of these. */
export function answerCalls(functions: Functions, scope: End = self): void {
  scope.addEventListener("message", async (event) => {
    const { id, name, values } = (event as MessageEvent<Call>).data;
    try {
      const value = await functions[name]?.(...values);
      scope.postMessage({ id, value } satisfies Answer);
    } catch (error) {
      // Also a value that cannot be posted: the caller would wait for an answer for ever.
      scope.postMessage({ id, failure: failureText(error) } satisfies Answer);
    }
  });
}

function failureText(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
}

/** On the page. A worker that fails by itself fails every call, a call that runs past its limit fails with a StepLimitError. */
export function callsTo<F extends Functions>(worker: End, { who, limitsMs, log }: CallOptions<F>): Calls<F> {
  let last = 0;
  const send = (name: string, values: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      last += 1;
      const id = last;
      const onMessage = (event: Event) => {
        const { data } = event as MessageEvent<Answer>;
        if (data.id !== id) return;
        worker.removeEventListener("message", onMessage);
        worker.removeEventListener("error", onError);
        if ("failure" in data) reject(new Error(data.failure));
        else resolve(data.value);
      };
      const onError = (event: Event) => reject(new Error((event as ErrorEvent).message));
      worker.addEventListener("message", onMessage);
      worker.addEventListener("error", onError);
      worker.postMessage({ id, name, values } satisfies Call);
    });
  const call = (name: keyof F & string, values: readonly unknown[]) =>
    timedStep(`${who}: ${name}`, () => send(name, values), { limitMs: limitsMs[name], log });
  return new Proxy({} as Calls<F>, {
    get: (_, name: string) => (name === "then" ? undefined : (...values: unknown[]) => call(name, values)),
  });
}
