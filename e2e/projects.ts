/** The projects of Playwright, each with the folders of `e2e` whose `*.spec.ts` it runs. `npm test` runs the tests with the tag `@daily`. */
export const projectFolders = {
  webgpu: ["webgpu", "peer"],
  sandbox: ["sandbox", "session", "files", "element", "http"],
  page: ["page", "package"],
} as const satisfies Record<string, readonly string[]>;

/** The glob that Playwright takes for a project. */
export function specsOf(project: keyof typeof projectFolders): string {
  return `{${projectFolders[project].join(",")}}/**/*.spec.ts`;
}
