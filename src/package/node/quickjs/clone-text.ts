/**
 * Converts messages between a guest in QuickJS and its thread: what structured clone would copy becomes JSON, and one block
 * of bytes for all typed arrays. Both sides run the same code. In the guest it uses only copies of built-ins that were made
 * before the mod, and objects without a prototype, so that a mod cannot change what it does.
 */

/** A converted message. */
export interface PackedMessage {
  readonly text: string;
  /** The bytes of its typed arrays, one after the other, each starting at a multiple of eight. */
  readonly bytes: ArrayBuffer;
}

const { apply, defineProperty, getPrototypeOf, ownKeys, setPrototypeOf, getOwnPropertyDescriptor } = Reflect;
const { create, is } = Object;
const { isArray } = Array;
const { isFinite: isFiniteNumber } = Number;
const { parse, stringify } = JSON;
const RealArray = Array;
const RealUint8Array = Uint8Array;
const RealBigInt = BigInt;
const RealError = TypeError;
const { slice } = ArrayBuffer.prototype;
const { set } = Uint8Array.prototype;

const typedArray = getPrototypeOf(Uint8Array.prototype) as object;
const getter = (name: PropertyKey) =>
  getOwnPropertyDescriptor(typedArray, name)?.get as (this: unknown) => unknown;
const kindOf = getter(Symbol.toStringTag);
const bufferOf = getter("buffer") as (this: unknown) => ArrayBuffer;
const offsetOf = getter("byteOffset") as (this: unknown) => number;
const bytesOf = getter("byteLength") as (this: unknown) => number;

type TypedArrayConstructor = new (buffer: ArrayBuffer) => ArrayBufferView;
const kinds = create(null) as Record<string, TypedArrayConstructor>;
for (const kind of [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
])
  kinds[kind.name] = kind;
for (const kind of [Float32Array, Float64Array, BigInt64Array, BigUint64Array]) kinds[kind.name] = kind;

/** The deepest nesting of lists and objects. */
const deepest = 1_000;

interface Packing {
  /** Typed arrays in the order of their bytes. */
  readonly views: object[];
  bytes: number;
}

/**
 * Converts a message: plain values, lists, objects and typed arrays. Other objects are copied with their own fields only.
 * @throws TypeError for functions and symbols, and for nesting deeper than a thousand levels, such as an object that
 * contains itself.
 */
export function pack(message: unknown): PackedMessage {
  const packing: Packing = { views: emptyList() as object[], bytes: 0 };
  const text = stringify(packed(message, packing, 0)) as string;
  const bytes = new RealUint8Array(packing.bytes);
  let at = 0;
  for (let place = 0; place < packing.views.length; place++) {
    const view = packing.views[place];
    const from = apply(offsetOf, view, []) as number;
    const length = apply(bytesOf, view, []) as number;
    apply(set, bytes, [new RealUint8Array(apply(bufferOf, view, []) as ArrayBuffer, from, length), at]);
    at += padded(length);
  }
  return { text, bytes: apply(bufferOf, bytes, []) as ArrayBuffer };
}

function packed(value: unknown, packing: Packing, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (is(value, -0)) return tagged("number", "-0");
      return isFiniteNumber(value) ? value : tagged("number", `${value}`);
    case "undefined":
      return tagged("undefined", null);
    case "bigint":
      return tagged("bigint", `${value}`);
    case "object":
      return value === null ? null : packedObject(value, packing, depth);
    default:
      throw new RealError(`A ${typeof value} cannot be sent.`);
  }
}

function packedObject(value: object, packing: Packing, depth: number): unknown {
  if (depth > deepest) throw new RealError(`Values nested deeper than ${deepest} levels cannot be sent.`);
  const kind = apply(kindOf, value, []);
  if (typeof kind === "string") return packedView(value, kind, packing);
  const keys = ownKeys(value);
  if (isArray(value)) {
    // "length" is one of the keys.
    if (keys.length - 1 === value.length) return packedList(value, packing, depth);
    return tagged("list", packedMembers(value, keys, packing, depth));
  }
  const members = packedMembers(value, keys, packing, depth);
  return "$" in members ? tagged("object", members) : members;
}

function packedView(view: object, kind: string, packing: Packing): unknown {
  if (kinds[kind] === undefined) throw new RealError(`A ${kind} cannot be sent.`);
  const length = apply(bytesOf, view, []) as number;
  packing.views[packing.views.length] = view;
  const place = emptyList();
  place[0] = packing.bytes;
  place[1] = length;
  packing.bytes += padded(length);
  return tagged(kind, place);
}

