/** A setting of the request that its model cannot do. */
export class InvalidSettingError extends RangeError {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
