import * as z from 'zod/mini';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The endpoint of an AWS service, and the credentials to call it with. */
export interface AwsEndpoint {
  readonly region: string;
  /** The base URL of the service, without a path. */
  readonly url: URL;
  readonly credentials: () => Promise<AwsCredentials>;
}

/** The names of an AWS service in its host name and in the environment. */
export interface AwsServiceName {
  /** The first label of the service's host name. */
  readonly host: string;
  /** The environment variable that overrides the endpoint of the service. */
  readonly setting: `AWS_ENDPOINT_URL_${string}`;
}

/** The environment variables of the region and the credentials. Lambda sets them. */
const Environment = z.object({
  AWS_REGION: z.string(),
  AWS_ACCESS_KEY_ID: z.string(),
  AWS_SECRET_ACCESS_KEY: z.string(),
  AWS_SESSION_TOKEN: z.optional(z.string()),
});

/**
 * Reads the endpoint of an AWS service, and the credentials, from the environment.
 * @throws {RangeError} if a variable is missing
 */
export async function endpointOf(service: AwsServiceName): Promise<AwsEndpoint> {
  const { data } = Environment.safeParse(process.env);
  if (!data)
    throw new RangeError('AWS settings are missing: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = data;
  const sessionToken = data.AWS_SESSION_TOKEN;
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  return { region, url: endpointUrl(service, region), credentials: async () => credentials };
}

/** Returns the URL of an AWS service: the override in the environment, or else the public endpoint of the region. */
export function endpointUrl({ host, setting }: AwsServiceName, region: string): URL {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const override = process.env[setting] ?? process.env['AWS_ENDPOINT_URL'];
  return new URL(override ?? `https://${host}.${region}.${domain}`);
}
