// Made by `npm run docs` from the schemas in `lib/contract`.

/** Needs `sourceLanguageId`, `sourceLanguageCode`, or both. `null` counts as absent. */
export interface ProjectRequest {
  /** Caller’s identifier linking the project to an external system. */
  readonly customId?: string | null | undefined;
  /** Caller’s task identifier for all segments without a `taskId`. An empty text counts as absent. */
  readonly taskId?: string | null | undefined;
  /** Project name. */
  readonly name: string;
  /** Free text. */
  readonly description?: string | null | undefined;
  /**
   * The current date and time. It may differ from Segue’s clock by at most 5 minutes, unless the operator set
   * another limit.
   */
  readonly startDateUtc: string;
  /** Final deadline, later than `startDateUtc`. */
  readonly endDateUtc: string;
  /** Numeric language id; may be omitted when sourceLanguageCode is given. */
  readonly sourceLanguageId?: number | null | undefined;
  /** Code of the source language. */
  readonly sourceLanguageCode?: string | null | undefined;
  /** One entry per target language. */
  readonly targetLanguages: readonly TargetLanguageRequest[];
  /** Content to translate. */
  readonly segments: readonly SegmentRequest[];
  /** User-defined project code. */
  readonly referenceNumber?: string | null | undefined;
  /** Free field, typically an external-system reference. */
  readonly customField1?: string | null | undefined;
  /** Free field, typically an external-system reference. */
  readonly customField2?: string | null | undefined;
  /** Identifier of the domain. */
  readonly domainId?: number | null | undefined;
  /**
   * The URL to which the hosted service sends signed events about the project: https, to a public address. Segue
   * passes it to an upstream service. An empty text counts as absent.
   */
  readonly eventUrl?: string | null | undefined;
  /** Identifier of the process. */
  readonly processId?: number | null | undefined;
}

/** Needs `targetLanguageId`, `targetLanguageCode`, or both. `null` counts as absent. */
export interface TargetLanguageRequest {
  /** Numeric language id; optional when targetLanguageCode is given. */
  readonly targetLanguageId?: number | null | undefined;
  /**
   * Language code, such as de or de-DE; optional when targetLanguageId is given. If both are given, they must name
   * the same language.
   */
  readonly targetLanguageCode?: string | null | undefined;
  /** true: the service manages the work; false: the company manages it. */
  readonly managedProject?: boolean | null | undefined;
  /** true requests human translation. */
  readonly serviceTranslation?: boolean | null | undefined;
  /** true requests human proofreading. */
  readonly serviceProofreading?: boolean | null | undefined;
  /** true translates the content automatically on creation. */
  readonly serviceAutomaticTranslation?: boolean | null | undefined;
  /** Initial state; InProgress by default. */
  readonly state?: 'InProgress' | 'InPreparation' | null | undefined;
  /**
   * The people who work on this language; required for human translation or proofreading, unless managedProject is
   * true.
   */
  readonly team?: readonly TeamMemberRequest[] | null | undefined;
  /** Reference of this monolingual project. */
  readonly referenceNumber?: string | null | undefined;
  /** Free field. */
  readonly customField1?: string | null | undefined;
  /** Free field. */
  readonly customField2?: string | null | undefined;
  /** Free text such as urgency or special instructions. */
  readonly additionalInfo?: string | null | undefined;
  /** true requests adaptive translation. */
  readonly serviceAdaptiveTranslation?: boolean | null | undefined;
  /** true requests scoring. */
  readonly serviceScoring?: boolean | null | undefined;
  /** Identifier of a style guide. */
  readonly styleGuideId?: number | null | undefined;
}

