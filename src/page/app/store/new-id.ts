let counter = 0;

/** An id for things of this browser. Works without a secure context, where `crypto.randomUUID` is missing. */
export function newId(): string {
  counter += 1;
  return `${Date.now().toString(36)}-${counter.toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
}
