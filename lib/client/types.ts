import type * as z from 'zod/mini';
import type { ProjectRequest } from '../contract/project.ts';
import type { RESPONSES } from './responses.ts';

/** Where Segue is, who asks, and how. */
export interface SegueClientOptions {
  /** An https URL, or http to this machine. With or without a slash at the end; a path is kept. */
  readonly baseUrl: string;
  readonly companyId: string;
  readonly apiKey: string;
  /** `basic` unless given; with `bearer` tokens are obtained and renewed as needed. */
  readonly scheme?: 'basic' | 'bearer' | undefined;
  /** The most that a call may take, with all that is repeated and waited for, in milliseconds; a minute unless given. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds since 1970; `Date.now` unless given. */
  readonly now?: (() => number) | undefined;
  /** Waits for so many milliseconds; with a timer unless given. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** From 0 up to 1; `Math.random` unless given. */
  readonly random?: (() => number) | undefined;
}

/** What can be said of one call. */
export interface CallOptions {
  /** In place of the client's own. */
  readonly timeoutMs?: number | undefined;
}

/** What can be said of a call that changes something. */
export interface WriteOptions extends CallOptions {
  /** Made up unless given: one that is kept outlives the process, and the next one can send the same again. */
  readonly idempotencyKey?: string | undefined;
}

/** What can be said of a reading. */
export interface TaskOptions extends CallOptions {
  /** The project with this task's segments only. */
  readonly taskId?: string | undefined;
}

/** Which part of the list. */
export interface ListOptions extends CallOptions {
  /** The most projects of a page, 1 to 100. Without it there are no pages. */
  readonly limit?: number | undefined;
  /** That of the page before. */
  readonly cursor?: string | undefined;
}

/** What a deletion is about. It is always said, so that a task that is missing by mistake is not the whole project. */
export type WhatToDelete = 'project' | { readonly taskId: string };

/** A project to create; without a start date it starts now. */
export type NewProject = Omit<ProjectRequest, 'startDateUtc'> & Partial<Pick<ProjectRequest, 'startDateUtc'>>;

type Responses = { readonly [Name in keyof typeof RESPONSES]: z.output<(typeof RESPONSES)[Name]> };
/** Only its id and its custom id are certain. `hasDocumentedTypes` tells whether the other fields have the documented types. */
export type Project = Responses['project'];
/** The same without its segments. */
export type ProjectHead = Responses['projects'][number];
export type ValidProject = Responses['valid'];
export type Receipt = Responses['receipt'];
export type Language = Responses['languages'][number];
export type Tokens = Responses['tokens'];
export type Health = Responses['health'];
export type ProblemTypeInfo = Responses['problemType'];
export type Operation = Responses['operation'];
export type Description = Responses['description'];

/** A page of the company's projects, newest first. */
export interface ProjectPage {
  /** Without their segments. */
  readonly projects: readonly ProjectHead[];
  /** Where the next page begins; absent on the last one. */
  readonly cursor?: string;
}
