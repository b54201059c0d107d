import { endpointOf, type Place, type ServiceName } from './aws-endpoint.ts';

/**
 * What the SDK's settings say: profiles, single sign-on and so on. For programs of a machine, where people are. The SDK
 * is loaded when it is asked: it would double the time of a start.
 */
export async function placeOf(service: ServiceName): Promise<Place> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { config } = new SecretsManagerClient();
  const region = await config.region();
  return { region, endpoint: endpointOf(service, region), credentials: () => config.credentials() };
}
