import type { FaultName } from './faults.ts';
import { mapProjects } from './projects.ts';
import type { Random } from './random.ts';
import type { ExchangeResult, SimulatorResponse } from './server.ts';

const PAGE = '<!doctype html><html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>';
const ASP_NET = JSON.stringify({ title: 'An error occurred.', errors: { '': ['The request could not be handled.'] } });

/**
 * The responses of proxies and frameworks that replace the service's response, by fault. None of them has the form of
 * the contract.
 */
const ERRORS: Readonly<Partial<Record<FaultName, (random: Random) => SimulatorResponse>>> = {
  unauthorized: () => text(401, '', { 'www-authenticate': 'Bearer error="invalid_token"' }),
  'request-timeout-before-commit': () => text(408, 'Request Timeout'),
  'request-timeout-after-commit': () => text(408, 'Request Timeout'),
  'rate-limited': (random) => text(429, 'Too Many Requests', { 'retry-after': `${1 + random.below(3)}` }),
  'rate-limited-without-time': () => text(429, ''),
  'error-before-commit': () => text(500, ASP_NET, { 'content-type': 'application/json; charset=utf-8' }),
  'error-after-commit': () => text(500, ''),
  'bad-gateway-before-commit': () => text(502, PAGE, { 'content-type': 'text/html' }),
  'bad-gateway-after-commit': () => text(502, PAGE, { 'content-type': 'text/html' }),
  'gateway-timeout-after-commit': () => text(504, PAGE, { 'content-type': 'text/html' }),
  unavailable: () => text(503, 'Service Unavailable', { 'retry-after': '1' }),
};

/** Returns the end of an exchange in which a fault takes the place of the service's response. */
export function resultOfFault(name: FaultName, random: Random): ExchangeResult {
  if (name === 'refused') return { kind: 'refused' };
  if (name.startsWith('reset-')) return { kind: 'reset' };
  const response = ERRORS[name]?.(random);
  return response ? { kind: 'answered', response } : { kind: 'silent' };
}

/** The response to a deletion that the service accepts, and carries out later or never. */
export const ACCEPTED: SimulatorResponse = text(202, '');
/** The response to a repeated deletion while the accepted one is pending. The simulator may send `ACCEPTED` instead. */
export const IN_PROGRESS: SimulatorResponse = text(409, 'The project is being deleted.');
export const NO_CONTENT: SimulatorResponse = { status: 204, headers: {}, body: new Uint8Array() };

function text(status: number, body: string, headers: SimulatorResponse['headers'] = {}): SimulatorResponse {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body: Buffer.from(body) };
}

const UNKNOWN_FIELDS = { workflowVersion: 3, links: { self: null }, 'x y': ['ü', {}] };

/**
 * Applies a fault that changes the form of a response but not its meaning. Other faults leave the response unchanged.
 */
export function reshape(name: FaultName | undefined, response: SimulatorResponse, random: Random): SimulatorResponse {
  switch (name) {
    case 'unknown-fields':
      return mapProjects(response, (fields) => ({ ...fields, ...UNKNOWN_FIELDS }));
    case 'odd-dates':
      return mapProjects(response, (fields) => {
        const { creationDateUtc: date } = fields;
        return typeof date === 'string' ? { ...fields, creationDateUtc: withFraction(date, random.below(8)) } : fields;
      });
    case 'ok-for-created':
      return response.status === 201 ? { ...response, status: 200 } : response;
    default:
      return response;
  }
}

/** Writes a date with a given number of fraction digits. The service writes three, and further digits are zero. */
function withFraction(date: string, digits: number): string {
  const [, seconds = date, milliseconds = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(date) ?? [];
  return `${seconds}${digits === 0 ? '' : `.${milliseconds.padEnd(7, '0').slice(0, digits)}`}Z`;
}