/** The type `TeamMemberRequest` of the API description. */
export interface TeamMemberRequest {
  /** User identifier in the system. */
  readonly id: number;
  /** Combined first and last name. */
  readonly name: string;
  /** The user’s e-mail address, which is unique in a team. */
  readonly username: string;
  /** Contact number. */
  readonly phone?: string | null | undefined;
  /** Project Manager role. */
  readonly isProjectManager?: boolean | null | undefined;
  /** Translator role. */
  readonly isTranslator?: boolean | null | undefined;
  /** Proofreader role. A team with a proofreader needs a translator. */
  readonly isProofreader?: boolean | null | undefined;
  /** In-Country Reviewer role. */
  readonly isInCountryReviewer?: boolean | null | undefined;
}

/** The type `SegmentRequest` of the API description. */
export interface SegmentRequest {
  /** Caller’s identifier of the segment in an external system. */
  readonly customId?: string | null | undefined;
  /** Plain text or HTML markup to translate. */
  readonly content: string;
  /** Guidance for translators. */
  readonly notes?: string | null | undefined;
  /** Caller’s task identifier. */
  readonly taskId?: string | null | undefined;
  /** Notes per language. */
  readonly languageSpecificNotes?: readonly LanguageNoteRequest[] | null | undefined;
}

/** Needs `languageId`, `languageCode`, or both. `null` counts as absent. */
export interface LanguageNoteRequest {
  /** Numeric language id; optional when languageCode is given. */
  readonly languageId?: number | null | undefined;
  /** Language code; optional when languageId is given. If both are given, they must name the same language. */
  readonly languageCode?: string | null | undefined;
  /** Instruction for that language. */
  readonly note?: string | null | undefined;
}

/**
 * With an upstream service, only `id` and `customId` come from Segue’s own records. Segue passes on every other
 * field as the upstream service sends it.
 */
export interface DocumentedProject {
  /** Generated project identifier; the caller keeps it for later calls. */
  readonly id: number;
  /** Creation date. The hosted service returns it in UTC with milliseconds, such as `2026-11-20T09:37:30.972Z`. */
  readonly creationDateUtc?: string | null | undefined;
  /** Domain of the project. Type and values depend on the service. The hosted service returns null. */
  readonly domain?: unknown;
  readonly customId?: string | undefined;
  readonly taskId?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly startDateUtc?: string | null | undefined;
  readonly endDateUtc?: string | null | undefined;
  /** Numeric id of the source language. */
  readonly sourceLanguageId?: number | null | undefined;
  readonly sourceLanguageCode?: string | null | undefined;
  readonly targetLanguages?: readonly DocumentedTargetLanguage[] | null | undefined;
  readonly segments?: readonly DocumentedSegment[] | null | undefined;
  readonly referenceNumber?: string | null | undefined;
  readonly customField1?: string | null | undefined;
  readonly customField2?: string | null | undefined;
  readonly domainId?: number | null | undefined;
  readonly eventUrl?: string | null | undefined;
  readonly processId?: number | null | undefined;
}

/** The type `TargetLanguage` of the API description. */
export interface DocumentedTargetLanguage {
  /**
   * Identifier of the monolingual (translation) project. Type and values depend on the service. The hosted service
   * returns a positive integer.
   */
  readonly id?: unknown;
  /** Numeric id of the target language. */
  readonly targetLanguageId?: number | null | undefined;
  readonly targetLanguageCode?: string | null | undefined;
  readonly managedProject?: boolean | null | undefined;
  readonly serviceTranslation?: boolean | null | undefined;
  readonly serviceProofreading?: boolean | null | undefined;
  readonly serviceAutomaticTranslation?: boolean | null | undefined;
  /** State. Type and values depend on the service. The hosted service returns InProgress or InPreparation. */
  readonly state?: unknown;
  /** Progress. Type and values depend on the service. The hosted service returns a percentage from 0 to 100. */
  readonly progress?: unknown;
  /**
   * Only in a list, in front of an upstream service that does not show the present state and progress: an object
   * with the last known `state` and `progress`, and the time `atUtc`.
   */
  readonly lastKnown?: unknown;
  /** Flag value. Type and values depend on the service. The hosted service returns null. */
  readonly flag?: unknown;
  /**
   * The automatic translation into this language, if the project asks for it. Type and values depend on the
   * service. The hosted service returns an object with its `state` (queued, running, done or failed) and its
   * `problem` (why the engine failed or waits, that segments are too complex, or null).
   */
  readonly automaticTranslation?: unknown;
  readonly team?: readonly DocumentedTeamMember[] | null | undefined;
  readonly referenceNumber?: string | null | undefined;
  readonly customField1?: string | null | undefined;
  readonly customField2?: string | null | undefined;
  readonly additionalInfo?: string | null | undefined;
  readonly serviceAdaptiveTranslation?: boolean | null | undefined;
  readonly serviceScoring?: boolean | null | undefined;
  readonly styleGuideId?: number | null | undefined;
}

