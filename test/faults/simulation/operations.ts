import type { DeletionScope, ProjectRef } from '../../../lib/service/port.ts';
import type { Company } from './world.ts';

/** A project that somebody wants to be made: its name says whose wish it is. */
export interface Wish {
  readonly company: Company;
  readonly name: string;
  readonly customId: string | undefined;
  readonly tasks: readonly string[];
}

/** How another client's project may differ from a company's that it resembles. */
export const DIFFERENCES = ['name', 'language', 'content', 'segments'] as const;

/** A project of another client. It may have a company's custom id, and resemble its project in all but one thing. */
export interface Foreign extends Omit<Wish, 'company'> {
  readonly difference: (typeof DIFFERENCES)[number];
}

/** What a client, somebody else, or Segue itself does. */
export type Operation =
  | { readonly kind: 'create'; readonly company: Company; readonly wish: Wish; readonly key: string | undefined }
  | {
      readonly kind: 'delete';
      readonly company: Company;
      readonly ref: ProjectRef;
      readonly scope: DeletionScope;
      readonly key: string | undefined;
    }
  | {
      readonly kind: 'get';
      readonly company: Company;
      readonly ref: ProjectRef;
      readonly taskId: string | undefined;
    }
  | { readonly kind: 'list'; readonly company: Company; readonly after?: number }
  | { readonly kind: 'operation'; readonly company: Company; readonly operationId: string }
  | { readonly kind: 'reconcile' }
  /** Another client of an account makes or deletes a project there. */
  | { readonly kind: 'make outside'; readonly account: string; readonly foreign: Foreign }
  | { readonly kind: 'delete outside'; readonly account: string; readonly id: number }
  /** An account gets another API key. */
  | { readonly kind: 'rotate'; readonly account: string };

/** What is kept as an operation that can be asked for. */
export type Change = Extract<Operation, { readonly kind: 'create' | 'delete' }>;

/** An operation in few words, for traces. */
export function told(operation: Operation): string {
  return JSON.stringify(operation, (_, value: unknown) => (typeof value === 'string' ? shortened(value) : value));
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 12)}… of ${text.length}` : text;
}
