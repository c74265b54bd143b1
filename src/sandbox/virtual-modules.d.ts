/** Made by scripts/vite-guest.ts. */
declare module "virtual:sandbox-guest" {
  /** The guest's program, a classic script. */
  export const guestProgram: string;
}
/** Made by scripts/vite-guest.ts. */
declare module "virtual:sandbox-bootstrap" {
  /** Of bootstrap.ts, as a policy has it: "sha256-…". */
  export const bootstrapHash: string;
}
/** Made by scripts/vite-sdk-types.ts. */
declare module "virtual:sdk-exports" {
  /** By the name of each module that a mod can import: the names of its values and of its types. */
  export const sdkExports: Readonly<
    Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }>
  >;
}
