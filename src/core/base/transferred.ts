/**
 * Values that threads send each other. TypeScript's `dom` library names them, but projects for Node compile without
 * it. Types only.
 */

/** A MessagePort. Without `dom` TypeScript knows that name as a value alone. */
export type TransferredPort = InstanceType<typeof MessagePort>;

/** Objects that `postMessage` may transfer here: fewer than `Transferable` of `dom`. */
export type Transferred = ArrayBuffer | TransferredPort;
