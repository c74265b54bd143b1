/** Texts as bytes. */
const encoder = new TextEncoder();

/** The UTF-8 of a text. Most texts of a grammar are a few ASCII characters: a call of TextEncoder costs far more than they do. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return encoder.encode(text);
    bytes[index] = unit;
  }
  return bytes;
}
