/** Functions of a worker, called from its page by their names. */

// biome-ignore lint/suspicious/noExplicitAny: whatever the functions take crosses as it is.
type Functions = Readonly<Record<string, (...values: any[]) => unknown>>;

/** The same functions as the page calls them. */
export type Calls<F extends Functions> = {
  readonly [Name in keyof F]: (...values: Parameters<F[Name]>) => Promise<Awaited<ReturnType<F[Name]>>>;
};

interface Call {
  readonly id: number;
  readonly name: string;
  readonly values: readonly unknown[];
}

type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: string });

/** In the worker: answers calls of these. */
export function answerCalls(functions: Functions): void {
  self.onmessage = async ({ data: { id, name, values } }: MessageEvent<Call>) => {
    const answer = await Promise.resolve()
      .then(() => functions[name]?.(...values))
      .then(
        (value): Answer => ({ id, value }),
        (error: Error): Answer => ({ id, failure: `${error.message}\n${error.stack}` }),
      );
    self.postMessage(answer);
  };
}

/** On the page. A worker that fails by itself fails every call. */
export function callsTo<F extends Functions>(worker: Worker): Calls<F> {
  let last = 0;
  const call = (name: string, values: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      last += 1;
      const id = last;
      const onMessage = ({ data }: MessageEvent<Answer>) => {
        if (data.id !== id) return;
        worker.removeEventListener("message", onMessage);
        if ("failure" in data) reject(new Error(data.failure));
        else resolve(data.value);
      };
      worker.addEventListener("message", onMessage);
      worker.addEventListener("error", (event) => reject(new Error(event.message)), { once: true });
      worker.postMessage({ id, name, values } satisfies Call);
    });
  return new Proxy({} as Calls<F>, {
    get: (_, name: string) => (name === "then" ? undefined : (...values: unknown[]) => call(name, values)),
  });
}
