import * as z from 'zod/mini';
import { partitionOf } from './partitions.ts';

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
  /** Whether the regular endpoint has IPv6 too, so that there is no other for it. */
  readonly isDualStack?: true;
  /** Whether the regular endpoint in GovCloud is a FIPS endpoint, so that there is no other for it. */
  readonly isFipsInGovCloud?: true;
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

/**
 * Returns the URL of an AWS service: the override in the environment, or else the public endpoint of the region. The
 * variables `AWS_USE_FIPS_ENDPOINT` and `AWS_USE_DUALSTACK_ENDPOINT` select the endpoint, as in the AWS SDK.
 * @throws {RangeError} if a variable is neither `true` nor `false`, or excludes the override
 */
export function endpointUrl({ host, setting, ...regular }: AwsServiceName, region: string): URL {
  const [usesFips, usesDualStack] = [isSet('AWS_USE_FIPS_ENDPOINT'), isSet('AWS_USE_DUALSTACK_ENDPOINT')];
  const override = process.env[setting] ?? process.env['AWS_ENDPOINT_URL'];
  if (override !== undefined && (usesFips || usesDualStack)) {
    const name = usesFips ? 'AWS_USE_FIPS_ENDPOINT' : 'AWS_USE_DUALSTACK_ENDPOINT';
    throw new RangeError(`${name}=true has no effect on the endpoint in ${setting} or AWS_ENDPOINT_URL: unset one`);
  }
  const { domain, dualStackDomain } = partitionOf(region);
  const isDualStack = usesDualStack && !regular.isDualStack;
  const isRegularFips = regular.isFipsInGovCloud && region.startsWith('us-gov-') && !isDualStack;
  const label = usesFips && !isRegularFips ? `${host}-fips` : host;
  return new URL(override ?? `https://${label}.${region}.${isDualStack ? dualStackDomain : domain}`);
}

function isSet(name: 'AWS_USE_FIPS_ENDPOINT' | 'AWS_USE_DUALSTACK_ENDPOINT'): boolean {
  const value = process.env[name];
  if (value !== undefined && value !== 'true' && value !== 'false') {
    throw new RangeError(`${name} must be true or false`);
  }
  return value === 'true';
}
