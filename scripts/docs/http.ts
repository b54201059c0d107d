import * as z from 'zod/mini';
import {
  DeliveryAccepted,
  HealthAnswer,
  LanguageAnswer,
  OperationAnswer,
  OperationStarted,
  ProblemTypeAnswer,
  PublishedLanguageNote,
  PublishedProjectHead,
  PublishedSegment,
  PublishedTargetLanguage,
  PublishedTeamMember,
  TokenAnswer,
  ValidAnswer,
} from '../../lib/contract/answers.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { PARAMETERS } from '../../lib/contract/parameters.ts';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../../lib/contract/project.ts';
import { Receipt } from '../../lib/contract/receipt.ts';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { COMMON_PROBLEMS, CREDENTIAL_PROBLEMS, ROUTES, type Route } from '../../lib/contract/routes.ts';
import { MADE, table } from './table.ts';

/** `docs/http.md`: the HTTP door. */
export function httpPage(): string {
  return `${[
    MADE,
    '# HTTP',
    INTRODUCTION,
    '## Operations',
    table(
      ['operation', 'method and path', 'scope', 'success', 'what it does'],
      ROUTES.map(({ id, method, path, scope, success, summary }) => [
        `\`${id}\``,
        `\`${method} ${path}\``,
        scope ?? 'none',
        success.join(' or '),
        summary,
      ]),
    ),
    `Every operation may also answer ${codes(COMMON_PROBLEMS)}; one that asks for credentials ${codes(CREDENTIAL_PROBLEMS)}. The rest of what each may answer:`,
    table(
      ['operation', 'problems'],
      ROUTES.map(({ id, problems }: Route) => [`\`${id}\``, problems.length > 0 ? codes(problems) : 'no others']),
    ),
    '## Query parameters',
    STRICT_QUERY,
    table(
      ['parameter', 'takes', 'meaning'],
      Object.entries(PARAMETERS).map(([name, { takes, description }]) => [`\`${name}\``, takes, description]),
    ),
    CREDENTIALS,
    '## Fields of a project',
    FIELDS,
    ...fields('Project', ProjectRequest),
    ...fields('Target language (in `targetLanguages`)', TargetLanguage),
    ...fields('Team member (in `team`)', TeamMember),
    ...fields('Segment (in `segments`)', Segment),
    ...fields('Language note (in `languageSpecificNotes`)', LanguageNote),
    RULES,
    '## What the answer adds',
    ADDED,
    table(
      ['in', 'field', 'meaning'],
      [
        ...answered('project', PublishedProjectHead),
        ...answered('target language', PublishedTargetLanguage),
        ...answered('team member', PublishedTeamMember),
        ...answered('segment', PublishedSegment),
        ...answered('language note', PublishedLanguageNote),
      ],
    ),
    '## Other answers',
    table(
      ['of', 'field', 'meaning'],
      [
        ...answered('`createProject` with `validateOnly=true`', ValidAnswer),
        ...answered('a deletion with `Prefer: return=representation`', Receipt),
        ...answered('`getOperation`', OperationAnswer),
        ...answered('`createProject` with `Prefer: respond-async`', OperationStarted),
        ...answered('`listLanguages`, each', LanguageAnswer),
        ...answered('`obtainToken`, `refreshToken`', TokenAnswer),
        ...answered('`receiveWebhook`', DeliveryAccepted),
        ...answered('`health`', HealthAnswer),
        ...answered('`getProblemType` as JSON', ProblemTypeAnswer),
      ],
    ),
    LISTS,
    DELETING,
    OPERATIONS,
    '## Limits',
    'Characters are Unicode code points, bytes are UTF-8.',
    table(
      ['what', 'at most'],
      [
        ['JSON of a body after decoding', `${number(LIMITS.bodyBytes)} bytes`],
        ['body of a sign-in or a refresh, as sent and after decoding', `${number(LIMITS.signInBytes)} bytes`],
        ['message of a webhook', `${number(LIMITS.webhookBytes)} bytes`],
        ['depth of the JSON', `${LIMITS.jsonDepth} levels`],
        ['values in the JSON of a body, lists and objects included', number(LIMITS.jsonValues)],
        ['different field names in the JSON of a body with more than 50,000 fields', number(LIMITS.jsonNames)],
        ['segments of a project', number(LIMITS.segments)],
        ['target languages of a project', number(LIMITS.targetLanguages)],
        ['notes of a segment', number(LIMITS.notesPerSegment)],
        ['members of a team', number(LIMITS.membersPerTeam)],
        ['content of a segment', `${number(LIMITS.contentBytes)} bytes`],
        ['custom id of a project', `${LIMITS.customIdCharacters} characters`],
        ['`description`, `notes`, `additionalInfo`, `note`', `${number(LIMITS.freeTextCharacters)} characters`],
        ['any other text', `${number(LIMITS.stringCharacters)} characters`],
        ['faults in one answer', number(LIMITS.faults)],
        ['projects of a page', number(LIMITS.listMax)],
        ['projects of a whole list', number(LIMITS.wholeListProjects)],
        ['JSON of a whole list before compression', `${number(LIMITS.wholeListBytes)} bytes`],
      ],
    ),
  ].join('\n\n')}\n`;
}

function codes(problems: readonly string[]): string {
  return problems.map((type) => `[\`${type}\`](problems/${type}.md)`).join(', ');
}

