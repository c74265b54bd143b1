/** Readers for single values in a guest's messages; parse-reply.ts uses them. */
import { describeValue } from "../../core/base/show.ts";

/** The guest broke the protocol, so the engine stops it. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a plain object. */
export function readFields(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)) {
    return value as Fields;
  }
  return violate(`${what} is ${describeValue(value)}, not an object`);
}

export function violate(reason: string): never {
  throw new ProtocolViolation(
    `The mod was stopped, because its sandbox sent an invalid message: ${reason}. Run again; if it happens again, report the mod and this message.`,
  );
}

export function readList(value: unknown, most: number, what: string): readonly unknown[] {
  if (!Array.isArray(value)) return violate(`${what} is ${describeValue(value)}, not a list`);
  if (value.length > most) return violate(`${what} has ${value.length} entries; the limit is ${most}`);
  return Array.from(value as unknown[]);
}

export function readText(value: unknown, most: number, what: string): string {
  if (typeof value !== "string") return violate(`${what} is ${describeValue(value)}, not a string`);
  return value.length <= most
    ? value
    : violate(`${what} has ${value.length} characters; the limit is ${most}`);
}

export function readCount(value: unknown, most: number, what: string): number {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;
  return isCount
    ? value + 0
    : violate(`${what} is ${describeValue(value)}, not a whole number up to ${most}`);
}

export function readNumbers<Numbers extends Float32Array | Float64Array | Int32Array>(
  value: unknown,
  Kind: new (length: number) => Numbers,
  what: string,
): Numbers {
  return value instanceof Kind
    ? requireOwnBuffer(value, what)
    : violate(`${what} is ${describeValue(value)}, not of type ${Kind.name}`);
}

/**
 * Requires a typed array that fills its own buffer. A larger buffer would stay in memory with the array; a shared or
 * resizable buffer could change after the check.
 */
export function requireOwnBuffer<Numbers extends Float32Array | Float64Array | Int32Array | Uint32Array>(
  numbers: Numbers,
  what: string,
): Numbers {
  const { buffer, byteLength } = numbers;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn && Reflect.get(buffer, "resizable") !== true
    ? numbers
    : violate(`${what} is part of a larger buffer, or of a shared or resizable one`);
}
