export type Json = Record<string, unknown>;

/** Gives a value to the reader with one more key in the object; the reader refuses it. */
export interface Place {
  readonly what: string;
  /** Path of the object, as the refusal has it before the key; "" for the whole. */
  readonly path: string;
  readonly read: (extra: Json) => unknown;
}

export const user = { role: "user", content: "Hello" } as const;
export const called = { id: "1", type: "function", function: { name: "f", arguments: "{}" } } as const;
