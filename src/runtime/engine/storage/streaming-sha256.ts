/** SHA-256 (FIPS 180-4) of bytes that arrive in pieces. WebCrypto only hashes whole messages, and a weight file does not fit into memory. */
import { createSHA256 } from "hash-wasm";

export interface StreamingHash {
  update(piece: Uint8Array): void;
  /** The hash, 64 hex digits. Nothing may be added afterwards. */
  digest(): string;
}

export async function createStreamingSha256(): Promise<StreamingHash> {
  const hash = await createSHA256();
  hash.init();
  return { update: (piece) => void hash.update(piece), digest: () => hash.digest("hex") };
}
