/**
 * A random id, for example `9f0c2a41-7d3e-4b58-a6c1-0e5d7f8b9a23`: a UUID of version 4 (RFC 9562, section 5.4). It is built
 * from `crypto.getRandomValues`, which every page has; `crypto.randomUUID` is missing on pages at insecure addresses.
 */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
