/** The runtime binds whole multiples of 16 bytes; an empty buffer cannot be bound. */
export function paddedBytes(bytes: number): number {
  return Math.max(16, Math.ceil(bytes / 16) * 16);
}
