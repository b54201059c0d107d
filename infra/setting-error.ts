/** A setting that cannot be used; its message is one line for whoever set it. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
