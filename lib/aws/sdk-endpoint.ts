import { type AwsEndpoint, type AwsServiceName, endpointUrl } from './aws-endpoint.ts';

/**
 * Reads the region and credentials from the SDK's settings: profiles, single sign-on and so on. For programs that people
 * start on their machines. It loads the SDK only when called, because the SDK doubles the time of a start.
 */
export async function endpointOf(service: AwsServiceName): Promise<AwsEndpoint> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { config } = new SecretsManagerClient();
  const region = await config.region();
  return { region, url: endpointUrl(service, region), credentials: () => config.credentials() };
}