function packedList(list: readonly unknown[], packing: Packing, depth: number): unknown {
  const items = emptyList();
  for (let place = 0; place < list.length; place++) items[place] = packed(list[place], packing, depth + 1);
  return items;
}

/** The length of a list with holes is stored as a member, too. */
function packedMembers(value: object, keys: PropertyKey[], packing: Packing, depth: number): object {
  const members = create(null) as Record<PropertyKey, unknown>;
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place] as PropertyKey;
    if (typeof key === "symbol") continue;
    if (!isArray(value) && getOwnPropertyDescriptor(value, key)?.enumerable !== true) continue;
    members[key] = packed((value as Record<PropertyKey, unknown>)[key], packing, depth + 1);
  }
  return members;
}

interface Unpacking {
  readonly bytes: ArrayBuffer;
  /** Bytes left for typed arrays: each byte of the block may belong to only one of them. */
  bytesLeft: number;
  /** How many more values are allowed. */
  valuesLeft: number;
}

/**
 * Converts a message back. The caller keeps `bytes`.
 * @throws TypeError if the message has more than `mostValues` values, or typed arrays with more bytes than the block.
 */
export function unpack({ text, bytes }: PackedMessage, mostValues = 2 ** 53): unknown {
  return unpacked(parse(text), { bytes, bytesLeft: bytes.byteLength, valuesLeft: mostValues });
}

type Members = Record<PropertyKey, unknown>;

function countValues(unpacking: Unpacking, count: number): void {
  unpacking.valuesLeft -= count;
  if (unpacking.valuesLeft < 0) throw new RealError("A message has too many values.");
}

function unpacked(value: unknown, unpacking: Unpacking): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) {
    countValues(unpacking, value.length);
    for (let place = 0; place < value.length; place++) {
      const item = value[place];
      if (typeof item === "object" && item !== null) value[place] = unpacked(item, unpacking);
    }
    return value;
  }
  const members = value as Members;
  const keys = ownKeys(members);
  countValues(unpacking, keys.length);
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place] as string;
    if (key === "$") return untagged(members, unpacking);
    const member = members[key];
    if (typeof member === "object" && member !== null) members[key] = unpacked(member, unpacking);
  }
  return value;
}

function untagged(tag: Members, unpacking: Unpacking): unknown {
  const kind = tag.$ as string;
  switch (kind) {
    case "undefined":
      return undefined;
    case "number":
      return +(tag.of as string);
    case "bigint":
      return RealBigInt(tag.of as string);
    case "object":
      return unpackedMembers(tag.of as Members, unpacking);
    case "list":
      return listOf(unpackedMembers(tag.of as Members, unpacking));
    default: {
      const Kind = kinds[kind] as TypedArrayConstructor;
      const place = tag.of as number[];
      const from = place[0] as number;
      const length = place[1] as number;
      unpacking.bytesLeft -= length;
      if (!(unpacking.bytesLeft >= 0))
        throw new RealError("A typed array ends after the last byte of its message.");
      return new Kind(apply(slice, unpacking.bytes, [from, from + length]) as ArrayBuffer);
    }
  }
}

/** Like `unpacked`, for an object that has its own member "$". */
function unpackedMembers(members: Members, unpacking: Unpacking): Members {
  const keys = ownKeys(members);
  countValues(unpacking, keys.length);
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place] as string;
    members[key] = unpacked(members[key], unpacking);
  }
  return members;
}

/** A list with holes. */
function listOf(members: Members): unknown[] {
  const list = new RealArray<unknown>();
  const keys = ownKeys(members);
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place] as string;
    if (key === "length") list.length = members.length as number;
    else defineProperty(list, key, ownMember(members[key]));
  }
  return list;
}

/** Without a prototype, because `get` and `set` would be read from the prototype. */
function ownMember(value: unknown): PropertyDescriptor {
  const member = create(null) as PropertyDescriptor;
  member.value = value;
  member.writable = true;
  member.enumerable = true;
  member.configurable = true;
  return member;
}

function tagged(kind: string, of: unknown): object {
  const tag = create(null) as Members;
  tag.$ = kind;
  tag.of = of;
  return tag;
}

/** A list without a prototype, so that it has no setters or `toJSON` that a mod may have defined. */
function emptyList(): unknown[] {
  const list = new RealArray<unknown>();
  setPrototypeOf(list, null);
  return list;
}

function padded(bytes: number): number {
  return bytes + ((8 - (bytes % 8)) % 8);
}
