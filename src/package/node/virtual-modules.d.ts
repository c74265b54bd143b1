/** Made by scripts/vite-node-programs.ts. */
declare module "virtual:node-programs" {
  /** The script that runs first in a guest's QuickJS: quickjs/realm/realm-program.ts. */
  export const realmProgram: string;
  /** quickjs/guest-thread.ts as one module, which imports nothing but Node's own. */
  export const guestThread: string;
  /** compile-thread.ts, likewise. */
  export const compileThread: string;
  /** QuickJS's WebAssembly, packed by gzip, in base64. */
  export const quickJsWasm: string;
}

/** Made by scripts/vite-node-programs.ts, apart from the others because it takes longer to make. */
declare module "virtual:node-engine" {
  /** engine-thread.ts as one module, which imports nothing but Node's own. */
  export const engineThread: string;
}
