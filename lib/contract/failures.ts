import { brokenRules } from './fault-list.ts';
import type { Fault } from './faults.ts';
import { LIMITS } from './limits.ts';
import { GRANT_TYPE } from './oauth.ts';
import { Problem } from './problem.ts';
import type { ProblemType } from './problems.ts';

/**
 * Makers of problems whose text is written in several places, or shown on the page of their type. Their users import this
 * module as `failures`.
 */

export function malformedJson(code: Fault['code'], detail: string): Problem {
  return new Problem('malformed-json', { detail, errors: [{ pointer: '', code, detail }] });
}

function broken(type: ProblemType, detail: string, errors: readonly Fault[]): Problem {
  return new Problem(type, { detail, errors: errors.slice(0, LIMITS.faults) });
}

export function invalidProject(errors: readonly Fault[]): Problem {
  const detail = `The project breaks ${brokenRules(errors)} of the contract. Nothing was stored.`;
  return broken('invalid-project', detail, errors);
}

/** A team has a proofreader but no translator. The contract assigns status 500 to it. */
export function teamWithoutTranslator(errors?: readonly Fault[]): Problem {
  return new Problem('team-without-translator', {
    detail: 'A team has a proofreader but no translator. Nothing was stored. Do not send this request again.',
    ...(errors && { errors: errors.slice(0, LIMITS.faults) }),
  });
}

export function invalidTranslations(errors: readonly Fault[]): Problem {
  const detail = `The translations break ${brokenRules(errors)} of the contract. Nothing was written.`;
  return broken('invalid-translations', detail, errors);
}

/** Translations have another version than the request says. */
export function translationChanged(errors: readonly Fault[]): Problem {
  const detail = 'A translation has another version than the request says. Nothing was written.';
  return broken('translation-changed', detail, errors);
}

export function invalidLanguageChange(errors: readonly Fault[]): Problem {
  const detail = `The change breaks ${brokenRules(errors)} of the contract. Nothing was changed.`;
  return broken('invalid-language-change', detail, errors);
}

export function invalidQuery(type: 'unknown-parameter' | 'invalid-parameter', errors: readonly Fault[]): Problem {
  return new Problem(type, { detail: 'The query is invalid. Segue did nothing.', errors });
}

/** @param codes the codes of the project's target languages */
export function noTargetLanguage(codes: readonly string[]): Problem {
  return new Problem('invalid-parameter', {
    detail: 'The project does not have the target language in languageCode.',
    errors: [
      {
        pointer: '/query/languageCode',
        code: 'not-allowed',
        detail: 'languageCode must be the code of a target language of the project.',
        allowed: codes,
      },
    ],
  });
}

/** @param hint what the client may have meant by the body */
export function unexpectedBody(hint = ''): Problem {
  return new Problem('unexpected-body', { detail: `This request must have no body. Segue did nothing.${hint}` });
}

/** @param details what is wrong, by the name of the header */
export function invalidHeader(details: Readonly<Record<string, string>>): Problem {
  const errors = Object.entries(details).map(
    ([name, detail]): Fault => ({ pointer: `/headers/${name.toLowerCase()}`, code: 'invalid-header', detail }),
  );
  return new Problem('invalid-header', { detail: Object.values(details).join(' '), errors });
}

export function invalidIdempotencyKey(): Problem {
  return invalidHeader({
    'Idempotency-Key':
      'A request may have only one Idempotency-Key header, with 1 to 255 visible ASCII characters, quoted or bare.',
  });
}

export function grantTypeMissing(): Problem {
  return new Problem('invalid-token-request', { detail: `The form must have the field grant_type=${GRANT_TYPE}.` });
}

export function unsupportedGrantType(): Problem {
  return new Problem('unsupported-grant-type', {
    detail: `The only grant type of this API is ${GRANT_TYPE}. To refresh a token, obtain a new one.`,
  });
}

/** @param scopes the scopes of the API key */
export function invalidScope(scopes: readonly string[]): Problem {
  return new Problem('invalid-scope', {
    detail: `The API key lacks a requested scope. It has the scopes: ${scopes.join(' ') || 'none'}. Separate scopes by one space.`,
  });
}

/** @param faults what the signature may be, such as `missing or wrong` */
/** Returns what the sender of an invalid signature learns. It does not learn which check failed. */
export function signatureRefusal({ signsTime }: { readonly signsTime: boolean }): string {
  const faults = signsTime ? 'missing, wrong or too old' : 'missing or wrong';
  return `The signature is ${faults}. Sign what the scheme of the source says (\`segue source list\`), with the secret of the source.`;
}

