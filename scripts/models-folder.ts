/** The folder of test models that are not in the repository. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

/**
 * `MIDTOKEN_MODELS`, else `../shared/models` where that exists, else null.
 * @throws Error when `MIDTOKEN_MODELS` names a folder that is not there.
 */
export function modelsFolder(): string | null {
  const given = process.env.MIDTOKEN_MODELS;
  if (given) {
    if (!existsSync(given))
      throw new Error(`MIDTOKEN_MODELS is ${given}, and no folder is there. Correct it or unset it.`);
    return resolve(given);
  }
  const beside = resolve(import.meta.dirname, "../../shared/models");
  return existsSync(beside) ? beside : null;
}
