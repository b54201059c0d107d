import type { TransportResponse } from '../../lib/service/http-client/exchange.ts';
import { anything, integer, listOf, object, oneOf, optional, string } from '../../lib/service/http-client/shapes.ts';
import type { Description, Operation, Project, TargetLanguage } from './types.ts';
import {
  languageShape,
  progressShape,
  receiptShape,
  segueEventShape,
  translatedSegmentShape,
  translationShape,
} from './wire-shapes.ts';
import type { Progress } from './wire-types.ts';

/** Reads an HTML page from a response. Returns `undefined` if the body is incomplete or cannot be decoded. */
export function readPage({ body }: TransportResponse): { readonly page: string } | undefined {
  return typeof body === 'string' ? undefined : { page: new TextDecoder().decode(body) };
}

/** A project. Only the ids are checked, because an upstream service chooses the types of the other fields. */
const project = object<Project>({
  id: integer,
  customId: optional(string),
  targetLanguages: anything,
  segments: anything,
});

/** The progress of a project. At least one of its parts must be there. */
const progress = (value: unknown): value is Progress =>
  progressShape(value) && (value.total ?? value.tasks ?? value.languages ?? undefined) !== undefined;

const translations = listOf(translationShape);

const language = object<TargetLanguage>({ state: string });

/** The shapes of response bodies that are more than one in `wire-shapes.ts`. All fields of a body are kept. */
export const RESPONSES = {
  project,
  projects: listOf(project),
  segments: listOf(translatedSegmentShape),
  events: listOf(segueEventShape),
  progress,
  translations,
  language,
  languages: listOf(languageShape),
  operation: object<Operation>({
    operationId: string,
    status: oneOf('running', 'done', 'failed'),
    project: optional(project),
    outcome: optional(oneOf('outdated')),
    revision: optional(integer),
    receipt: optional(receiptShape),
    translations: optional(translations),
    language: optional(language),
    problem: anything,
  }),
  description: object<Description>({ openapi: string }),
};

/** The shape of the response to a request that continues in the background. */
export const startedOperation = object<{ readonly operationId: string }>({ operationId: string });
