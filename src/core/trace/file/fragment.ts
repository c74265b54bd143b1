/**
 * Converts bytes to the fragment of an address and back: `#t1.`, then the bytes in base64url, then `z`. The letter is the kind of
 * content, the 1 the version of this text format; the version of a trace is in the bytes. The `z` is needed because programs that
 * detect links in a text drop a dash at the end of a link.
 */

import { fromBase64Url, toBase64Url } from "../codec/bytes.ts";
import { newerMidtoken } from "../format/check-version.ts";
import { traceLimits } from "../format/limits.ts";
import { TraceError } from "../format/trace-error.ts";
import { type FragmentKind, fragmentKind } from "./fragment-kind.ts";

const holds: Readonly<Record<FragmentKind, string>> = { t: "trace", s: "setup" };

/** The fragment, with its `#`. */
export function fragmentOf(kind: FragmentKind, bytes: Uint8Array): string {
  return `#${kind}1.${toBase64Url(bytes)}z`;
}

/** @throws TraceError for any text that is no fragment of this kind. */
export function bytesOfFragment(fragment: string, kind: FragmentKind): Uint8Array {
  if (fragment.length > traceLimits.fragmentLength) {
    throw new TraceError(
      `The link has ${fragment.length} characters; the limit is ${traceLimits.fragmentLength}.`,
    );
  }
  const whole = fragment.replace(/^#?/, "#");
  const prefix = `#${kind}1.`;
  if (!whole.startsWith(prefix)) {
    if (fragmentKind(whole) !== kind) {
      throw new TraceError(
        `The link contains no ${holds[kind]}: the part after the # should begin with ${kind}1.`,
      );
    }
    const found = whole.slice(1, whole.indexOf("."));
    throw newerMidtoken(`its link begins with ${found}, but this copy reads ${kind}1`);
  }
  const payload = whole.slice(prefix.length);
  // In a sentence such as "(see LINK).", some programs make the punctuation after the link a part of the link.
  const end = payload.search(/z[^\w-]{0,4}$/);
  if (end < 0) throw new TraceError("The link is cut off: its end is missing. Copy the whole link again.");
  return fromBase64Url(payload.slice(0, end));
}
