import type { Switch } from '../../contract/switches.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { PUBLIC_HEADERS } from '../html.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { withoutParts } from '../reduced-description.ts';

interface DescriptionOptions extends OperationOptions {
  /** The parts of Segue that this deployment does not have. */
  readonly switchedOff: readonly Switch[];
}

/** Makes the handler of `GET /openapi.json`. */
export function getDescription({ switchedOff, ...options }: DescriptionOptions): HttpHandler {
  return operation('getDescription', options, async ({ baseUrl }) => {
    // Load the 200 KB of the description only when needed: this Lambda function also serves other operations.
    const { default: openApi } = await import('../../contract/openapi.json', { with: { type: 'json' } });
    const servers = openApi.servers.map((server) => ({ ...server, url: baseUrl }));
    const json = await encodeText(JSON.stringify({ ...withoutParts(openApi, switchedOff), servers }));
    return { status: 200, headers: PUBLIC_HEADERS, json };
  });
}
