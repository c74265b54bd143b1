/**
 * Values that threads send each other. TypeScript's `dom` library names them, but projects for Node compile without
 * it. Types only.
 */

/** A MessagePort. Without the `dom` library, TypeScript knows this name only as a value. */
export type TransferredPort = InstanceType<typeof MessagePort>;

/** Objects that `postMessage` transfers in Midtoken: fewer than `Transferable` of `dom`. */
export type Transferred = ArrayBuffer | TransferredPort;
