/** Types of browsers.mjs, which stays plain JavaScript because it runs before anything is built. */
export function findChromium(): Promise<string | null>;
export function findFirefox(): string | null;
export function ensureChromium(): Promise<string>;
export function ensureHeadlessShell(): Promise<string>;
export function ensureFirefox(): string;
