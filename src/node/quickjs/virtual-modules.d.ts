/** Made by scripts/vite-quickjs.ts. */
declare module "virtual:quickjs-programs" {
  /** What runs first in a guest's QuickJS: realm/realm-program.ts as a script. */
  export const realmProgram: string;
  /** guest-thread.ts as one module, which imports nothing but Node's own. */
  export const threadProgram: string;
}
