/** The mods that requests can name: mods with a source, which run in sandboxes, and mods of the page's own code. */
import { checkOptionKeys, type OptionKeys, refuseUnknownKeys } from "../../core/base/known-keys.ts";
import { type Mod, modHandlersSource, type TrustedMod } from "../../core/sdk/mod.ts";
import { type ModPayload, readModPayload, serializeMod } from "../../core/sdk/serialize.ts";
import { mayRemoveOutput } from "../../core/sdk/taking-back.ts";
import type { Session } from "../../runtime/session/page-side/session.ts";
import { defaultDeadlines } from "../../runtime/session/shared/request-limits.ts";
import type { ModLimits, RequestMod } from "../../runtime/session/shared/requests.ts";
import { ApiError, invalidRequestError } from "./api-error.ts";
import type { ModFile, Mods, RegisterOptions } from "./midtoken-engine.ts";
import { checkModFitsLimits, checkModTextSizes } from "./registry-limits.ts";
import type { CrossEngineModStore } from "./store/stored-mods.ts";

/** The part of a session that the registry uses. */
export type ModCompiler = Pick<Session, "compileProblems" | "exportedNames" | "removesText">;

export interface RegisteredMod {
  readonly payload: ModPayload;
  /** The mod's code, which runs where the engine was created; null for a mod that runs in a sandbox. */
  readonly trusted: TrustedMod | null;
  readonly limits: ModLimits | null;
  /** Whether the mod names an action that removes text. */
  readonly removesText: boolean;
}

export class ModRegistry implements Mods {
  readonly #compiler: () => ModCompiler;
  /** The mods in the shared store; null if the engine has no store. */
  readonly #shared: CrossEngineModStore | null;
  readonly #ownMods = new Map<string, RegisteredMod>();
  /** Copies of the shared mods, as last read. */
  readonly #sharedCopies = new Map<string, RegisteredMod>();

  constructor(compiler: () => ModCompiler, shared: CrossEngineModStore | null = null) {
    this.#compiler = compiler;
    this.#shared = shared;
  }

