/** The error for a setting with an invalid value. The error's message is one line for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** @throws {SettingError} with the message if a value is set, and is not a whole number in the range */
export function requireWhole(value: number | undefined, [min, max]: readonly [number, number], message: string): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || value < min || value > max) throw new SettingError(message);
}