/** @param detail what the sender learns, which depends on the scheme of its source */
export function invalidSignature(detail: string): Problem {
  return new Problem('invalid-signature', { detail });
}

export function companySuspended(): Problem {
  return new Problem('company-suspended', {
    detail: 'The company is suspended: ask the operator of Segue to resume it. Segue did nothing.',
  });
}

/** @param scopes the scopes of which the request needs one */
export function scopeMissing(scopes: readonly string[]): Problem {
  const [lacked, needed] = scopes.length === 1 ? ['scope', 'this scope'] : ['scopes', 'one of these scopes'];
  return new Problem('scope-missing', {
    detail: `The API key lacks the ${lacked} ${scopes.join(' and ')}. Use a key that has ${needed}.`,
  });
}

/** @param what what the put would do, such as `remove 3 segments` */
export function putScopeMissing(scope: string, what: string): Problem {
  return new Problem('scope-missing', {
    detail: `The put would ${what}. That needs the scope ${scope}, which the caller lacks. Nothing was changed.`,
  });
}

/** The company has created as many projects today as it may. @param retryAfterSeconds the time until the next day */
export function quotaExceeded(retryAfterSeconds: number): Problem {
  return new Problem('quota-exceeded', {
    detail:
      'The company has created as many projects today as it may. Nothing was created. The next day begins at 00:00 UTC.',
    retryAfterSeconds,
  });
}

/** @param deletedAtUtc when the project was deleted, if known */
export function projectNotFound(deletedAtUtc?: string): Problem {
  return new Problem(
    'project-not-found',
    deletedAtUtc === undefined
      ? { detail: 'The company has no project with this id or custom id.' }
      : { detail: `The project with this id or custom id was deleted at ${deletedAtUtc}.`, deletedAtUtc },
  );
}

/** The id in a path is no id of a project. */
export function noProjectId(): Problem {
  return new Problem('project-not-found', {
    detail:
      'The id in the path is no project’s id, which is a whole number. With a custom id, the path is /segments/projects/custom/{customId}.',
  });
}

export function taskNotFound(): Problem {
  return new Problem('task-not-found', {
    detail: 'The project has no task with this id: GET …/progress lists its tasks.',
  });
}

export function languageNotFound(): Problem {
  return new Problem('language-not-found', {
    detail: 'The project has no target language with this code: GET …/progress lists its languages.',
  });
}

export function operationNotFound(): Problem {
  return new Problem('operation-not-found', {
    detail:
      'The company has no operation with this id. The header Location, problems and receipts have the ids of operations.',
  });
}

export function sourceNotFound(): Problem {
  return new Problem('source-not-found', {
    detail: 'No webhook source has this name. Compare the path with the URL that segue source add printed.',
  });
}

export function companyNotFound(): Problem {
  return new Problem('company-not-found', { detail: 'No company has this id. Segue did nothing.' });
}

/** @param produces the media types that the operation can answer with */
export function notAcceptable(produces: readonly string[]): Problem {
  return new Problem('not-acceptable', {
    detail: `The Accept header must allow ${produces.join(' or ')}. Segue answers this request with nothing else.`,
  });
}

export function progressTooLarge(): Problem {
  return new Problem('not-acceptable', {
    detail: `The progress of the tasks has more than ${LIMITS.progressEntries} entries. Request the progress of one task, with taskId.`,
  });
}

/** Not even the first segment of a page fits into an answer. */
export function segmentTooLarge(): Problem {
  return new Problem('not-acceptable', {
    detail: 'A segment has too many long translations for one answer. Request them by language, with languageCode.',
  });
}

export function customIdInUse(): Problem {
  return new Problem('custom-id-in-use', {
    detail: 'Another project of the company has this custom id. Nothing was stored.',
    errors: [
      {
        pointer: '/customId',
        code: 'in-use',
        detail:
          'Another project has this custom id. To change that project, put it: PUT /segments/projects/custom/{customId}. Otherwise use another custom id.',
      },
    ],
  });
}

/** @param revision the highest revision of the project so far */
export function revisionOutdated(revision: number): Problem {
  return new Problem('revision-outdated', {
    detail: `The project already has the revision ${revision}, which is higher than that of this deletion. Nothing was deleted.`,
  });
}

export function requestInProgress(retryAfterSeconds: number): Problem {
  return new Problem('request-in-progress', {
    detail:
      'Another request with this idempotency key is still running. Wait for the time in Retry-After, then send this request again with the same key.',
    retryAfterSeconds,
  });
}

