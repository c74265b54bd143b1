/**
 * Messages between a guest in QuickJS and its thread: what a port would copy by structured clone, as JSON and one block of
 * bytes for typed arrays. The same code runs on both sides. Beside a mod it looks up nothing that the mod may have
 * replaced: it keeps the language's parts from before the mod, and what it builds has no prototype that a mod could fill.
 */

/** A message on its way. */
export interface PackedMessage {
  readonly text: string;
  /** The bytes of its typed arrays, one after the other, each at a multiple of eight. */
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

/** Levels of lists and objects in one another. */
const deepest = 1_000;

interface Packing {
  /** Typed arrays in the order of their bytes. */
  readonly views: object[];
  bytes: number;
}

/**
 * Copies a message: plain values, lists, objects and typed arrays; of any other object its own fields alone.
 * @throws TypeError for functions, symbols and what is nested deeper than a thousand levels, in itself for example.
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
      return isFiniteNumber(value) && !is(value, -0)
        ? value
        : tagged("number", is(value, -0) ? "-0" : `${value}`);
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

/** The length of a list with holes is stored as a member. */
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
  /** Bytes that typed arrays may still take: each byte of the block belongs to one of them. */
  bytesLeft: number;
  /** Values that may still come. */
  valuesLeft: number;
}

/**
 * The copy. `bytes` stays the caller's.
 * @throws TypeError when the message has more than `mostValues` values, or typed arrays that take more than the block has.
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
        throw new RealError("The typed arrays of a message end after its bytes.");
      return new Kind(apply(slice, unpacking.bytes, [from, from + length]) as ArrayBuffer);
    }
  }
}

/** As `unpacked`, for an object that has a member of its own called "$". */
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

/** Without a prototype, which would be asked for `get` and `set`. */
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

/** A list without a prototype: neither its setters nor its `toJSON` are a mod's. */
function emptyList(): unknown[] {
  const list = new RealArray<unknown>();
  setPrototypeOf(list, null);
  return list;
}

function padded(bytes: number): number {
  return bytes + ((8 - (bytes % 8)) % 8);
}
