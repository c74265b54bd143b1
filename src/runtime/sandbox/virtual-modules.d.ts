/** Made by scripts/vite-guest.ts. */
declare module "virtual:sandbox-guest" {
  /** The guest's program, a classic script. */
  export const guestProgram: string;
}
/** Made by scripts/vite-guest.ts. */
declare module "virtual:sandbox-bootstrap" {
  /** The hash of bootstrap.ts as a policy has it: "sha256-…". */
  export const bootstrapHash: string;
}
