import type { CheckedProject } from '../contract/project.ts';
import type { ProjectDocument } from './project-document.ts';

/** A put: a project is to become what its sender says. */
export interface PutRequest {
  /** The project, by its id or its custom id. */
  readonly ref: { readonly id: number } | { readonly customId: string };
  readonly project: CheckedProject;
  /** Limits the put to one task of an existing project. */
  readonly taskId?: string | undefined;
  /** The sender's number of this version of the project. A lower one than the last changes nothing. */
  readonly revision?: number | undefined;
  /** The plan that the put must agree with; absent if the client has sent none. */
  readonly planned?: PlannedPut | undefined;
}

/** What a plan that a client has sent with its put says: the project, the digest, and the counts. */
export type PlannedPut = readonly [projectId: number | null, digest: string, ...counts: number[]];

/** What a put does to the segments and target languages of a project. */
export interface PutCounts {
  readonly segments: {
    /** Equal before and after: their ids and translations stay. */
    readonly kept: number;
    /** The same custom id with another content: their ids stay. */
    readonly changed: number;
    readonly added: number;
    readonly removed: number;
  };
  readonly targetLanguages: { readonly kept: number; readonly added: number; readonly removed: number };
  /** The number of Unicode code points that the engine gets: of new contents, in each automatic language. */
  readonly automaticCharacters: number;
}

/** What a put does, or would do. */
export type PutOutcome = 'create' | 'update' | 'unchanged';

/** A put whose revision is lower than the last one, or was followed by a deletion. It changes nothing. */
export interface OutdatedPut {
  readonly outcome: 'outdated';
  /** The highest revision so far. */
  readonly revision: number;
  /** The project that stays as it is; absent if it was deleted. HTTP answers do not show it. */
  readonly project?: NamedProject | undefined;
}

/** The ids of a project. */
export interface NamedProject {
  readonly projectId: number;
  readonly customId: string | null;
}

/** What a put would do now. */
export type PutPlan =
  | OutdatedPut
  | (PutCounts & {
      readonly outcome: PutOutcome;
      /** Null if the project does not exist. */
      readonly projectId: number | null;
      /**
       * A digest of the request without its start date, and of what the put would lose: segments, languages, and
       * translations of people.
       */
      readonly digest: string;
    });

/** The result of a put. */
export type PutResult =
  | OutdatedPut
  | (PutCounts & {
      readonly outcome: PutOutcome;
      readonly projectId: number;
      readonly customId: string | null;
      /** Returns the project as it now stands. It does not fail after a put that has changed something. */
      readonly document: () => Promise<ProjectDocument>;
    });