function number(value: number): string {
  return value.toLocaleString('en');
}

const Property = z.object({ description: z.optional(z.string()) });
const Properties = z.object({
  properties: z.record(z.string(), Property),
  required: z._default(z.array(z.string()), []),
});

/** The fields of a request's schema, with the description that each has there. */
function fields(title: string, schema: z.core.$ZodType): string[] {
  const rows = described(schema).map(([name, description, isRequired]) => [
    `\`${name}\``,
    isRequired ? 'yes' : 'no',
    description,
  ]);
  return [`### ${title}`, table(['field', 'required', 'meaning'], rows)];
}

/** The fields of an answer's schema that are described there: of a project those that the service adds. */
function answered(place: string, schema: z.core.$ZodType): string[][] {
  return described(schema).map(([name, description]) => [place, `\`${name}\``, description]);
}

function described(schema: z.core.$ZodType): [name: string, description: string, isRequired: boolean][] {
  const { properties, required } = Properties.parse(z.toJSONSchema(schema, { io: 'input' }));
  return Object.entries(properties).flatMap(([name, { description }]) =>
    description === undefined ? [] : [[name, description, required.includes(name)]],
  );
}

const INTRODUCTION = `All paths are relative to the base URL: the one \`npm start\` prints, or the stack's output. A body is
\`Content-Type: application/json\` (any \`application/*+json\` is read as JSON), plain or gzip-encoded. Answers are JSON, gzip-encoded for a client
that accepts it; a project of more than about 4.7 MB of JSON can only be answered so. Every answer carries
\`X-Request-Id\`, and over TLS \`Strict-Transport-Security: max-age=31536000\`. HEAD works wherever GET does: the same status and
headers, no body. Failures are [problems](problems.md), whose \`type\` is the URL of a page: HTML, unless \`Accept\` wants JSON more.

The same in OpenAPI 3.1 is at \`GET /openapi.json\`, and as a page at \`GET /docs\`; neither asks for credentials.
OpenAPI leaves out HEAD.

A create or a delete with \`Idempotency-Key\` happens once, however often it is sent: see [Exactly once](exactly-once.md). What a
deletion leaves, and for how long, is in [Deletion](deletion.md).

Checks are made in this order, and the first that fails is answered: path, method, credentials, scope, \`Accept\`, query,
\`Content-Type\`, size, body, key, clock, custom id. What the gateway itself cannot take it refuses before the scope is looked at: a URL
that cannot be decoded (400), a body in another coding than gzip (415), a body of more than about 4.7 MB (413).`;

