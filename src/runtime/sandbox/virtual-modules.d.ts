/** scripts/vite-guest.ts makes this module. */
declare module "virtual:sandbox-guest" {
  /** The guest's program, a classic script. */
  export const guestProgram: string;
}
/** scripts/vite-guest.ts makes this module. */
declare module "virtual:sandbox-bootstrap" {
  /** The hash of bootstrap.ts in the form that a policy needs: "sha256-…". */
  export const bootstrapHash: string;
}