/** The type `TeamMember` of the API description. */
export interface DocumentedTeamMember {
  readonly id?: number | null | undefined;
  readonly name?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly isProjectManager?: boolean | null | undefined;
  readonly isTranslator?: boolean | null | undefined;
  readonly isProofreader?: boolean | null | undefined;
  readonly isInCountryReviewer?: boolean | null | undefined;
  /** Translation rate. Type and values depend on the service. The hosted service returns null. */
  readonly translationRate?: unknown;
  /** Translation productivity. Type and values depend on the service. The hosted service returns null. */
  readonly translationProductivity?: unknown;
  /**
   * Proofreader reference. Type and values depend on the service. The hosted service returns the id of the team’s
   * first proofreader on a translator’s entry, or null.
   */
  readonly proofreadedBy?: unknown;
  /** Proofreading rate. Type and values depend on the service. The hosted service returns null. */
  readonly proofreadingRate?: unknown;
  /** Proofreading productivity. Type and values depend on the service. The hosted service returns null. */
  readonly proofreadingProductivity?: unknown;
}

/** The type `Segment` of the API description. */
export interface DocumentedSegment {
  /**
   * Generated segment identifier. Type and values depend on the service. The hosted service returns a positive
   * integer.
   */
  readonly id?: unknown;
  readonly customId?: string | null | undefined;
  readonly content?: string | null | undefined;
  readonly notes?: string | null | undefined;
  readonly taskId?: string | null | undefined;
  /**
   * Notes per language. Type and values depend on the service. The hosted service returns a list of objects with
   * `languageId`, `languageCode` and `note`.
   */
  readonly languageSpecificNotes?: unknown;
}

/** The type `LanguageNote` of the API description. */
export interface DocumentedLanguageNote {
  readonly languageId?: number | null | undefined;
  readonly languageCode?: string | null | undefined;
  /** Instruction for that language. */
  readonly note?: string | null | undefined;
}

/** The type `ValidAnswer` of the API description. */
export interface ValidProject {
  /** Always true. For an invalid project, Segue answers with a problem instead. */
  readonly valid: true;
  /** The number of segments of the project. */
  readonly segments: number;
  /** The number of target languages of the project. */
  readonly targetLanguages: number;
  /** The number of Unicode code points in the contents of all segments. */
  readonly characters: number;
  readonly quote: Quote;
}

/** What the project asks for, and what the engine of automatic translation gets now. */
export interface Quote {
  /**
   * The number of words in the contents of all segments, by the rules of the source language, without tags and
   * placeholders.
   */
  readonly words: number;
  /** The number of Unicode code points in the contents of all segments. */
  readonly characters: number;
  /** The number of segments whose content an earlier segment of the project has too. */
  readonly repeats: number;
  /**
   * The automatic translation. Null if Segue has no engine: the operator has set none, or another service does the
   * work.
   */
  readonly automaticTranslation: QuotedTranslation | null;
}

