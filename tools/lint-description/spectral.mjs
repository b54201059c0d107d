import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

/** Selects the schemas of a type that limit what a client may send. Answers have no limits of their own. */
const sent = (type) => [
  // RFC 7240 sets no limit for `Prefer`, and Segue ignores what it does not know.
  `$.paths..parameters[?(@.schema && @.schema.type === '${type}' && @.name !== 'Prefer')].schema`,
  // Credentials of a wrong shape are 401, like wrong ones. The limit is that of the body.
  `$.components.schemas[?(@property.match(/^(?!Token|OAuthToken|Refresh).*(Request|Entry|Change)$/))]..[?(@ && @.type === '${type}')]`,
];

const forSent = (rule, type) => ({ [rule]: { ...owasp.rules[rule], given: sent(type) } });

const PUBLIC_PAGES = [
  ...['~1health', '~1openapi.json', '~1problems', '~1problems~1%7Btype%7D'],
  ...['~1docs', '~1docs~1%7Bfile%7D', '~1.well-known~1security.txt'],
];
const SIGNED = ['~1authentication~1RefreshToken', '~1webhooks~1%7Bsource%7D'];
const inPaths = (paths) => paths.map((path) => `../../lib/contract/openapi.json#/paths/${path}`);

/** The rules of Spectral and OWASP for the API description, with the reason for each exception. */
export default {
  extends: [oas, owasp],
  rules: {
    ...forSent('owasp:api4:2023-string-limit', 'string'),
    ...forSent('owasp:api4:2023-array-limit', 'array'),
    // Names and contents are free text in any script. The other texts have patterns or formats.
    'owasp:api4:2023-string-restricted': 'off',
    // The service contract makes ids integers. Every read and change checks the company, so a guessed id answers 404.
    'owasp:api1:2023-no-numeric-ids': 'off',
    // The service contract requires Basic authentication. Segue is reached over TLS only.
    'owasp:api2:2023-no-http-basic': 'off',
    // The client credentials grant has no refresh tokens. Its access tokens are valid for 30 minutes.
    'owasp:api2:2023-short-lived-access-tokens': 'off',
    // API Gateway counts requests before Segue sees them. Only answers with 429 have RateLimit.
    'owasp:api4:2023-rate-limit': 'off',
    // Segue sends no CORS headers, because the API is not for browsers of other origins.
    'owasp:api8:2023-define-cors-origin': 'off',
    // Each deployment serves this description with its own URL, so the text cannot name its environment.
    'owasp:api9:2023-inventory-environment': 'off',
  },
  overrides: [
    {
      // The pages are the same for everybody and need no credentials.
      files: inPaths(PUBLIC_PAGES),
      rules: { 'owasp:api2:2023-read-restricted': 'off', 'owasp:api8:2023-define-error-responses-401': 'off' },
    },
    {
      // The refresh token and the signature in the request are the credentials.
      files: inPaths(SIGNED),
      rules: { 'owasp:api2:2023-write-restricted': 'off' },
    },
  ],
};
