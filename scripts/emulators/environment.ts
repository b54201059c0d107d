/**
 * The environment of a process for which AWS is on this machine, in an account that exists nowhere. Nothing of the
 * account of whoever starts it is left.
 * @param url the emulator of everything but what has one of its own
 */
export function emulatedAws(
  env: Readonly<NodeJS.ProcessEnv>,
  url: string,
  others: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('AWS_'))),
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'emulated',
    AWS_SECRET_ACCESS_KEY: 'emulated',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...others,
  };
}