/** @param detail what the first request with the idempotency key did, and that its project was deleted since */
export function projectDeleted(detail: string, deletedAtUtc: string | undefined): Problem {
  return new Problem('project-deleted', { detail, ...(deletedAtUtc !== undefined && { deletedAtUtc }) });
}

export function eventsExpired(): Problem {
  return new Problem('events-expired', {
    detail:
      'The feed has no event with the id in after: it is older than 30 days, or was never an event of the company. Without after, the feed begins with its oldest event.',
  });
}

export function pageOutdated(): Problem {
  return new Problem('page-outdated', {
    detail: 'The project has changed since the previous page. Request the first page again, without cursor.',
  });
}

export function planOutdated(errors: readonly Fault[]): Problem {
  return new Problem('plan-outdated', {
    detail: 'The deletion would not remove what its plan shows. Nothing was deleted. Request a new plan.',
    errors,
  });
}

/** @param errors what differs between the plan and what the put would do now */
export function putPlanOutdated(errors: readonly Fault[]): Problem {
  return new Problem('plan-outdated', {
    detail: 'The put would not do what its plan shows. Nothing was changed. Request a new plan.',
    errors,
  });
}

export function tooLarge(maxBytes: number): Problem {
  return new Problem('too-large', { detail: `The body has more than ${maxBytes} bytes after decoding.` });
}

export function notJson(): Problem {
  return new Problem('unsupported-media-type', {
    detail: 'Send the header Content-Type: application/json. The body must be JSON in UTF-8.',
  });
}

/**
 * @param another what the key was used with
 * @param retryHint what a retry of that request must send
 * @param pointers the values that differ, if they are known
 */
export function idempotencyKeyReused(another: string, retryHint = '', pointers: readonly string[] = []): Problem {
  const fault = (pointer: string): Fault => ({
    pointer,
    code: 'not-the-same',
    detail: 'The first request with this idempotency key had a different value at this pointer.',
  });
  return new Problem('idempotency-key-reused', {
    detail: `This idempotency key was used with ${another}. For a new request, use a new key.${retryHint}`,
    ...(pointers.length > 0 && { errors: pointers.map(fault) }),
  });
}

const RETRY_HINT = ' A retry must send the same project with the same endDateUtc; only startDateUtc may differ.';

/** What the problems of a reused key say of a creation. */
export const CREATION = {
  another: 'another project',
  retryHint: RETRY_HINT,
  deleted:
    'The project created with this idempotency key was deleted. Segue does not create it again. To create it, use a new key.',
} as const;

/** What the problems of a reused key say of a put. */
export const PUT = {
  another: 'another put',
  retryHint: RETRY_HINT,
  deleted:
    'The project that a put with this idempotency key created or changed was deleted. Segue does not create it again. To create it, use a new key.',
} as const;

export function mappingFailed(detail: string): Problem {
  return new Problem('mapping-failed', { detail });
}

export function fetchFailed(detail: string): Problem {
  return new Problem('fetch-failed', { detail });
}

/** The content of a project is gone, because the store was restored to an earlier time. */
export function contentLost(): Problem {
  return new Problem('content-lost', {
    detail: 'The content of the project is lost, and nobody can restore it. Delete the project, and create it again.',
  });
}

export function internalError(): Problem {
  return new Problem('internal-error', {
    detail: 'Segue could not handle the request. The operator can find the cause by the request id.',
  });
}

/** @param detail what the service cannot do; by default, the whole operation */
export function notSupported(
  detail = 'The project service behind Segue does not have this operation. Segue did nothing.',
): Problem {
  return new Problem('not-supported', { detail });
}

/**
 * A failure of the store changed nothing.
 * @param reason what is wrong with the store
 */
export function storeUnavailable(cause: unknown, reason = 'Segue’s database is unavailable.'): Problem {
  const detail = `${reason} Nothing was stored. Send the request again later.`;
  return new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
}

/** The answer to a request that changed something is too large to send. */
export function undeliverable(): Problem {
  return new Problem('outcome-unknown', {
    detail: 'Segue carried out the request, but its answer is too large to send.',
  });
}

/** The texts of failures of the upstream service. Its client reports them, and the port makes problems of them. */
export const UPSTREAM = {
  refused: (status: number) => `The upstream service refused the request with status ${status}.`,
  otherProject: 'The upstream service returned another project than the requested one.',
  paused: 'The upstream service accepts no requests at the moment.',
  lost: 'The upstream service may have carried out the request.',
} as const;
