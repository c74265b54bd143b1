/** The device functions that caches need: memory blocks, copies between blocks, and tensors over them. */
import type { FloatType } from "../base/float-type.ts";

/** Copies `bytes` bytes from one block to a different block. */
export interface CopyCommand<Block> {
  readonly source: Block;
  readonly from: number;
  readonly target: Block;
  readonly to: number;
  readonly bytes: number;
}

/** @template Block a piece of the device's memory. @template Tensor the type that the device's runtime binds. */
export interface DeviceMemory<Block, Tensor> {
  /** The most bytes that one block may have. */
  readonly mostBytes: number;
  /**
   * One block of zeros for each size in bytes.
   * @param tokens length of the context, for the message
   * @throws RangeError if memory is short; nothing was allocated
   */
  allocate(sizes: readonly number[], tokens: number): readonly Block[] | Promise<readonly Block[]>;
  /**
   * Whether passes still have enough memory after `bytes` more bytes are allocated. Asked before caching something that
   * could also be computed again.
   */
  hasRoom(bytes: number): boolean;
  free(blocks: readonly Block[]): void;
  /** Copies in the order of the list, before any run that starts later. */
  copy(copies: readonly CopyCommand<Block>[]): void;
  /** A tensor over the beginning of a block. A size of 0 is allowed. */
  tensor(block: Block, type: FloatType, dims: readonly number[]): Tensor;
  /** Frees tensors, but not their blocks. */
  release(tensors: readonly Tensor[]): void;
}

/** Blocks for a segment. @throws RangeError if memory is short, or if passes need it */
export function allocateIfRoom<Block, Tensor>(
  memory: DeviceMemory<Block, Tensor>,
  sizes: readonly number[],
  tokens: number,
): readonly Block[] | Promise<readonly Block[]> {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (!memory.hasRoom(bytes))
    throw new RangeError(
      `There is not enough memory to cache ${tokens} tokens of a text (${(bytes / 2 ** 20).toFixed(0)} MiB).`,
    );
  return memory.allocate(sizes, tokens);
}
