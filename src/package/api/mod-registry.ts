/** The mods that requests can name: sources, which run in sandboxes, and mods of the page's own code. */
import { type Mod, modText } from "../../core/sdk/mod.ts";
import { type ModPayload, readModPayload, serializeMod } from "../../core/sdk/serialize.ts";
import { takesBack } from "../../core/sdk/taking-back.ts";
import type { Session } from "../../runtime/session/page-side/session.ts";
import type { RequestMod } from "../../runtime/session/shared/protocol.ts";
import { ApiError, invalidRequest } from "./api-error.ts";
import type { ModFile, Mods } from "./midtoken-engine.ts";
import { checkRoomFor, checkSizes } from "./registry-limits.ts";

/** The part of a session that the registry uses. */
export type ModCompiler = Pick<Session, "compileProblems" | "exportedNames" | "takesBack">;

export interface RegisteredMod {
  readonly payload: ModPayload;
  /** Runs in the page, in the place of the payload's source; null for a mod that runs in a sandbox. */
  readonly trusted: Mod | null;
  /** Whether the mod names an action that removes text. */
  readonly takesBack: boolean;
}

export class ModRegistry implements Mods {
  readonly #compiler: () => ModCompiler;
  readonly #mods = new Map<string, RegisteredMod>();

  constructor(compiler: () => ModCompiler) {
    this.#compiler = compiler;
  }

  async register(mod: ModPayload | ModFile): Promise<ModPayload> {
    checkSizes(mod);
    const payload = checked(() => ("hash" in mod ? readModPayload(mod) : serializeMod(mod.source, mod)));
    checkRoomFor(payload, this.#kept());
    const compiler = this.#compiler();
    const [problem] = await compiler.compileProblems(payload.source);
    if (problem) {
      const line = problem.line === null ? "" : `, line ${problem.line}`;
      throw invalidRequest(
        `The mod "${payload.name}"${line}: ${problem.message}`,
        "source",
        "mod_does_not_compile",
      );
    }
    checkEntry(payload, await compiler.exportedNames(payload.source));
    const takesBack = await compiler.takesBack(payload.source);
    // Others may have been registered meanwhile.
    checkRoomFor(payload, this.#kept());
    this.#mods.set(payload.name, { payload, trusted: null, takesBack });
    return payload;
  }

  registerTrusted(mod: Mod, options: { readonly name: string; readonly description?: string }): ModPayload {
    const text = modText(mod);
    const source = `// This mod is the page's own code and ran outside the sandbox.\n${text}\n`;
    const payload = checked(() => serializeMod(source, options));
    // A function's text does not show its imports, so the mod may use flows.
    const isRemoving = takesBack(new Set(text.match(/[\w$]+/g)), true);
    this.#mods.set(payload.name, { payload, trusted: mod, takesBack: isRemoving });
    return payload;
  }

  /** The mods that came as sources. The page's own code takes no room that it does not take already. */
  #kept(): readonly ModPayload[] {
    return [...this.#mods.values()].flatMap(({ payload, trusted }) => (trusted ? [] : [payload]));
  }

  list(): readonly ModPayload[] {
    return [...this.#mods.values()].map(({ payload }) => payload);
  }

  remove(name: string): void {
    this.get(name);
    this.#mods.delete(name);
  }

  /** @throws ApiError, 404 */
  get(name: string): RegisteredMod {
    const found = this.#mods.get(name);
    if (found) return found;
    const names = [...this.#mods.keys()];
    const there = names.length === 0 ? "No mod is registered." : `There is ${names.join(", ")}.`;
    throw new ApiError(`There is no mod "${name}". ${there}`, {
      status: 404,
      type: "not_found_error",
      code: "mod_not_found",
      param: "model",
    });
  }
}

export function requestMod({ payload: { name, source, entry } }: RegisteredMod): RequestMod {
  return { name, source, ...(entry !== "default" && { entry }) };
}

/** @throws ApiError, 400, if the file does not export what is to run: every request with the mod would fail. */
function checkEntry({ name, entry }: ModPayload, exported: readonly string[]): void {
  if (exported.includes(entry)) return;
  const isDefault = entry === "default";
  const lacks = isDefault ? "has no default export" : `exports no mod "${entry}"`;
  const named = exported.filter((each) => each !== "default");
  const there = named.length === 0 ? "" : ` It exports ${named.join(", ")}: name one as entry.`;
  const advice = isDefault
    ? "Write: export default mod({ … })."
    : `Write: export const ${entry} = mod({ … }).`;
  throw invalidRequest(
    `The mod "${name}" ${lacks}.${there} ${advice}`,
    isDefault ? "source" : "entry",
    "mod_not_exported",
  );
}

function checked<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw invalidRequest((error as Error).message, null, "invalid_mod");
  }
}
