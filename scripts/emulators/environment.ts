/**
 * Returns an environment that points AWS clients at emulators on this machine, without the AWS variables of `env`.
 * @param url the emulator of all services that have none in `others`
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
