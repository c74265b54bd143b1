/**
 * Fetches a piece of the program at the moment it is needed. Browsers differ in what they do after a failure: Chromium
 * asks the server again at the next `import()`, Firefox answers from memory that it failed, for ever. So a piece that
 * did not come is asked for once more under an address of its own (`piece.js?again=1`).
 */

/** A piece of the program could not be fetched. The message is for people; `cause` is what the browser said. */
export class PartError extends Error {
  override readonly name = "PartError";
}

let attempts = 0;

/**
 * @param part what is fetched, in words that begin a sentence: "The editor".
 * @param load `() => import("./file.ts")`.
 * @param wanted a name that the module must export: a module that Firefox names as missing may be one that the piece
 *   itself imports.
 * @param importFresh stands in for `import()` in tests.
 * @throws PartError when it cannot be fetched; what the module itself throws when it starts is thrown as it is.
 */
export async function importPart<Module extends object>(
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
    // A style sheet is asked for again at the next call (`scripts/vite-preload.ts`).
    const address = /https?:\/\/[^\s?#]+(?<!\.css)(?=[\s?#]|$)/.exec(cause.message)?.[0];
    const fresh = address && (await importFresh(`${address}?again=${attempts}`).catch(() => null));
    if (fresh && wanted in fresh) return fresh as Module;
    throw new PartError(`${part} could not be fetched.`, { cause });
  }
}

/** The words of Chromium, Firefox, Safari, and of `scripts/vite-preload.ts` for a style sheet. */
const failures = /dynamically imported module|importing a module script failed|unable to preload css/i;

function isFetchFailure(cause: unknown): cause is Error {
  return cause instanceof Error && failures.test(cause.message);
}
