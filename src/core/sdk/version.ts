/** The version of the SDK, which is that of the package. */
export const sdkVersion = "0.1.0";