  async register(mod: ModPayload | ModFile, options: RegisterOptions = {}): Promise<ModPayload> {
    checkOptionKeys("mods.register", options, registerKeys);
    const { store: isStored = true, trusted, limits } = options;
    checkLimitKeys(limits ?? {});
    checkModTextSizes(mod);
    const payload = payloadOf(mod);
    const shared = isStored && !trusted && !limits ? this.#shared : null;
    if (shared) {
      if (this.#ownMods.has(payload.name)) throw nameTaken(payload.name);
      await this.sync();
    }
    checkModFitsLimits(payload, this.#sandboxedMods());
    const registered = {
      ...(await this.#prepare(payload)),
      trusted: trusted ?? null,
      limits: limits ?? null,
    };
    // Checked again, because other mods may have been registered meanwhile.
    checkModFitsLimits(payload, this.#sandboxedMods());
    if (shared) await shared.add(payload);
    (shared ? this.#sharedCopies : this.#ownMods).set(payload.name, registered);
    return payload;
  }

  registerTrusted(mod: Mod, options: { readonly name: string; readonly description?: string }): ModPayload {
    checkOptionKeys("mods.registerTrusted", options, { name: true, description: true });
    const text = modHandlersSource(mod);
    const source = `// This mod is the page's own code and ran outside the sandbox.\n${text}\n`;
    const payload = checked(() => serializeMod(source, options));
    // A function's text does not show its imports, so the mod is treated as if it used flows.
    const isRemoving = mayRemoveOutput(new Set(text.match(/[\w$]+/g)), true);
    this.#ownMods.set(payload.name, { payload, trusted: mod, limits: null, removesText: isRemoving });
    return payload;
  }

  list(): readonly ModPayload[] {
    return this.#all().map(({ payload }) => payload);
  }

  async sync(): Promise<void> {
    const shared = this.#shared;
    if (!shared) return;
    const payloads = await shared.all();
    const names = new Set(payloads.map(({ name }) => name));
    for (const name of this.#sharedCopies.keys()) if (!names.has(name)) this.#sharedCopies.delete(name);
    for (const payload of payloads)
      await this.#copy(payload).catch((error: unknown) => shared.leaveOut(payload.name, error));
  }

  async remove(name: string): Promise<void> {
    if (this.#ownMods.delete(name)) return;
    const wasStored = await this.#shared?.remove(name);
    if (!this.#sharedCopies.delete(name) && !wasStored) throw this.#notFound(name);
  }

  /**
   * Finds a mod by its name, also in the store. Rejects with an ApiError: 404 if there is none, 400 if a mod of the store
   * does not compile, 500 or 503 if the store fails.
   */
  async find(name: string): Promise<RegisteredMod> {
    const ownMod = this.#ownMods.get(name);
    if (ownMod) return ownMod;
    const payload = (await this.#shared?.find(name)) ?? null;
    if (payload) return this.#copy(payload);
    this.#sharedCopies.delete(name);
    throw this.#notFound(name);
  }

  /** The mods that run in sandboxes. Only they count for the limits; the page's own code and an operator's files do not. */
  #sandboxedMods(): readonly ModPayload[] {
    return this.#all().flatMap(({ payload, trusted }) => (trusted ? [] : [payload]));
  }

  #all(): readonly RegisteredMod[] {
    return [...this.#ownMods.values(), ...this.#sharedCopies.values()];
  }

  /** The local copy of a shared mod. If the mod's source has changed, the copy is made again. */
  async #copy(payload: ModPayload): Promise<RegisteredMod> {
    const existing = this.#sharedCopies.get(payload.name);
    if (existing && isSame(existing.payload, payload)) return existing;
    const copy = await this.#prepare(payload);
    this.#sharedCopies.set(payload.name, copy);
    return copy;
  }

  /** @throws ApiError, 400, if the source does not compile or does not export the mod */
  async #prepare(payload: ModPayload): Promise<RegisteredMod> {
    const compiler = this.#compiler();
    const [problem] = await compiler.compileProblems(payload.source);
    if (problem) {
      const line = problem.line === null ? "" : `, line ${problem.line}`;
      throw invalidRequestError(
        `The mod "${payload.name}"${line}: ${problem.message}`,
        "source",
        "mod_does_not_compile",
      );
    }
    checkEntry(payload, await compiler.exportedNames(payload.source));
    return { payload, trusted: null, limits: null, removesText: await compiler.removesText(payload.source) };
  }

  #notFound(name: string): ApiError {
    const names = this.list().map((mod) => mod.name);
    const existing =
      names.length === 0 ? "No mod is registered." : `The registered mods are ${names.join(", ")}.`;
    return new ApiError(`There is no mod "${name}". ${existing}`, {
      status: 404,
      type: "not_found_error",
      code: "mod_not_found",
      param: "model",
    });
  }
}

const registerKeys: OptionKeys<RegisterOptions> = { store: true, trusted: true, limits: true };
const limitKeys: OptionKeys<ModLimits> = { deadlines: true, memory: true };
const fileKeys: OptionKeys<ModFile> = { name: true, description: true, entry: true, source: true };

/** @throws TypeError */
function checkLimitKeys(limits: ModLimits): void {
  const refuse = (message: string) => new TypeError(`mods.register: ${message}`);
  refuseUnknownKeys(limits, Object.keys(limitKeys), "limits", refuse);
  refuseUnknownKeys(limits.deadlines ?? {}, Object.keys(defaultDeadlines), "limits.deadlines", refuse);
}

/** @throws ApiError, 400 */
function payloadOf(mod: ModPayload | ModFile): ModPayload {
  if ("hash" in mod || "sdkVersion" in mod) return checked(() => readModPayload(mod));
  refuseUnknownKeys(mod, Object.keys(fileKeys), "", (message, path) =>
    invalidRequestError(message, path, "unknown_parameter"),
  );
  const { source, name } = mod;
  // As in OpenAI's calls, null means that a field was not given.
  const [description, entry] = [mod.description ?? undefined, mod.entry ?? undefined];
  return checked(() => serializeMod(source, { name, description, entry } as ModFile));
}

const isSame = (one: ModPayload, other: ModPayload): boolean =>
  one.hash === other.hash && one.entry === other.entry && one.description === other.description;

function nameTaken(name: string): ApiError {
  return new ApiError(
    `The name "${name}" is already used by a mod from this server's own files: register your mod under another name.`,
    { status: 409, type: "conflict_error", code: "mod_name_taken", param: "name" },
  );
}

export function toRequestMod({ payload: { name, source, entry }, limits }: RegisteredMod): RequestMod {
  return { name, source, ...(entry !== "default" && { entry }), ...(limits && { limits }) };
}

/** @throws ApiError, 400, if the file lacks the export that should run: every request with the mod would fail */
function checkEntry({ name, entry }: ModPayload, exported: readonly string[]): void {
  if (exported.includes(entry)) return;
  const isDefault = entry === "default";
  const lacks = isDefault ? "has no default export" : `exports no mod "${entry}"`;
  const named = exported.filter((each) => each !== "default");
  const existing = named.length === 0 ? "" : ` It exports ${named.join(", ")}: name one as entry.`;
  const advice = isDefault
    ? "Write: export default mod({ … })."
    : `Write: export const ${entry} = mod({ … }).`;
  throw invalidRequestError(
    `The mod "${name}" ${lacks}.${existing} ${advice}`,
    isDefault ? "source" : "entry",
    "mod_not_exported",
  );
}

function checked<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw invalidRequestError((error as Error).message, null, "invalid_mod");
  }
}
