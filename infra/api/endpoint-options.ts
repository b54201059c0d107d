import { Token } from 'aws-cdk-lib';
import { SettingError } from '../setting-error.ts';

/** From where the API can be reached: `regional` is the internet, and `private` only VPC endpoints. */
export const ENDPOINTS = ['regional', 'private'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** Matches the id of a VPC endpoint. */
const VPC_ENDPOINT_ID = /^vpce-[0-9a-f]{8,17}$/;

/** From where the API can be reached. */
export interface EndpointOptions {
  /** `regional`: from the internet. `private`: only through `vpcEndpointIds`. Default: `regional`. */
  readonly endpoint?: Endpoint;
  /** The ids of the interface VPC endpoints of API Gateway through which a private API can be reached. */
  readonly vpcEndpointIds?: readonly string[];
}

/**
 * @param others the names of the options that the gateway has, and that need an API on the internet
 * @throws {SettingError} if the options do not fit together
 */
export function checkEndpoint(
  { endpoint = 'regional', vpcEndpointIds = [] }: EndpointOptions,
  others: { readonly domain: boolean; readonly canary: boolean },
): void {
  if (endpoint === 'regional' && vpcEndpointIds.length > 0) {
    throw new SettingError('vpcEndpointIds needs endpoint=private');
  }
  if (endpoint === 'regional') return;
  if (vpcEndpointIds.length === 0) {
    throw new SettingError(
      'endpoint=private needs vpcEndpointIds, such as -c vpcEndpointIds=vpce-0123456789abcdef0: without one, nobody could call the API',
    );
  }
  if (!vpcEndpointIds.every((id) => Token.isUnresolved(id) || VPC_ENDPOINT_ID.test(id))) {
    throw new SettingError('vpcEndpointIds must be ids, such as -c vpcEndpointIds=vpce-0123456789abcdef0');
  }
  if (others.domain) {
    throw new SettingError(
      'endpoint=private has no domain: API Gateway has another kind of domain for private APIs, which Segue does not create. Leave out domainName',
    );
  }
  if (others.canary) {
    throw new SettingError('endpoint=private has no canary: its function is outside the VPC. Leave out canary');
  }
}
