/** A step of a bench: a line in the log, and a limit after which the step fails by its name. A step that hangs would tell nothing. */

/** How long a step may take, and who writes its lines. */
export interface StepOptions {
  readonly limitMs: number;
  readonly log: (line: string) => void;
}

/** Milliseconds between two lines about a step that runs. */
const tellMs = 20_000;

export class StepLimitError extends Error {
  override readonly name = "StepLimitError";

  constructor(
    readonly step: string,
    readonly limitMs: number,
  ) {
    super(`The step "${step}" did not end within ${limitMs / 1000} s.`);
  }
}

/** Logs how long the step took, and every 20 s that the step still runs. @throws StepLimitError after the limit; the work itself goes on. */
export async function timedStep<T>(
  step: string,
  work: () => Promise<T>,
  { limitMs, log }: StepOptions,
): Promise<T> {
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
  const teller = setInterval(() => log(`${step}: still running after ${seconds()} s`), tellMs);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StepLimitError(step, limitMs)), limitMs);
  });
  try {
    const result = await Promise.race([work(), limit]);
    log(`${step}: ${seconds()} s`);
    return result;
  } catch (error) {
    log(`${step}: failed after ${seconds()} s`);
    throw error;
  } finally {
    clearInterval(teller);
    clearTimeout(timer);
  }
}
