/** The bytes by the steps that they take: what turns a nondeterministic expression into a deterministic row. */
import type { ByteSet } from "./byte-set.ts";
import type { Expression } from "./expression-node.ts";

/** After one byte of `set`, `next` is allowed. Sets of one expression may overlap. */
export interface DerivativeStep {
  readonly set: ByteSet;
  readonly next: Expression;
}

interface Chain {
  readonly next: Expression;
  readonly before: Chain | undefined;
}

export interface Partition {
  /** The class of each byte; 0 where no step takes it. */
  readonly classOf: Int32Array;
  /** The expressions to which each byte of the class leads. */
  nextsOf(byteClass: number): Expression[];
}

/**
 * Puts bytes that take the same steps into one class. A step that takes only a part of a class divides the class into two. @param classOf 256
 * numbers, overwritten with the classes
 */
export function partition(steps: readonly DerivativeStep[], classOf: Int32Array): Partition {
  classOf.fill(0);
  const chains: (Chain | undefined)[] = [undefined];
  /** Into which class the bytes of a class went, and at which step that was. */
  const cutInto: number[] = [0];
  const cutAt: number[] = [-1];
  for (let index = 0; index < steps.length; index++) {
    const { set, next } = steps[index] as DerivativeStep;
    for (let word = 0; word < 8; word++) {
      for (let bits = set[word] as number; bits !== 0; bits &= bits - 1) {
        const byte = word * 32 + 31 - Math.clz32(bits & -bits);
        const before = classOf[byte] as number;
        if (cutAt[before] !== index) {
          cutAt[before] = index;
          cutInto[before] = chains.length;
          chains.push({ next, before: chains[before] });
          cutInto.push(0);
          cutAt.push(-1);
        }
        classOf[byte] = cutInto[before] as number;
      }
    }
  }
  return {
    classOf,
    nextsOf(byteClass) {
      const nexts: Expression[] = [];
      for (let chain = chains[byteClass]; chain; chain = chain.before) nexts.push(chain.next);
      return nexts;
    },
  };
}
