import type { LanguageState } from '../../lib/contract/language-states.ts';
import type { TranslationStatus } from '../../lib/contract/translation-status.ts';
import type {
  OutdatedPut,
  OutdatedPutPlan,
  ProjectRequest,
  PutPlan,
  PutSummary,
  Receipt,
  SegueEvent,
  TranslatedSegment,
  Translation,
  TranslationEntry,
} from './wire-types.ts';

export type * from './wire-types.ts';

/** The options of a client. */
export interface SegueClientOptions {
  /** The base URL of Segue: an https URL, or an http URL of this machine. It may have a path. */
  readonly baseUrl: string;
  readonly companyId: string;
  readonly apiKey: string;
  /** How the client sends credentials; by default `basic`. With `bearer`, it obtains and renews tokens as needed. */
  readonly scheme?: 'basic' | 'bearer' | undefined;
  /** The timeout of a call in milliseconds, including retries and pauses; by default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Returns the time, in milliseconds since 1970; by default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Waits for some milliseconds; by default with a timer. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Returns a random number from 0 to 1; by default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The options of a call. */
export interface CallOptions {
  /** The timeout of this call in milliseconds; by default the client's. */
  readonly timeoutMs?: number | undefined;
}

/** The options of a call that changes something. */
export interface WriteOptions extends CallOptions {
  /** The idempotency key; by default a random key. To repeat a request after a restart, store a key of your own. */
  readonly idempotencyKey?: string | undefined;
  /** Called if Segue had run the request before: in an earlier call with the key, or in an earlier attempt of this one. */
  readonly onReplay?: (() => void) | undefined;
}

/** The options of `validateProject`. */
export interface ValidateOptions extends CallOptions {
  /** Whether to refuse a project if the engine cannot translate one of its languages automatically. Default: no. */
  readonly strict?: boolean | undefined;
}

/** The options of `createProject`. */
export interface CreateOptions extends WriteOptions, ValidateOptions {}

/** What a put is limited to, and when it comes too late. */
interface PutScope {
  /** Limits the put to one task of an existing project. Then it has no revision. */
  readonly taskId?: string | undefined;
  /**
   * A whole number that you increase with each version of the project, such as `Date.parse(page.updatedAt)`. A put with a
   * lower one than the last changes nothing.
   */
  readonly revision?: number | undefined;
}

/** The options of `planPut` and `planPutByCustomId`. */
export interface PlanPutOptions extends ValidateOptions, PutScope {}

/** The options of `putProject` and `putProjectByCustomId`. */
export interface PutOptions extends CreateOptions, PutScope {
  /**
   * The `plan` of `planPut`. If the put would not do what the plan shows, it fails with `plan-outdated`, and nothing is
   * changed.
   */
  readonly plan?: string | undefined;
}

/** What a put did. */
export type PutResult = PutSummary | OutdatedPut;

/** What a put would do. */
export type PutPreview = PutPlan | OutdatedPutPlan;

/** The options of `getProject` and `getProjectByCustomId`. */
export interface TaskOptions extends CallOptions {
  /** The task whose segments to return; by default all segments are returned. */
  readonly taskId?: string | undefined;
}

/** Selects projects of a list. All members that are given must hold. */
export interface ListFilter {
  /** A target language of the project is in this state. */
  readonly state?: LanguageState | undefined;
  readonly customIdPrefix?: string | undefined;
  /** The project was created after this moment: an RFC 3339 date. */
  readonly createdAfter?: string | undefined;
  /** The deadline of the project is before this moment: an RFC 3339 date. */
  readonly dueBefore?: string | undefined;
  /** Whether all target languages of the project have the progress 100. */
  readonly done?: boolean | undefined;
}

/** The options of `listProjects` and `eachProject`. */
export interface ListOptions extends CallOptions, ListFilter {
  /**
   * The maximum number of projects in a page, from 1 to 100. Without a limit, `listProjects` returns all projects, and
   * `eachProject` reads pages of 100.
   */
  readonly limit?: number | undefined;
  /** The `cursor` that came with the previous page. */
  readonly cursor?: string | undefined;
}

/** The options of `listEvents` and `events`. */
export interface EventsOptions extends CallOptions {
  /** The id of the event after which to start; by default the oldest event that Segue keeps is the first. */
  readonly after?: string | undefined;
  /** The maximum number of events in a page, from 1 to 1,000; by default 1,000. */
  readonly limit?: number | undefined;
}

/** The options of `getSegments`, `eachSegment` and the same by custom id. */
export interface SegmentsOptions extends TaskOptions {
  /** The status of a translation. Only segments with such a translation are returned, and of them only those. */
  readonly status?: TranslationStatus | undefined;
  /** The code of a target language. Only the translations into this language are returned. */
  readonly languageCode?: string | undefined;
  /**
   * The maximum number of segments in a page, from 1 to 1,000. Without a limit, `getSegments` returns all segments, and
   * `eachSegment` reads pages of 500.
   */
  readonly limit?: number | undefined;
  /** The `cursor` that came with the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * The target of a deletion: the whole project, or one task. There is no default, so a missing task id never deletes the
 * whole project.
 */
export type WhatToDelete = 'project' | { readonly taskId: string };

/** The options of `deleteProject` and `deleteProjectByCustomId`. */
export interface DeleteOptions extends WriteOptions {
  /**
   * The `plan` of `planDeletion`. If the deletion would not remove what the plan shows, it fails with `plan-outdated`,
   * and nothing is deleted.
   */
  readonly plan?: string | undefined;
  /** If the project has a higher revision, the deletion of the project fails with `revision-outdated`. */
  readonly revision?: number | undefined;
}

/** A project to create or to put. If `startDateUtc` is left out, the client sets it to the current time. */
export type NewProject = Omit<ProjectRequest, 'startDateUtc'> & Partial<Pick<ProjectRequest, 'startDateUtc'>>;

/** A translation to write. It names its segment by id or by custom id. */
export type NewTranslation = TranslationEntry;

/**
 * A project as Segue returned it. Only id and custom id are checked. `isHostedProject` and `hasDocumentedTypes` check
 * all fields.
 */
export interface Project {
  readonly id: number;
  readonly customId?: string | undefined;
  readonly targetLanguages?: unknown;
  readonly segments?: unknown;
  readonly [field: string]: unknown;
}

/** A project without its segments. */
export type ProjectHead = Project;

/** A target language of a project. Only the state is checked. */
export interface TargetLanguage {
  readonly state: string;
  readonly [field: string]: unknown;
}

/** The state of a request that changed something. */
export interface Operation {
  readonly operationId: string;
  /** `running`: the outcome is not known yet. `done`: it took effect. `failed`: it had no effect, or nobody knows. */
  readonly status: 'running' | 'done' | 'failed';
  /** After a creation or a put: the project in its current state. */
  readonly project?: Project | undefined;
  /** After a put that came too late and changed nothing: `outdated`. */
  readonly outcome?: 'outdated' | undefined;
  /** After such a put: the highest revision of the project so far. */
  readonly revision?: number | undefined;
  /** After a deletion: its receipt. */
  readonly receipt?: Receipt | undefined;
  /** After translations were written: these translations as they now stand. */
  readonly translations?: readonly Translation[] | undefined;
  /** After a target language was changed: the language in its current state. */
  readonly language?: TargetLanguage | undefined;
  /** If the request failed: its problem. */
  readonly problem?: unknown;
}

/** The OpenAPI description of the API. */
export interface Description {
  readonly openapi: string;
  readonly [field: string]: unknown;
}

/** A page of a project's segments, in the order of the project. */
export interface SegmentsPage {
  readonly segments: readonly TranslatedSegment[];
  /** The cursor of the next page; absent on the last page. */
  readonly cursor?: string;
}

/** A page of the company's events, oldest first. */
export interface EventsPage {
  readonly events: readonly SegueEvent[];
  /** Whether there are more events after this page. */
  readonly more: boolean;
}

/** A page of the company's projects, newest first. */
export interface ProjectPage {
  readonly projects: readonly ProjectHead[];
  /** The cursor of the next page; absent on the last page. */
  readonly cursor?: string;
}
