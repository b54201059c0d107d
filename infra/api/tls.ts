import { CfnRestApi, EndpointAccessMode, type RestApiBase, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import type { TlsVersion } from '../options.ts';

interface TlsPolicy {
  readonly securityPolicy: SecurityPolicy;
  readonly endpointAccessMode?: EndpointAccessMode;
}

/**
 * The security policies of API Gateway, by the oldest version of TLS that they accept. An API and its domain need the
 * same policy, because API Gateway uses that of the API for requests to the domain too.
 */
export const TLS_POLICIES: Readonly<Record<TlsVersion, TlsPolicy>> = {
  '1.2': { securityPolicy: SecurityPolicy.TLS_1_2 },
  // With `STRICT`, the host name of the TLS handshake must be that of the API.
  '1.3': { securityPolicy: SecurityPolicy.TLS13_1_3_2025_09, endpointAccessMode: EndpointAccessMode.STRICT },
};

/** Makes an API refuse older versions of TLS. Without this setting, a regional API accepts TLS 1.0. */
export function requireTls(api: RestApiBase, version: TlsVersion): void {
  const { defaultChild } = api.node;
  if (!CfnRestApi.isCfnRestApi(defaultChild)) throw new TypeError('The API has no resource of its own');
  const { securityPolicy, endpointAccessMode } = TLS_POLICIES[version];
  defaultChild.securityPolicy = securityPolicy;
  defaultChild.endpointAccessMode = endpointAccessMode;
}
