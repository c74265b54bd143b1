/**
 * Fetches a module of the program when it is needed. After a failure, Chromium asks the server again at the next `import()`,
 * but Firefox remembers the failure for ever. So after a failure, the module is requested once more under a different address
 * (`piece.js?again=1`).
 */

/** A module of the program could not be fetched. The message is for people; `cause` is the browser's error. */
export class ProgramPartError extends Error {
  override readonly name = "PartError";
}

let attempts = 0;

/**
 * @param part the name of the fetched part, as the beginning of a sentence: "The editor".
 * @param load `() => import("./file.ts")`.
 * @param wanted a name that the module must export, because the address in Firefox's error may be that of another module, which
 *   this one imports.
 * @param importFresh stands in for `import()` in tests.
 * @throws ProgramPartError if the module cannot be fetched. Errors that the module itself throws at its start are thrown unchanged.
 */
export async function importProgramPart<Module extends object>(
  part: string,
  load: () => Promise<Module>,
  wanted: keyof Module & string,
  importFresh: (address: string) => Promise<object> = (address) =>
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ address),
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if (!isFetchFailure(cause)) throw cause;
    attempts += 1;
    // A style sheet is not retried here: it is requested again at the next call (`scripts/vite-preload.ts`).
    const address = /https?:\/\/[^\s?#]+(?<!\.css)(?=[\s?#]|$)/.exec(cause.message)?.[0];
    const fresh = address && (await importFresh(`${address}?again=${attempts}`).catch(() => null));
    if (fresh && wanted in fresh) return fresh as Module;
    throw new ProgramPartError(`${part} could not be fetched.`, { cause });
  }
}

/** Error messages of Chromium, Firefox and Safari, and of `scripts/vite-preload.ts` for a style sheet. */
const failures = /dynamically imported module|importing a module script failed|unable to preload css/i;

function isFetchFailure(cause: unknown): cause is Error {
  return cause instanceof Error && failures.test(cause.message);
}
