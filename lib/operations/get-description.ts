import { Description } from '../contract/answers.ts';
import { utc } from '../contract/date.ts';
import type openApiType from '../contract/openapi.json';
import { DESCRIPTION_PATH } from '../contract/paths.ts';
import { PUBLIC_READ, type Route } from '../contract/routes.ts';
import type { Switch } from '../contract/switches.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { withoutParts } from '../http/reduced-description.ts';
import { type EncodedText, encodeText } from '../service/encoded-text.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

interface DescriptionOptions extends OperationOptions {
  /** The parts of Segue that this deployment does not have. */
  readonly switchedOff: readonly Switch[];
}

type Components = (typeof openApiType)['components'];

/** The description may be cached for less time than the start date of its example is accepted. */
const HEADERS = { 'Cache-Control': 'public, max-age=60' };

/** Matches the dates of the example of a project, which starts when it is created, up to the second. */
const EXAMPLE_DATES = /"(startDateUtc|creationDateUtc)":"[^".]{19}/g;

export const getDescriptionRoute = {
  ...PUBLIC_READ,
  function: 'pages',
  id: 'getDescription',
  path: DESCRIPTION_PATH,
  summary: 'Describe this API in OpenAPI 3.1',
} as const satisfies Route;

/**
 * Makes the handler of `GET /openapi.json`. The project of its example starts now, so that readers can create it.
 * @param routes the routes of all operations
 */
export function getDescription(
  routes: readonly Route[],
  { switchedOff, ...options }: DescriptionOptions,
): OperationHandler {
  async function describe(baseUrl: string, minute: string): Promise<EncodedText> {
    // Load the 200 KB of the description only when needed: this Lambda function also serves other operations.
    const { default: openApi } = await import('../contract/openapi.json', { with: { type: 'json' } });
    const servers = openApi.servers.map((server) => ({ ...server, url: baseUrl }));
    const components = withTokenUrl(openApi.components, baseUrl);
    const text = JSON.stringify({ ...withoutParts(openApi, routes, switchedOff), servers, components });
    return encodeText(text.replaceAll(EXAMPLE_DATES, `"$1":"${minute}:00`));
  }

  /** The last description. It takes 10 ms to make, and anybody may ask for it. */
  let last: { readonly of: string; readonly json: Promise<EncodedText> } | undefined;

  return operation(getDescriptionRoute, options, async ({ baseUrl }) => {
    const minute = utc(options.now()).slice(0, 16);
    const of = `${minute} ${baseUrl}`;
    if (last?.of !== of) last = { of, json: describe(baseUrl, minute) };
    return { status: 200, headers: HEADERS, json: await last.json };
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

export const getDescriptionDocs = (): OperationDocs => ({
  tag: 'About the API',
  description: 'Returns this description, with the base URL of the request as its server.',
  answers: [{ status: 200, description: 'This description.', schema: Description }],
  schemas: { Description },
  clientTypes: { Description: null },
});
