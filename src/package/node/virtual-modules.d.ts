/** scripts/vite-node-programs.ts makes this module. */
declare module "virtual:node-programs" {
  /** The script that runs first in a guest's QuickJS: quickjs/realm/realm-program.ts. */
  export const realmProgram: string;
  /** quickjs/guest-thread.ts as one module, which imports only Node's own modules. */
  export const guestThread: string;
  /** compile-thread.ts as one module, which imports only Node's own modules. */
  export const compileThread: string;
  /** QuickJS's WebAssembly, compressed with gzip, as base64. */
  export const quickJsWasm: string;
}

/** scripts/vite-node-programs.ts makes this module too; it is separate because it takes longer to make. */
declare module "virtual:node-engine" {
  /** engine-thread.ts as one module, which imports only Node's own modules. */
  export const engineThread: string;
}
