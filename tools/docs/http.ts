import * as z from 'zod/mini';
import { LIMITS } from '../../lib/contract/limits.ts';
import { PARAMETERS, type ParameterName, queryName } from '../../lib/contract/parameters.ts';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../../lib/contract/project.ts';
import {
  PublishedLanguageNote,
  PublishedProject,
  PublishedProjectHead,
  PublishedSegment,
  PublishedTargetLanguage,
  PublishedTeamMember,
} from '../../lib/contract/published-project.ts';
import { COMMON_PROBLEMS, CREDENTIAL_PROBLEMS, type Route, scopesOf } from '../../lib/contract/routes.ts';
import { QUERY_PARAMETERS } from '../../lib/operations/docs/parameters.ts';
import { docsOf, ROUTES } from '../../lib/operations/routes.ts';
import { fill } from './fill.ts';
import { textOf } from './openapi/schemas.ts';
import { table } from './table.ts';

/** Returns the page `docs/http.md`, with the operations, parameters and limits of the HTTP API. */
export function httpPage(): string {
  return fill('docs/http.md', {
    operations: table(
      ['operation', 'method and path', 'scope', 'success', 'what it does'],
      ROUTES.map(({ id, method, path, scope, summary }) => [
        `\`${id}\``,
        `\`${method} ${path}\``,
        scopesOf({ scope }).join(' or ') || 'none',
        [...new Set(docsOf(id).answers.map(({ status }) => status))].join(' or '),
        summary,
      ]),
    ),
    problems: table(
      ['operation', 'problems'],
      [
        ['every operation', codes(COMMON_PROBLEMS)],
        ['every operation with a scope', codes(CREDENTIAL_PROBLEMS)],
        ...ROUTES.map(({ id, problems }: Route) => [`\`${id}\``, problems.length > 0 ? codes(problems) : 'no others']),
      ],
    ),
    parameters: table(
      ['parameter', 'of', 'takes', 'meaning'],
      Object.keys(PARAMETERS)
        .filter(isParameter)
        .map((key) => [
          `\`${queryName(key)}\``,
          ROUTES.filter(({ query }: Route) => query.includes(key))
            .map(({ id }) => `\`${id}\``)
            .join(', '),
          PARAMETERS[key].takes,
          QUERY_PARAMETERS[key].description,
        ]),
    ),
    limits: table(
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
        ['tasks of a project, times its target languages', number(LIMITS.taskLanguages)],
        ['translations of a request', number(LIMITS.translations)],
        [
          '[sentences](translation.md#limits) of all segments, with the branches of ICU choices, times the languages with `serviceAutomaticTranslation`',
          number(LIMITS.automaticSentences),
        ],
        [
          '[lines, tags and placeholders](translation.md#limits) of a content that is translated automatically',
          number(LIMITS.contentPieces),
        ],
        ['content of a segment', `${number(LIMITS.contentBytes)} bytes`],
        ['custom id of a project', `${LIMITS.customIdCharacters} characters`],
        ['`description`, `notes`, `additionalInfo`, `note`', `${number(LIMITS.freeTextCharacters)} characters`],
        ['any other text', `${number(LIMITS.stringCharacters)} characters`],
        ['faults in one answer', number(LIMITS.faults)],
        ['projects of a page', number(LIMITS.listMax)],
        ['projects of a whole list, and projects that a filter looks at for one', number(LIMITS.wholeListProjects)],
        ['segments of a page', number(LIMITS.segmentsMax)],
        ['JSON of a segment with all its translations', `${number(LIMITS.shownSegmentBytes)} bytes`],
        ['pairs of a task and a language in a progress answer', number(LIMITS.progressEntries)],
        ['JSON of a whole list before compression', `${number(LIMITS.wholeListBytes)} bytes`],
      ],
    ),
  });
}

/** Returns the page `docs/project-fields.md`, with the fields of a request. */
export function projectFieldsPage(): string {
  return fill('docs/project-fields.md', {
    project: fields(ProjectRequest),
    'target language': fields(TargetLanguage),
    'team member': fields(TeamMember),
    segment: fields(Segment),
    'language note': fields(LanguageNote),
  });
}

/** Returns the page `docs/answer-fields.md`, with the fields of every answer. */
export function answerFieldsPage(): string {
  return fill('docs/answer-fields.md', {
    added: table(
      ['in', 'field', 'meaning'],
      [
        ...answered('project', PublishedProjectHead),
        ...answered('target language', PublishedTargetLanguage),
        ...answered('team member', PublishedTeamMember),
        ...answered('segment', PublishedSegment),
        ...answered('language note', PublishedLanguageNote),
      ],
    ),
    answers: table(['of', 'field', 'meaning'], answers()),
  });
}

function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(PARAMETERS, name);
}

function codes(problems: readonly string[]): string {
  return problems.map((type) => `[\`${type}\`](problems/${type}.md)`).join(', ');
}

function number(value: number): string {
  return value.toLocaleString('en');
}

const Property = z.object({ description: z.optional(z.string()) });
const Properties = z.object({
  properties: z._default(z.record(z.string(), Property), {}),
  required: z._default(z.array(z.string()), []),
});

/** Returns a table of the fields in a request's schema, with their descriptions. */
export function fields(schema: z.core.$ZodType): string {
  const rows = described(schema).map(([name, description, isRequired]) => [
    `\`${name}\``,
    isRequired ? 'yes' : 'no',
    description,
  ]);
  return table(['field', 'required', 'meaning'], rows);
}

/** The schemas of projects and their parts, whose fields have a table of their own. */
const OF_PROJECTS: readonly z.core.$ZodType[] = [PublishedProject, PublishedProjectHead, PublishedTargetLanguage];

/** Returns the rows for the fields of all answers except projects. */
function answers(): string[][] {
  const all = ROUTES.flatMap(({ id }) => docsOf(id).answers.map((answer) => ({ id, ...answer })));
  const bySchema = Map.groupBy(all, ({ schema }) => schema && elementOf(schema));
  return Array.from(bySchema).flatMap(([schema, same]) => {
    if (schema === null || OF_PROJECTS.includes(schema)) return [];
    const ids = [...new Set(same.map(({ id }) => `\`${id}\``))].join(', ');
    const condition = same.find((answer) => answer.condition)?.condition;
    return answered(condition ? `${ids} ${condition}` : ids, schema);
  });
}

/**
 * Returns the rows for the described fields of an answer's schema. For a project, these are the fields that the service
 * adds.
 */
function answered(place: string, schema: z.core.$ZodType): string[][] {
  return described(schema).map(([name, description]) => [place, `\`${name}\``, description]);
}

function described(schema: z.core.$ZodType): [name: string, description: string, isRequired: boolean][] {
  const { properties, required } = Properties.parse(
    z.toJSONSchema(schema, {
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => Object.assign(jsonSchema, textOf(zodSchema)),
    }),
  );
  return Object.entries(properties).flatMap(([name, { description }]) =>
    description === undefined ? [] : [[name, description, required.includes(name)]],
  );
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodMiniArray ? schema.def.element : schema;
}
