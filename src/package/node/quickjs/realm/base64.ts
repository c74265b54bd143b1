/** `atob` and `btoa` as in the HTML Standard, because QuickJS lacks them. */

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** @throws RangeError for a character above U+00FF. */
export function toBase64(given: unknown): string {
  const text = `${given}`;
  let encoded = "";
  for (let at = 0; at < text.length; at += 3) {
    let bits = 0;
    for (let place = 0; place < 3; place++) {
      const unit = at + place < text.length ? text.charCodeAt(at + place) : 0;
      if (unit > 0xff) {
        throw new RangeError("btoa takes characters up to U+00FF: encode the text as UTF-8 first.");
      }
      bits = (bits << 8) | unit;
    }
    const missing = Math.max(at + 3 - text.length, 0);
    for (let place = 3; place >= missing; place--) encoded += digits[(bits >> (6 * place)) & 63];
    encoded += "=".repeat(missing);
  }
  return encoded;
}

/** @throws RangeError for a text that is not base64. */
export function fromBase64(given: unknown): string {
  let text = `${given}`.replace(/[\t\n\f\r ]/g, "");
  if (text.length % 4 === 0) text = text.replace(/==?$/, "");
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) {
    throw new RangeError("atob was given text that is not base64.");
  }
  let decoded = "";
  let bits = 0;
  let count = 0;
  for (const digit of text) {
    bits = ((bits << 6) | digits.indexOf(digit)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    decoded += String.fromCharCode((bits >> count) & 0xff);
  }
  return decoded;
}
