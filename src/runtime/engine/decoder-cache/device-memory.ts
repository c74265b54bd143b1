/** The device functions that caches need: blocks of memory, copies between them, and tensors over them. */
import type { FloatType } from "../base/float-type.ts";

/** Copies `bytes` bytes from one block to another; the two are not the same block. */
export interface Copy<Block> {
  readonly source: Block;
  readonly from: number;
  readonly target: Block;
  readonly to: number;
  readonly bytes: number;
}

/** @template Block some memory of the device. @template Tensor what the runtime of the device binds. */
export interface DeviceMemory<Block, Tensor> {
  /** The most bytes that one block may have. */
  readonly mostBytes: number;
  /**
   * One block of zeros for each size in bytes.
   * @param tokens the context that they are for, for the message
   * @throws RangeError when the memory is not there; then nothing was taken.
   */
  allocate(sizes: readonly number[], tokens: number): readonly Block[] | Promise<readonly Block[]>;
  /**
   * Whether passes still have enough memory if so many bytes more are taken. Asked before something is cached that could also be
   * computed again.
   */
  hasSpare(bytes: number): boolean;
  free(blocks: readonly Block[]): void;
  /** In the order of the list, and before any run that is started later. */
  copy(copies: readonly Copy<Block>[]): void;
  /** A tensor over the beginning of a block. A size of 0 is allowed. */
  tensor(block: Block, type: FloatType, dims: readonly number[]): Tensor;
  /** Gives a tensor back. Its block stays. */
  release(tensors: readonly Tensor[]): void;
}
