import type * as z from 'zod/mini';
import type { ProjectRequest } from '../contract/project.ts';
import type { RESPONSES } from './responses.ts';

/** The options of a client. */
export interface SegueClientOptions {
  /** An https URL, or an http URL of this machine. It may have a path. */
  readonly baseUrl: string;
  readonly companyId: string;
  readonly apiKey: string;
  /** By default `basic`. With `bearer` the client obtains and renews tokens as needed. */
  readonly scheme?: 'basic' | 'bearer' | undefined;
  /** The timeout of a call with its retries and pauses, in milliseconds; by default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds since 1970; by default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Waits, in milliseconds; by default with a timer. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** From 0 up to 1; by default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The options of a call. */
export interface CallOptions {
  /** The timeout of this call in milliseconds; by default the client's. */
  readonly timeoutMs?: number | undefined;
}

/** The options of a call that changes something. */
export interface WriteOptions extends CallOptions {
  /** By default a random key. Store your own to repeat a request after a restart. */
  readonly idempotencyKey?: string | undefined;
}

/** The options of getting a project. */
export interface TaskOptions extends CallOptions {
  /** Returns only this task's segments. */
  readonly taskId?: string | undefined;
}

/** The options of `listProjects`. */
export interface ListOptions extends CallOptions {
  /** The maximum of projects in a page, 1 to 100. Without it, the answer is the whole list. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly cursor?: string | undefined;
}

/** The target of a deletion. It is required, so that a lost task id never deletes the whole project. */
export type WhatToDelete = 'project' | { readonly taskId: string };

/** A project to create. By default it starts now. */
export type NewProject = Omit<ProjectRequest, 'startDateUtc'> & Partial<Pick<ProjectRequest, 'startDateUtc'>>;

type Responses = { readonly [Name in keyof typeof RESPONSES]: z.output<(typeof RESPONSES)[Name]> };
/** Only its id and its custom id are certain. `hasDocumentedTypes` tells whether the other fields have the documented types. */
export type Project = Responses['project'];
/** A project without its segments. */
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
  readonly projects: readonly ProjectHead[];
  /** The cursor of the next page; absent on the last page. */
  readonly cursor?: string;
}