/** The type `QuotedTranslation` of the API description. */
export interface QuotedTranslation {
  /** The name of the engine, as in the settings. */
  readonly engine: string;
  /**
   * The number of characters that the engine translates now: those of the contents, in each language with automatic
   * translation that is not in preparation. The engine may get fewer: Segue sends no tags, and some repeated
   * sentences only once.
   */
  readonly characters: number;
  /** What these characters cost. Null if the operator has set no price. */
  readonly cost: Cost | null;
}

/** The type `Cost` of the API description. */
export interface Cost {
  /** The amount, in units of the currency. */
  readonly amount: number;
  /** The currency as in ISO 4217, such as `EUR`. */
  readonly currency: string;
}

/** The type `TranslatedSegment` of the API description. */
export interface TranslatedSegment {
  /** The segment, as the project has it. */
  readonly source?: DocumentedSegment | null | undefined;
  /** The translations, one for each target language. */
  readonly translations?: readonly SegmentTranslation[] | null | undefined;
}

/** The type `Translation` of the API description. */
export interface SegmentTranslation {
  /**
   * Identifier of the translation. Type and values depend on the service. The hosted service returns a positive
   * integer, or null for an untranslated segment.
   */
  readonly id?: unknown;
  /** Numeric id of the target language. */
  readonly languageId?: number | null | undefined;
  /** Code of the target language. */
  readonly languageCode?: string | null | undefined;
  /** The translation. The hosted service returns null for an untranslated segment. */
  readonly content?: string | null | undefined;
  /**
   * Status. Type and values depend on the service. The hosted service returns untranslated, draft, automatic,
   * pretranslated, translated or proofread.
   */
  readonly status?: unknown;
  /**
   * Version of the translation. Type and values depend on the service. The hosted service returns a number that
   * grows with each change, or 0 for a segment that was never translated.
   */
  readonly version?: unknown;
  /** Only for a draft whose segment has got another content since: true. Writing the translation removes it. */
  readonly outdated?: unknown;
  /** Only for an untranslated segment that the engine of the hosted service could not translate: why. */
  readonly problem?: unknown;
}

/** The type `Progress` of the API description. */
export interface Progress {
  /**
   * Progress in all languages. Type and values depend on the service. The hosted service returns a percentage from
   * 0 to 100.
   */
  readonly total?: unknown;
  /** The progress of each task. With `taskId`: only of that task. */
  readonly tasks?: readonly TaskProgress[] | null | undefined;
  /** The progress in each target language. With `taskId`: only of that task. */
  readonly languages?: readonly LanguageProgress[] | null | undefined;
  /** Who works on the tasks of managed languages. Only the hosted service returns it. */
  readonly assignees?: readonly Assignee[] | null | undefined;
}

/** The type `TaskProgress` of the API description. */
export interface TaskProgress {
  readonly taskId?: string | null | undefined;
  /**
   * Progress of the task in all languages. Type and values depend on the service. The hosted service returns a
   * percentage from 0 to 100.
   */
  readonly total?: unknown;
  /** The progress of the task in each target language. */
  readonly targetLanguages?: readonly LanguageProgress[] | null | undefined;
}

/** The type `LanguageProgress` of the API description. */
export interface LanguageProgress {
  /** Numeric id of the target language. */
  readonly languageId?: number | null | undefined;
  /** Code of the target language. */
  readonly languageCode?: string | null | undefined;
  /**
   * Progress. Type and values depend on the service. The hosted service returns the percentage of finished
   * segments.
   */
  readonly progress?: unknown;
}

/** The type `Assignee` of the API description. */
export interface Assignee {
  /** The id of the task; null for the segments without a task. */
  readonly taskId?: string | null | undefined;
  /** Code of the target language. */
  readonly languageCode?: string | null | undefined;
  /**
   * Role. Type and values depend on the service. The hosted service returns translator, proofreader or
   * inCountryReviewer.
   */
  readonly role?: unknown;
  /** The id of the member in the team of the target language. */
  readonly memberId?: number | null | undefined;
}

