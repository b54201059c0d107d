/**
 * Returns an environment in which AWS clients call emulators on this machine. The AWS variables of `env` are left out.
 * @param url the URL of the emulator that serves every service, unless `others` names another one
 * @param others more variables, such as the URL of another emulator for one service
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
