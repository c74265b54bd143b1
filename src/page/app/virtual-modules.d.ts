/** Made by scripts/vite-viewer.ts. */
declare module "virtual:viewer" {
  /** Loads the viewer of a shared run, which is built apart from the playground. */
  export function loadViewer(): Promise<typeof import("./viewer.tsx")>;
}
/** Made by scripts/vite-viewer.ts. */
declare module "virtual:inline-viewer" {
  /** Loads the viewer that a saved file carries. */
  export function loadInlineViewer(): Promise<{
    readonly viewer: import("../../core/trace/file/export-formats/html.ts").InlineViewer;
  }>;
}
/** Made by scripts/vite-guide.ts. */
declare module "virtual:guide" {
  export const guide: readonly import("./guide/guide-content.ts").GuideSection[];
}
/** Made by scripts/vite-guide.ts. */
declare module "virtual:guide-headings" {
  export const guideHeadings: readonly import("./guide/guide-content.ts").GuideHeading[];
}