/** The type `PutSummary` of the API description. */
export interface PutSummary {
  /** What the put did. */
  readonly outcome: 'create' | 'update' | 'unchanged';
  /** How many segments stay, change, come and go. */
  readonly segments: {
    /** Segments with the same content as before. Their ids and translations stay. */
    readonly kept: number;
    /** Segments whose custom id stays and whose content changes. Their ids stay. */
    readonly changed: number;
    /** New segments. */
    readonly added: number;
    /** Segments that the project no longer has, with their translations. */
    readonly removed: number;
  };
  /** How many target languages stay, come and go. */
  readonly targetLanguages: {
    /** Target languages that the project had before. */
    readonly kept: number;
    /** New target languages. */
    readonly added: number;
    /** Target languages that the project no longer has, with their translations. */
    readonly removed: number;
  };
  readonly quote: Quote;
  /** The id of the project. */
  readonly projectId: number;
  /** The custom id of the project. */
  readonly customId: string | null;
}

/** The type `OutdatedPut` of the API description. */
export interface OutdatedPut {
  /** The put came too late. It changed nothing. */
  readonly outcome: 'outdated';
  /** The highest revision of the project so far. */
  readonly revision: number;
}

/** The type `PutPlan` of the API description. */
export interface PutPlan {
  /** Always true. For an invalid project, Segue answers with a problem instead. */
  readonly valid: true;
  /** What the put would do. */
  readonly outcome: 'create' | 'update' | 'unchanged';
  /** How many segments stay, change, come and go. */
  readonly segments: {
    /** Segments with the same content as before. Their ids and translations stay. */
    readonly kept: number;
    /** Segments whose custom id stays and whose content changes. Their ids stay. */
    readonly changed: number;
    /** New segments. */
    readonly added: number;
    /** Segments that the project no longer has, with their translations. */
    readonly removed: number;
  };
  /** How many target languages stay, come and go. */
  readonly targetLanguages: {
    /** Target languages that the project had before. */
    readonly kept: number;
    /** New target languages. */
    readonly added: number;
    /** Target languages that the project no longer has, with their translations. */
    readonly removed: number;
  };
  readonly quote: Quote;
  /**
   * A token for the header `If-Match` of the put, in quotation marks. Segue then does only what this plan shows.
   */
  readonly plan: string;
}

/** The type `OutdatedPutPlan` of the API description. */
export interface OutdatedPutPlan {
  /** Always true. For an invalid project, Segue answers with a problem instead. */
  readonly valid: true;
  /** The put came too late. It changed nothing. */
  readonly outcome: 'outdated';
  /** The highest revision of the project so far. */
  readonly revision: number;
}

/** The type `DeletionPlan` of the API description. */
export interface DeletionPlan {
  /** Whether a whole project or one task was deleted. */
  readonly scope: 'project' | 'task';
  /** The project’s id. */
  readonly projectId: number;
  /** The project’s custom id; null if it had none. */
  readonly customId: string | null;
  /** The id of the deleted task; null for a whole project. */
  readonly taskId: string | null;
  /**
   * How many target languages, segments and tasks the deletion removes, counted before it. A count is null if the
   * upstream service did not show what to count.
   */
  readonly removes: {
    readonly targetLanguages: number | null;
    readonly segments: number | null;
    readonly tasks: number | null;
  };
  /**
   * A token for the header `If-Match` of the deletion, in quotation marks. Segue then deletes only what this plan
   * shows.
   */
  readonly plan: string;
}

