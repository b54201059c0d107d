import { parseExact } from '../contract/exact-json.ts';
import { notSupported } from '../contract/failures.ts';
import { LOOKUP_BYTES, LOOKUP_QUERIES, type LookupName } from '../contract/lookups.ts';
import { LOOKUP_PATHS } from '../contract/paths.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import type { CallContext } from '../service/port.ts';
import type { UpstreamDeps } from './deps.ts';
import { problemFrom, requireOk } from './failures.ts';
import { type UpstreamOperation, withQuery } from './requests.ts';
import { unreadable, unreadableBody } from './upstream-answer.ts';

const LOOK_UP: UpstreamOperation = { method: 'GET', success: [200], passesOn: [], needsRight: true };

/**
 * Reads a list of the upstream service with the account of the company. Everything in the list is passed on as the
 * service gives it.
 *
 * The service shows the people and settings of a whole account. So a company gets them only if the account is its own:
 * companies that share an account must not see each other.
 * @throws {Problem} `not-supported` if the operator has not allowed the lookup, or the company shares its account
 */
export async function lookUp(
  { client, allowedLookups, isOwnAccount }: Pick<UpstreamDeps, 'client' | 'allowedLookups' | 'isOwnAccount'>,
  name: LookupName,
  call: CallContext,
): Promise<readonly object[]> {
  const allowed = (await allowedLookups?.()) ?? [];
  if (!allowed.includes(name)) throw notSupported(NOT_ALLOWED);
  const requireOwnAccount = async () => {
    if (!(await isOwnAccount(call.companyId))) throw notSupported(SHARED);
  };
  await requireOwnAccount();
  const path = withQuery(LOOKUP_PATHS[name], LOOKUP_QUERIES[name] ?? {});
  const request = { operation: LOOK_UP, path, maxBodyBytes: LOOKUP_BYTES };
  const { body } = requireOk(await client(request, call));
  // The client reads the credentials again: the operator may have taken the account away meanwhile.
  await requireOwnAccount();
  const entries = parseJson(body, parseExact);
  if (Array.isArray(entries) && entries.every(isObject)) return entries;
  throw problemFrom(body === 'lost' ? unreadableBody(body) : unreadable(UNREADABLE));
}

const NOT_ALLOWED = 'The operator of Segue has not allowed this lookup. Ask the operator, or send ids that you know.';
const SHARED =
  'The company shares its account at the upstream service with others, so Segue does not show the lists of the account. Ask the operator of Segue for an account of the company’s own.';
const UNREADABLE = `The answer of the upstream service is not a JSON array of objects, of at most ${LOOKUP_BYTES} bytes.`;

function isObject(value: unknown): value is object {
  return !Array.isArray(value) && fieldsOf(value) !== undefined;
}
