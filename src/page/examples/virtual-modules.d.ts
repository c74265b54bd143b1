/** Made by scripts/vite-sdk-types.ts. */
declare module "virtual:sdk-types" {
  /** Path to declarations, from the folder of all of them. */
  export const sdkTypes: Readonly<Record<string, string>>;
  /** Name of each module that a mod can import, to the file in `sdkTypes`. */
  export const sdkPaths: Readonly<Record<string, string[]>>;
}