const STRICT_QUERY = `Names and values are exact. On every path, a parameter that is unknown, repeated, empty or ill-formed is refused, and nothing
is done: a misspelt flag must never turn a check into a project, nor a task into everything.`;

const CREDENTIALS = `## Credentials

Send one of these with every request:

| \`Authorization\` | for |
|---|---|
| \`Basic base64("<COMPANY_ID>:<API_KEY>")\` | most clients |
| \`Bearer <API_KEY>\` | clients that hold one static token; the key leads to its company |
| \`Bearer <ACCESS_TOKEN>\` | clients that should not send the key each time; a token is good for 30 minutes |

To obtain an access token, run:

\`\`\`sh
curl -sS -X POST "$SEGUE_URL/authentication/token" -u "$SEGUE_COMPANY_ID:$SEGUE_API_KEY"
\`\`\`

The body \`{ "username": "<COMPANY_ID>", "password": "<API_KEY>" }\` works as well; \`Bearer <API_KEY>\` does not. The answer is
\`{ "AccessToken": "…", "RefreshToken": "…", "expiresIn": 1800 }\`. A key has scopes: \`create\` (also \`validateOnly\`), \`read\`,
\`delete\`. Whose projects a request is about comes from its credentials alone; another company's project answers like one that never was.
Webhooks prove who sends them by their signatures instead: see [Webhooks](webhooks.md). How companies get keys, and how fast a revoked one stops, is in [Companies and keys](companies.md).

A refresh token gets the next pair of tokens, once and within 24 hours; here it is in \`REFRESH_TOKEN\`:

\`\`\`sh
curl -sS -X POST "$SEGUE_URL/authentication/RefreshToken" -H 'Content-Type: application/json' -d "{\\"token\\":\\"$REFRESH_TOKEN\\"}"
\`\`\`

Used a second time, it ends every token that came of the same sign-in, since one of its two users should not have it. A retry of a
lost answer is no second use where both requests bear the same \`Idempotency-Key\`: then the answer is the first one again.`;

const FIELDS = `The answer repeats every field as it was sent and adds what the service knows: \`id\`s, \`creationDateUtc\`, \`state\`,
\`progress\` and others, null where they have no value. Those are refused in a request. \`null\` for an optional field means the same
as leaving it out. A language is named by id, by code, or by both; codes compare without regard to case,
\`_\` is taken for \`-\`, and a three-letter ISO 639-2 code names its two-letter language. \`GET /integrations/languages\` lists them.`;

const RULES = `### Rules between fields

- A language needs its id or its code; where both are given they name the same one. A target is not the source, and stands in the
  list once.
- A date is RFC 3339 with any offset, or without one, which means UTC: \`2027-01-31T00:00:00-05:00\`, \`2027-01-31T05:00:00Z\` and
  \`2027-01-31T05:00:00\` are the same moment. It has at most 7 fraction digits. Hour 24, leap seconds and a space in place of \`T\` are
  refused, and so is a date whose year in UTC is outside 0000 to 9999: \`9999-12-31T23:59:59-12:00\`. The hosted service answers a date as it was sent. In front of another service, Segue sends it in UTC with \`Z\`.
- \`endDateUtc\` is later than \`startDateUtc\`, as moments.
- A team of at least one is needed where \`serviceTranslation\` or \`serviceProofreading\` is true and \`managedProject\` is not. A user
  stands in a team once, by id and by username (whatever its case).
- A team with a proofreader has a translator; else the answer is [500](problems/team-without-translator.md).
- \`content\` is not empty; a \`name\` or \`taskId\` is not blank; a project's \`customId\` is neither empty nor \`.\` nor \`..\`, and no existing
  project of the company has it.
- Any field that is not listed here is refused, with the nearest name that is.`;

const ADDED = `The hosted service always gives these fields, and null for a field without a value. In front of
[another service](upstream.md#what-is-understood) only \`id\` is certain: every other field is passed on as that service gives it, and may be absent.
In a list, the fields of the project that the service leaves out are null.`;

