/** A setting of the request that its model does not support. */
export class InvalidSettingError extends RangeError {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
