/** Reads the values of a tensor, which a file may store in several ways. */
import { float16ToFloat32 } from "../base/float16-arrays.ts";
import type { ExternalData, WeightBytes } from "../base/weight-bytes.ts";
import type { Attribute, Node, Tensor } from "./model.ts";
import { elementType, elementTypeName } from "./model.ts";
import { OnnxFormatError, WireReader } from "./wire.ts";

/** Number of values of a tensor. */
export function elementCount(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

const bitsOf: Record<number, number> = {
  [elementType.float]: 32,
  [elementType.uint8]: 8,
  [elementType.int8]: 8,
  [elementType.int32]: 32,
  [elementType.int64]: 64,
  [elementType.bool]: 8,
  [elementType.float16]: 16,
  [elementType.double]: 64,
  [elementType.bfloat16]: 16,
  [elementType.uint4]: 4,
  [elementType.int4]: 4,
};

/** Bytes of the tensor's values. @throws OnnxFormatError for types not listed in `elementType` */
export function tensorByteLength(tensor: Tensor): number {
  const bits = bitsOf[tensor.dataType ?? 0];
  if (bits === undefined) {
    throw new OnnxFormatError(
      `Tensor "${tensor.name}" has ${elementTypeName(tensor.dataType)}, which Midtoken cannot read. Choose another export of the model.`,
    );
  }
  return Math.ceil((elementCount(tensor.dims) * bits) / 8);
}

/**
 * The little-endian values of a tensor; a view if the file stores them in this form.
 * @throws OnnxFormatError if they are missing, or their length does not match the shape.
 */
export function tensorBytes(tensor: Tensor, external: ExternalData): Uint8Array {
  const bytes = tensor.dataLocation === 1 ? externalBytes(tensor, external) : inlineBytes(tensor);
  checkLength(tensor, bytes.length);
  return bytes;
}

/** Location, offset and length of an external tensor's values. */
export function externalRange(tensor: Tensor): { location: string; offset: number; length: number } {
  const entry = (key: string) => tensor.externalData.find((each) => each.key === key)?.value;
  const number = (key: string, otherwise: number) => {
    const value = Number(entry(key) ?? otherwise);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new OnnxFormatError(
      `The external ${key} of tensor "${tensor.name}" is "${entry(key)}", but must be a whole number: the file is damaged. Download the file again.`,
    );
  };
  return {
    location: entry("location") ?? "",
    offset: number("offset", 0),
    length: number("length", tensorByteLength(tensor)),
  };
}

/** Checks that the tensor's size matches its bytes, without reading external bytes. @throws OnnxFormatError as `tensorBytes` does */
export function checkTensor(tensor: Tensor, external: ExternalData): void {
  if (tensor.dataLocation !== 1) tensorBytes(tensor, external);
  else checkLength(tensor, findExternal(tensor, external).length);
}

function checkLength(tensor: Tensor, length: number): void {
  const expected = tensorByteLength(tensor);
  if (length === expected) return;
  throw new OnnxFormatError(
    `Tensor "${tensor.name}" of shape [${tensor.dims}] needs ${expected} bytes, but the file has ${length} bytes: download the file again.`,
  );
}

function externalBytes(tensor: Tensor, external: ExternalData): Uint8Array {
  const { file, offset, length } = findExternal(tensor, external);
  return file.subarray(offset, offset + length);
}

function findExternal(
  tensor: Tensor,
  external: ExternalData,
): { file: WeightBytes; offset: number; length: number } {
  const { location, offset, length } = externalRange(tensor);
  const file = external.get(location);
  if (!file) {
    const known = [...external.keys()].join(", ") || "none";
    throw new OnnxFormatError(
      `Tensor "${tensor.name}" is in the file "${location}", which is missing (available files: ${known}).`,
    );
  }
  if (offset + length > file.byteLength) {
    throw new OnnxFormatError(
      `Tensor "${tensor.name}" ends at byte ${offset + length} of "${location}", which has only ${file.byteLength} bytes: download the file again.`,
    );
  }
  return { file, offset, length };
}

function inlineBytes(tensor: Tensor): Uint8Array {
  const given =
    tensor.rawData ?? tensor.floatData ?? tensor.doubleData ?? narrowed(tensor) ?? wide(tensor.int64Data);
  return given ?? new Uint8Array();
}

/**
 * The values in `int32_data` as bytes. The field holds every integer type up to 32 bits, and float16, one varint per value
 * (per byte for 4-bit types).
 */
function narrowed(tensor: Tensor): Uint8Array | undefined {
  if (!tensor.int32Data) return undefined;
  const values = Int32Array.from(varints(tensor.int32Data), Number);
  const width = Math.ceil((bitsOf[tensor.dataType ?? 0] ?? 0) / 8);
  const bytes = new Uint8Array(values.length * width);
  values.forEach((value, i) => {
    for (let byte = 0; byte < width; byte++) bytes[i * width + byte] = value >> (8 * byte);
  });
  return bytes;
}

function wide(data: Uint8Array | undefined): Uint8Array | undefined {
  return data && new Uint8Array(BigInt64Array.from(varints(data)).buffer);
}

function varints(data: Uint8Array): bigint[] {
  const reader = new WireReader(data);
  const values: bigint[] = [];
  while (!reader.done) values.push(reader.bigint());
  return values;
}

/** Float32, float16, bfloat16 or double values, converted to float32. @throws OnnxFormatError for another type, and as `tensorBytes` does */
export function tensorFloats(tensor: Tensor, external: ExternalData): Float32Array {
  const bytes = tensorBytes(tensor, external);
  const aligned = new Uint8Array(bytes);
  switch (tensor.dataType) {
    case elementType.float:
      return new Float32Array(aligned.buffer);
    case elementType.double:
      return Float32Array.from(new Float64Array(aligned.buffer));
    case elementType.float16:
      return float16ToFloat32(new Uint16Array(aligned.buffer));
    case elementType.bfloat16:
      return new Float32Array(Uint32Array.from(new Uint16Array(aligned.buffer), (half) => half << 16).buffer);
    default:
      throw new OnnxFormatError(
        `Tensor "${tensor.name}" has ${elementTypeName(tensor.dataType)} where floats are expected.`,
      );
  }
}

/** Int64 or int32 values as numbers; for shapes and axes. */
export function tensorIntegers(tensor: Tensor, external: ExternalData): number[] {
  const aligned = new Uint8Array(tensorBytes(tensor, external));
  if (tensor.dataType === elementType.int64) return Array.from(new BigInt64Array(aligned.buffer), Number);
  if (tensor.dataType === elementType.int32) return Array.from(new Int32Array(aligned.buffer));
  throw new OnnxFormatError(
    `Tensor "${tensor.name}" has ${elementTypeName(tensor.dataType)} where integers are expected.`,
  );
}

function attributeOf(node: Node, name: string): Attribute | undefined {
  return node.attribute.find((each) => each.name === name);
}

/** An integer attribute, or `otherwise` when the node has none. */
export function integerAttribute(node: Node, name: string, otherwise: number): number {
  const value = attributeOf(node, name)?.i;
  return value === undefined ? otherwise : Number(value);
}

/** A float attribute, or `otherwise` when the node has none. */
export function floatAttribute(node: Node, name: string, otherwise: number): number {
  return attributeOf(node, name)?.f ?? otherwise;
}

/** A tensor attribute. */
export function tensorAttribute(node: Node, name: string): Tensor | undefined {
  return attributeOf(node, name)?.t;
}
