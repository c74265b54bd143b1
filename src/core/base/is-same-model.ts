/** The fields of a model reference that decide which model it means. */
interface ModelSource {
  readonly url: string;
  readonly revision: string | null;
  readonly dtype: { readonly webgpu: string; readonly wasm: string };
  readonly server?: string;
}

/** Whether two references mean the same model with the same weights; only their names may differ. */
export function isSameModel(one: ModelSource, other: ModelSource): boolean {
  return (
    one.url === other.url &&
    one.revision === other.revision &&
    one.server === other.server &&
    one.dtype.webgpu === other.dtype.webgpu &&
    one.dtype.wasm === other.dtype.wasm
  );
}
