import {
  AGENTS_PATH,
  getAgentsResourceRoute,
  getAuthorizationServerRoute,
  getProtectedResourceRoute,
} from '../contract/agents.ts';
import { GRANT_TYPE } from '../contract/oauth.ts';
import { SCOPES } from '../contract/routes.ts';
import { ROUTES } from '../contract/wire-routes.ts';
import { PUBLIC_HEADERS } from '../http/html.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';

/** Makes the handlers of the metadata of the protected resource (RFC 9728): which server issues tokens for agents. */
export function getProtectedResource(options: OperationOptions): OperationHandler[] {
  return [getProtectedResourceRoute, getAgentsResourceRoute].map((route) =>
    operation(route, options, ({ baseUrl }) =>
      metadata({
        resource: baseUrl + AGENTS_PATH,
        resource_name: 'Segue',
        authorization_servers: [baseUrl],
        scopes_supported: SCOPES,
        bearer_methods_supported: ['header'],
      }),
    ),
  );
}

/** Makes the handler of the metadata of the authorization server (RFC 8414): how clients get tokens. */
export function getAuthorizationServer(options: OperationOptions): OperationHandler {
  return operation(getAuthorizationServerRoute, options, ({ baseUrl }) =>
    metadata({
      issuer: baseUrl,
      token_endpoint: baseUrl + ROUTES.obtainOAuthToken.path,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      grant_types_supported: [GRANT_TYPE],
      // There is no page at which a person signs in.
      response_types_supported: [],
      scopes_supported: SCOPES,
    }),
  );
}

async function metadata(fields: object) {
  return { status: 200, headers: PUBLIC_HEADERS, json: await encodeText(JSON.stringify(fields)) };
}