/** The type `Receipt` of the API description. */
export interface Receipt {
  /** Whether a whole project or one task was deleted. */
  readonly scope: 'project' | 'task';
  /** The project’s id. */
  readonly projectId: number;
  /** The project’s custom id; null if it had none. */
  readonly customId: string | null;
  /** The id of the deleted task; null for a whole project. */
  readonly taskId: string | null;
  /**
   * The result. `deleted`: the project or task is gone. `archived`: the upstream service archived the project
   * instead of deleting it. `pending`: the deletion has not finished; poll `GET /operations/{operationId}`.
   */
  readonly outcome: 'deleted' | 'archived' | 'pending';
  /** The time of the deletion in UTC, such as `2026-11-20T09:37:31.439Z`; null if `outcome` is not `deleted`. */
  readonly deletedAtUtc: string | null;
  /**
   * How many target languages, segments and tasks the deletion removes, counted before it. A count is null if the
   * upstream service did not show what to count.
   */
  readonly removed: {
    readonly targetLanguages: number | null;
    readonly segments: number | null;
    readonly tasks: number | null;
  };
  /** Identifies the API key, webhook source or workflow that was used to request the deletion. */
  readonly requestedBy: {
    /**
     * The kind of credentials: an API key, a webhook source, or a Step Functions workflow. A bulk run is a
     * workflow.
     */
    readonly kind: 'key' | 'source' | 'workflow';
    /**
     * The id of the API key, the name of the webhook source, or the name of the workflow’s state machine. If Step
     * Functions generated the execution’s name, the id is `<state machine>:<execution>`. Null if the workflow did
     * not send its execution id.
     */
    readonly id: string | null;
  };
  /** The id of the operation to poll while the deletion is pending. */
  readonly operationId?: string | undefined;
  /**
   * On AWS: until this time, the operator can restore the deleted data by point-in-time recovery. Absent if nobody
   * can restore it.
   */
  readonly unrecoverableAfterUtc?: string | undefined;
}

/** Needs `segmentId` or `segmentCustomId`, and not both. `null` counts as absent. */
export interface TranslationEntry {
  /** The segment’s id. An entry has either `segmentId` or `segmentCustomId`. */
  readonly segmentId?: number | null | undefined;
  /** The segment’s custom id, if no other segment of the project has it. */
  readonly segmentCustomId?: string | null | undefined;
  /** The code of one of the project’s target languages. */
  readonly languageCode: string;
  /** The translation: plain text, or HTML markup like that of the segment. */
  readonly content: string;
  /** The status of the translation. A status below the current one requires `reopen`. */
  readonly status: 'draft' | 'translated' | 'proofread';
  /**
   * The version that the translation must have now; 0 if nobody has translated the segment yet. Without
   * `ifVersion`, the entry replaces any version.
   */
  readonly ifVersion?: number | null | undefined;
  /** true allows a status below the current one. */
  readonly reopen?: boolean | null | undefined;
}

/** The type `WrittenTranslation` of the API description. */
export interface Translation {
  /** Generated identifier of the translation. */
  readonly id: number;
  /** The segment’s id. */
  readonly segmentId: number;
  /** The segment’s custom id; null if it has none. */
  readonly segmentCustomId: string | null;
  /** Numeric id of the language. */
  readonly languageId: number;
  /** Language code. */
  readonly languageCode: string;
  /** The translation. */
  readonly content: string;
  /** The status of the translation. */
  readonly status: 'untranslated' | 'draft' | 'automatic' | 'pretranslated' | 'translated' | 'proofread';
  /** The version of the translation. Every change of the translation increases it. */
  readonly version: number;
  /**
   * Present if the segment has got another content since a person translated it. The translation is a draft then.
   */
  readonly outdated?: true | undefined;
}

/** The type `LanguageChange` of the API description. */
export interface LanguageChange {
  /**
   * The new state. `InProgress` starts the work, and retries a failed automatic translation. `InPreparation` stops
   * the work.
   */
  readonly state: 'InProgress' | 'InPreparation';
}

