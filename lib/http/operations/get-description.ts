import type openApiType from '../../contract/openapi.json';
import type { Switch } from '../../contract/switches.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { PUBLIC_HEADERS } from '../html.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { withoutParts } from '../reduced-description.ts';

interface DescriptionOptions extends OperationOptions {
  /** The parts of Segue that this deployment does not have. */
  readonly switchedOff: readonly Switch[];
}

type Components = (typeof openApiType)['components'];

/** Makes the handler of `GET /openapi.json`. */
export function getDescription({ switchedOff, ...options }: DescriptionOptions): HttpHandler {
  return operation('getDescription', options, async ({ baseUrl }) => {
    // Load the 200 KB of the description only when needed: this Lambda function also serves other operations.
    const { default: openApi } = await import('../../contract/openapi.json', { with: { type: 'json' } });
    const servers = openApi.servers.map((server) => ({ ...server, url: baseUrl }));
    const components = withTokenUrl(openApi.components, baseUrl);
    const json = await encodeText(JSON.stringify({ ...withoutParts(openApi, switchedOff), servers, components }));
    return { status: 200, headers: PUBLIC_HEADERS, json };
  });
}

/**
 * Returns the components with the whole URL of the OAuth token endpoint. Clients would resolve its path at the host, and
 * so lose the path of the base URL.
 */
function withTokenUrl({ securitySchemes, ...components }: Components, baseUrl: string): Components {
  const { oauth, ...schemes } = securitySchemes;
  const { tokenUrl, ...flow } = oauth.flows.clientCredentials;
  const flows = { clientCredentials: { ...flow, tokenUrl: baseUrl + tokenUrl } };
  return { ...components, securitySchemes: { ...schemes, oauth: { ...oauth, flows } } };
}
