/** Hashes of data in memory: SHA-256 (FIPS 180-4), and Git's hash of a file. */

/** 64 hex digits. */
export async function sha256(content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  return digest("SHA-256", typeof content === "string" ? new TextEncoder().encode(content) : content);
}

/**
 * Git's hash of a file: SHA-1 of the word `blob`, the length and the bytes
 * (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects). 40 hex digits.
 */
export async function gitHash(content: Blob): Promise<string> {
  const whole = new Blob([`blob ${content.size}\0`, content]);
  return digest("SHA-1", new Uint8Array(await whole.arrayBuffer()));
}

async function digest(name: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest(name, content));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