const LISTS = `## Listing projects

A list is a JSON array of projects without their \`segments\`, newest first.

- **Without \`limit\`** the answer is the whole list, or all that follows \`cursor\`. If it does not fit into one answer, the answer is 406
  [\`not-acceptable\`](problems/not-acceptable.md): a list is never cut short without notice. An answer holds at most
  ${number(LIMITS.wholeListProjects)} projects, ${number(LIMITS.wholeListBytes)} bytes before compression, and about 4.7 MB as sent. So more fits for a client
  that accepts gzip.
- **With \`limit\`** the answer is one page. While more projects remain, the header \`Link: <…>; rel="next"\` has the URL of the next page.
  A page may hold fewer projects than \`limit\`. Projects that are created or deleted meanwhile change neither the order nor the other entries.

The list of languages always fits and has no pages.`;

const DELETING = `## Deleting

Deleting is for ever. Without \`taskId\` the whole project goes, with it only that task: the segments that bear it, and, where it
is the project's own \`taskId\`, those without one. Every other byte of the project stays as it was. The answer is 204, or with
\`Prefer: return=representation\` 200 and a receipt:

\`\`\`json
{
  "scope": "task",
  "projectId": 228899643141235,
  "customId": "cms/4711",
  "taskId": "front-page",
  "outcome": "deleted",
  "deletedAtUtc": "2026-11-20T09:37:31.439Z",
  "removed": { "targetLanguages": 0, "segments": 1, "tasks": 1 },
  "requestedBy": { "kind": "key", "id": "sandbox-5e0b6a1f4c2d" }
}
\`\`\`

In front of another service \`outcome\` may also be \`archived\`: 200 with the receipt, since the project can still be read there; or
\`pending\`: 202 with the receipt and the \`Location\` of an operation, since the service has not carried it out yet. Then
\`deletedAtUtc\` is null.

A delete takes no conditions. With \`If-Match\`, \`If-None-Match\`, \`If-Modified-Since\` or \`If-Unmodified-Since\` it is refused with 400
\`invalid-header\`, because ignoring the header would look like protection.

A custom id in a path is percent-encoded once: \`a/b\` is \`a%2Fb\`, and \`a%2Fb\` is \`a%252Fb\`.`;

const OPERATIONS = `## Operations that are asked for later

Where an answer leaves open what became of a creation or a deletion, its \`Location\` says where to ask, and \`GET\` there gives one
of three states:

| \`status\` | with | what it means |
|---|---|---|
| \`running\` | \`Retry-After\` | it cannot be told yet; ask again |
| \`done\` | \`project\`, \`receipt\` or, for a project that is gone by now, \`problem\` | it was carried out |
| \`failed\` | \`problem\` | nothing was done; \`retryable\` says whether to send it again. Two problems leave it open: after \`upstream-invalid\` a deleted task may be gone, and after \`outcome-unknown\` a creation or a deletion may have happened |

The answers that have such a \`Location\` are:

- 202 to a creation with \`Prefer: respond-async\`, with \`{ "operationId": "…", "status": "done" }\`. The work is done before this
  answer all the same, so what is refused is told at once; what is spared is the project in the answer. Such a creation has an operation
  without \`Idempotency-Key\` too, but only with one can it be sent again. \`validateOnly\` ignores the preference.
- 202 to a creation that outlasts the time there is, whether that was preferred or not: it is \`running\`.
- 202 to a deletion that is \`pending\`.
- 504 [\`outcome-unknown\`](problems/outcome-unknown.md), which has the member \`operationId\` too: with an \`Idempotency-Key\` always,
  without one where the service is another one.

An operation is kept as long as a key, ${RETENTIONS.idempotencyKey.days} days. Another company's answers like one that never was. Of what failed only the type of its
problem is kept, so \`detail\` is in general words, and \`errors\` is left out.`;
