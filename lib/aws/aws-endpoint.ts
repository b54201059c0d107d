import * as z from 'zod/mini';

/** By which AWS knows who calls. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Where a service of AWS is, and who calls it. */
export interface Place {
  readonly region: string;
  /** Without a path. */
  readonly endpoint: URL;
  readonly credentials: () => Promise<AwsCredentials>;
}

/** A service, by what its host and its setting of an endpoint are called. */
export interface ServiceName {
  readonly host: string;
  readonly setting: `AWS_ENDPOINT_URL_${string}`;
}

/** As Lambda sets it. */
const Environment = z.object({
  AWS_REGION: z.string(),
  AWS_ACCESS_KEY_ID: z.string(),
  AWS_SECRET_ACCESS_KEY: z.string(),
  AWS_SESSION_TOKEN: z.optional(z.string()),
});

/**
 * What the environment says.
 * @throws {RangeError} where it does not
 */
export async function placeOf(service: ServiceName): Promise<Place> {
  const { data } = Environment.safeParse(process.env);
  if (!data) throw new RangeError('AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed');
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = data;
  const credentials = { accessKeyId, secretAccessKey, sessionToken: data.AWS_SESSION_TOKEN };
  return { region, endpoint: endpointOf(service, region), credentials: async () => credentials };
}

/** The endpoint that a setting names, or else the region's. */
export function endpointOf({ host, setting }: ServiceName, region: string): URL {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const given = process.env[setting] ?? process.env['AWS_ENDPOINT_URL'];
  return new URL(given ?? `https://${host}.${region}.${domain}`);
}
