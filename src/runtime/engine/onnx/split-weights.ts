/** Separates the weights inside a graph's file from the graph, without reading them. */
import type { WeightBytes } from "../base/weight-bytes.ts";
import { WireReader, WireWriter, wireTypes } from "./wire.ts";

/** Tensors of at least this many bytes are separated from the graph. */
const leastBytes = 16 * 1024;

/** Field numbers on the path to a weight: the model's graph, its initializers, their values. */
const field = {
  graph: 7,
  initializer: 5,
  rawData: 9,
  externalData: 13,
  dataLocation: 14,
  key: 1,
  value: 2,
} as const;

/**
 * The graph of an ONNX file without its large initializers. They become external data: `location` is their file's name, and
 * their offsets are those in `file`. So only the small parts of a graph of a gigabyte are read.
 * @param opened the same bytes, if they can be read synchronously: a graph has hundreds of small parts between its weights.
 * @throws OnnxFormatError if the file is damaged or cut short.
 */
export async function separateWeights(
  file: Blob,
  location: string,
  opened: WeightBytes | null = null,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new BlobReader(file, opened);
  const model = new WireWriter();
  await eachField(reader, file.size, async (number, type, start) => {
    if (number !== field.graph || type !== wireTypes.bytes) return copyField(reader, model, start, type);
    const end = await reader.spanEnd(file.size);
    const graph = new WireWriter();
    await eachField(reader, end, async (number, type, start) => {
      if (number !== field.initializer || type !== wireTypes.bytes)
        return copyField(reader, graph, start, type);
      const tensor = await splitTensor(reader, await reader.spanEnd(end), location);
      graph.tag(field.initializer, wireTypes.bytes);
      graph.message(tensor);
    });
    model.tag(field.graph, wireTypes.bytes);
    model.message(graph);
  });
  return model.finish();
}

async function splitTensor(reader: BlobReader, end: number, location: string): Promise<WireWriter> {
  const tensor = new WireWriter();
  let place: { offset: number; length: number } | null = null;
  await eachField(reader, end, async (number, type, start) => {
    if (number === field.dataLocation && type === wireTypes.varint) {
      const location = await reader.varint(end);
      // Location 0 ("inside") is the default, so it is not written; it would contradict the external place.
      if (location !== 0) tensor.raw(await reader.copy(start, reader.position));
      return;
    }
    if (number !== field.rawData || type !== wireTypes.bytes) return copyField(reader, tensor, start, type);
    const valuesEnd = await reader.spanEnd(end);
    const length = valuesEnd - reader.position;
    if (length < leastBytes) {
      tensor.raw(await reader.copy(start, valuesEnd));
    } else {
      place = { offset: reader.position, length };
    }
    reader.position = valuesEnd;
  });
  if (place !== null) addPlace(tensor, location, place);
  return tensor;
}

function addPlace(
  tensor: WireWriter,
  location: string,
  { offset, length }: { offset: number; length: number },
) {
  const entries = { location, offset: String(offset), length: String(length) };
  for (const [key, value] of Object.entries(entries)) {
    const entry = new WireWriter();
    entry.tag(field.key, wireTypes.bytes);
    entry.string(key);
    entry.tag(field.value, wireTypes.bytes);
    entry.string(value);
    tensor.tag(field.externalData, wireTypes.bytes);
    tensor.message(entry);
  }
  tensor.tag(field.dataLocation, wireTypes.varint);
  tensor.varint(1n);
}

/** Calls `visit` for each field up to `end`, with the reader after the field's tag, and `start` before it. */
async function eachField(
  reader: BlobReader,
  end: number,
  visit: (number: number, type: number, start: number) => Promise<void>,
): Promise<void> {
  while (reader.position < end) {
    const start = reader.position;
    const tag = await reader.varint(end);
    await visit(Math.floor(tag / 8), tag % 8, start);
    if (reader.position > end) reader.fail("a field that continues after the end of its message");
  }
}

/** Copies the field whose tag begins at `start`, and moves the reader after the field. */
async function copyField(reader: BlobReader, writer: WireWriter, start: number, type: number): Promise<void> {
  const { size } = reader;
  if (type === wireTypes.varint) await reader.varint(size);
  else if (type === wireTypes.fixed64) reader.position += 8;
  else if (type === wireTypes.fixed32) reader.position += 4;
  else if (type === wireTypes.bytes) reader.position = await reader.spanEnd(size);
  else reader.fail(`the unknown wire type ${type}`);
  writer.raw(await reader.copy(start, reader.position));
}

/** A varint has at most ten bytes. */
const longestVarint = 10;

/** Bytes per read: a few hundred nodes, or all that lies between two large weights. */
const windowBytes = 32 * 1024;

/** Reads a file piece by piece. */
class BlobReader {
  position = 0;
  readonly size: number;
  readonly #file: Blob;
  readonly #opened: WeightBytes | null;
  #window: Uint8Array = new Uint8Array();
  #start = 0;

  constructor(file: Blob, opened: WeightBytes | null) {
    this.#file = file;
    this.#opened = opened;
    this.size = file.size;
  }

  fail(what: string): never {
    return new WireReader(new Uint8Array(), this.position).fail(what);
  }

  /** Reads a length or a tag, which must end before `end`. */
  async varint(end: number): Promise<number> {
    const bytes = await this.#view(this.position, Math.min(end, this.position + longestVarint));
    const reader = new WireReader(bytes, this.position);
    const value = Number(BigInt.asUintN(64, reader.bigint()));
    this.position += reader.position;
    return value;
  }

  /** Reads the length of a span and returns its end. */
  async spanEnd(end: number): Promise<number> {
    const length = await this.varint(end);
    if (length > end - this.position) {
      this.fail(`a value of ${length} bytes, but only ${end - this.position} bytes are left`);
    }
    return this.position + length;
  }

  /** A copy of the bytes from `start` to `end`. */
  async copy(start: number, end: number): Promise<Uint8Array> {
    if (end > this.size) this.fail("a value that is cut off");
    return (await this.#view(start, end)).slice();
  }

  async #view(start: number, end: number): Promise<Uint8Array> {
    if (start < this.#start || end > this.#start + this.#window.length) {
      const to = Math.max(end, start + windowBytes);
      this.#window =
        this.#opened?.subarray(start, Math.min(to, this.size)) ??
        new Uint8Array(await this.#file.slice(start, to).arrayBuffer());
      this.#start = start;
    }
    return this.#window.subarray(start - this.#start, end - this.#start);
  }
}
