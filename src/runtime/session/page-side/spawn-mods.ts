/** Makes a request's mods ready for the engine: compiles them and loads them into sandboxes. The page's own (trusted) mods start without both. */

import { importProgramPart } from "../../../core/base/import-part.ts";
import type { WorkerConnection } from "../../../core/base/worker-connection.ts";
import type { TrustedMod } from "../../../core/sdk/mod.ts";
import { type CompiledMod, type CompileSourceResult, nameMod } from "../../sandbox/compiled-mod.ts";
import type { Compiler } from "../../sandbox/compiler.ts";
import type { SerializedTokenizer } from "../../sandbox/protocol.ts";
import type { Guest, SandboxPool } from "../../sandbox/sandbox-pool.ts";
import type { RequestMod } from "../shared/requests.ts";

export class ModSpawner {
  readonly #createSandboxes: () => SandboxPool;
  readonly #startCompiler: (() => WorkerConnection) | undefined;
  /** Null until the first source is compiled. */
  #compiler: Compiler | null = null;
  #sandboxes: SandboxPool | null = null;
  #isDisposed = false;

  constructor(createSandboxes: () => SandboxPool, startCompiler?: () => WorkerConnection) {
    this.#createSandboxes = createSandboxes;
    this.#startCompiler = startCompiler;
  }

  /** Made with the first request or model. */
  get #pool(): SandboxPool {
    this.#sandboxes ??= this.#createSandboxes();
    return this.#sandboxes;
  }

  async compile(source: string, signal?: AbortSignal): Promise<CompileSourceResult> {
    const { createCompiler } = await importProgramPart(
      "The mod compiler",
      () => import("../../sandbox/compiler.ts"),
      "createCompiler",
    );
    if (this.#isDisposed) throw new Error("The compiler was closed.");
    this.#compiler ??= createCompiler(this.#startCompiler);
    return this.#compiler.compile(source, signal);
  }

  /**
   * A guest for each mod. Mods in `trusted`, by index, get no sandbox. @throws Error that names the mod and the line if a
   * mod does not compile; the signal's reason; the error of a sandbox that does not start
   */
  async spawn(
    mods: readonly RequestMod[],
    trusted: ReadonlyMap<number, TrustedMod>,
    signal: AbortSignal,
  ): Promise<readonly Guest[]> {
    const compiled = await Promise.all(
      mods.map((mod, place) => (trusted.has(place) ? null : this.#compile(mod, signal))),
    );
    const sandboxed = compiled.filter((each) => each !== null).length;
    // Assumes that the next request has as many mods as this one.
    if (sandboxed > 0) this.#pool.keepReady(sandboxed);
    const spawned = await Promise.allSettled(
      compiled.map((each, place) =>
        each === null
          ? startTrusted(trusted.get(place) as TrustedMod, mods[place] as RequestMod)
          : this.#pool.spawn(each, mods[place]?.limits?.memory),
      ),
    );
    const guests = spawned.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = spawned.find((each) => each.status === "rejected");
    if (!failed) return guests;
    for (const guest of guests) guest.kill();
    throw failed.reason;
  }

  async #compile({ name, source }: RequestMod, signal: AbortSignal): Promise<CompiledMod> {
    const result = await this.compile(source, signal);
    if (result.ok) return nameMod(result, name);
    const [problem] = result.problems;
    const place = problem?.line ? `, line ${problem.line}` : "";
    throw new Error(`${name}${place}: ${problem?.message ?? "it does not compile."}`);
  }

  /** Makes the first warm sandbox if there is none. */
  begin(): void {
    void this.#pool;
  }

  keepReady(modCount: number): void {
    this.#pool.keepReady(modCount);
  }

  prepare(tokenizer: SerializedTokenizer): void {
    this.#pool.prepare(tokenizer);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#compiler?.dispose();
    this.#sandboxes?.dispose();
    this.#sandboxes = null;
  }
}

async function startTrusted(mod: TrustedMod, { name, source }: RequestMod): Promise<Guest> {
  // The part contains the mask engine and a tokenizer, which no other code on the page's thread needs.
  const { startTrustedGuest } = await importProgramPart(
    "The mod runner",
    () => import("../../sandbox/trusted-guest.ts"),
    "startTrustedGuest",
  );
  return startTrustedGuest(mod, { name, source });
}
