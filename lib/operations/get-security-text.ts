import { Problem } from '../contract/problem.ts';
import { PUBLIC_READ, type Route } from '../contract/routes.ts';
import type { SecurityContact } from '../contract/settings.ts';
import { PUBLIC_HEADERS } from '../http/html.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

const DAY_MS = 86_400_000;
/** How long the file is valid from the day of the request, in days. RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;

export const getSecurityTextRoute = {
  ...PUBLIC_READ,
  function: 'pages',
  id: 'getSecurityText',
  path: '/.well-known/security.txt',
  summary: 'Show where to report vulnerabilities',
  produces: ['text/plain'],
  problems: ['route-not-found', 'unexpected-body'],
} as const satisfies Route;

/**
 * Makes the handler of `GET /.well-known/security.txt` (RFC 9116).
 * @param security the contact of the operator; without it, there is no such file
 */
export function getSecurityText(security: SecurityContact | undefined, options: OperationOptions): OperationHandler {
  return operation(getSecurityTextRoute, options, async ({ baseUrl }) => {
    if (!security) {
      throw new Problem('route-not-found', {
        detail: 'The operator of this API has published no contact for security reports.',
      });
    }
    // The time of day is left out, so that the file is the same all day.
    const today = Math.floor(options.now() / DAY_MS);
    const fields = [
      ['Contact', security.contact],
      ['Expires', new Date((today + VALID_DAYS) * DAY_MS).toISOString()],
      ['Canonical', baseUrl + getSecurityTextRoute.path],
      ['Policy', security.policy],
      ['Preferred-Languages', 'en'],
    ].filter(([, value]) => value !== undefined);
    const text = fields.map(([name, value]) => `${name}: ${value}\n`).join('');
    return { status: 200, headers: PUBLIC_HEADERS, text: await encodeText(text) };
  });
}

export const getSecurityTextDocs = (): OperationDocs => ({
  tag: 'About the API',
  description:
    'Returns the file of RFC 9116 that says where to report a vulnerability of this API. Without a contact of the operator, the answer is 404.',
  answers: [{ status: 200, description: 'The contact of the operator.', schema: null }],
});
