import { type AwsEndpoint, type AwsServiceName, endpointUrl } from './aws-endpoint.ts';

/**
 * Returns the endpoint of an AWS service. Region and credentials come from the settings of the AWS SDK, such as
 * profiles and single sign-on. It is for programs that people start on their machines. It loads the SDK only when
 * called, because loading the SDK doubles the start time.
 */
export async function endpointOf(service: AwsServiceName): Promise<AwsEndpoint> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { config } = new SecretsManagerClient();
  const region = await config.region();
  return { region, url: endpointUrl(service, region), credentials: () => config.credentials() };
}