/** The type `DailyAllowance` of the API description. */
export interface DailyAllowance {
  /** How many projects the company may create in a day. Null without a limit. */
  readonly projectsADay: number | null;
  /** How many of them it has created today. Null without a limit, because nothing is counted then. */
  readonly projectsToday: number | null;
  /**
   * How many characters an engine may translate for the company in a day. Null without a limit, and in front of
   * another service, which translates by its own rules.
   */
  readonly automaticCharactersADay: number | null;
  /**
   * How many of them are used today. A running translation has reserved some of them, and returns the rest. Null
   * without a limit.
   */
  readonly automaticCharactersToday: number | null;
  /** When the next day begins: 00:00 UTC. */
  readonly nextDayAtUtc: string;
}

/** The type `Event` of the API description. */
export interface SegueEvent {
  /** The id of the event. It is the same on every redelivery. */
  readonly id: string;
  /** The kind of change. */
  readonly type: 'project.created' | 'project.updated' | 'project.deleted' | 'task.deleted' | 'language.state-changed' | 'language.completed' | 'translation.failed' | 'task.assigned' | 'task.unassigned';
  /** When Segue recorded the change, in UTC with milliseconds. */
  readonly timestamp: string;
  /** The number of the event among those of its project: 1, 2, 3 and so on, without gaps. */
  readonly sequence: number;
  readonly data: EventData;
}

/** The ids, language codes, states and counts of the change. */
export interface EventData {
  /** The id of the project. */
  readonly projectId: number;
  /** The id of the task; only for events of a task. */
  readonly taskId?: string | undefined;
  /** The numeric id of the target language; only for events of a language or an assignment. */
  readonly languageId?: number | undefined;
  /** The code of the target language, as the catalogue of languages has it. */
  readonly languageCode?: string | undefined;
  /** The new state of the language; only for `language.state-changed`. */
  readonly state?: 'InProgress' | 'InPreparation' | undefined;
  /** The number of completed segments, or of segments that could not be translated. */
  readonly segments?: number | undefined;
  /** The number of segments whose content a put left as it was; only for `project.updated`. */
  readonly kept?: number | undefined;
  /** The number of segments that got another content; only for `project.updated`. */
  readonly changed?: number | undefined;
  /** The number of new segments; only for `project.updated`. */
  readonly added?: number | undefined;
  /** The number of segments that a put removed; only for `project.updated`. */
  readonly removed?: number | undefined;
  /** The role of the assignee; only for `task.assigned` and `task.unassigned`. */
  readonly role?: 'translator' | 'proofreader' | 'inCountryReviewer' | undefined;
  /** The id of the team member to whom the task is assigned; only for `task.assigned`. */
  readonly memberId?: number | undefined;
}

/** The type `EventSecret` of the API description. */
export interface EventSecret {
  /** The new secret, as Standard Webhooks writes it: `whsec_` and 32 bytes in base64. It is shown only once. */
  readonly secret: string;
  /** How many secrets sign events from now on: 1 or 2. */
  readonly liveSecrets: number;
}

/** The type `Language` of the API description. */
export interface Language {
  /** Numeric language id. It never changes. */
  readonly id: number;
  /** Language code. */
  readonly langCode: string;
  /** English name of the language. */
  readonly descriptiveName: string;
}

/** The type `TokenAnswer` of the API description. */
export interface Tokens {
  /** The access token, for `Authorization: Bearer`. */
  readonly AccessToken: string;
  /** The refresh token. Exchange it for the next pair of tokens, once and within 24 hours. */
  readonly RefreshToken: string;
  /** The lifetime of the access token, in seconds. */
  readonly expiresIn: number;
}

/** The type `HealthAnswer` of the API description. */
export interface Health {
  /** Always `ok`: the API answers. */
  readonly status: 'ok';
}

/** The type `ProblemType` of the API description. */
export interface ProblemTypeInfo {
  /** The URI of this page. It is also the `type` of every problem of this kind. */
  readonly type: string;
  /** A short summary of the problem type. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Whether the request took effect. */
  readonly outcome: 'not-applied' | 'applied' | 'unknown';
  /** When the problem occurs, and what to do. Backticks mark code. */
  readonly explanation: string;
}
