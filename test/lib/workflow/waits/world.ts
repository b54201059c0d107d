import { projectNotFound } from '../../../../lib/contract/failures.ts';
import type { ProjectRef } from '../../../../lib/service/port.ts';
import type { Reported, TaskTokens } from '../../../../lib/service/task-tokens.ts';
import type { ListedStore } from '../../../../lib/storage/port.ts';
import { waitForProjectTask } from '../../../../lib/workflow/waits/wait-for-project-task.ts';
import { waitWorker } from '../../../../lib/workflow/waits/wait-worker.ts';
import { OPEN_WAITS, waitsIn } from '../../../../lib/workflow/waits/waits.ts';
import { contextOf, fakeService } from '../../http/fixture.ts';
import { NOW_MS } from '../../support.ts';

/** Step Functions, as far as tokens go. */
class FakeStepFunctions implements TaskTokens {
  /** The tokens for which executions wait. */
  readonly waiting = new Set<string>();
  /** What the executions got. */
  readonly ends = new Map<string, unknown>();
  readonly heartbeats: string[] = [];
  /** Whether reports fail, as if Step Functions did not answer. */
  isDown = false;
  /** Whether the answers to reports are lost. */
  losesAnswers = false;

  async succeed(token: string, output: unknown): Promise<Reported> {
    return this.#report(token, () => this.#end(token, output));
  }

  async fail(token: string, { error }: { readonly error: string }): Promise<Reported> {
    return this.#report(token, () => this.#end(token, error));
  }

  async heartbeat(token: string): Promise<Reported> {
    return this.#report(token, () => this.heartbeats.push(token));
  }

  /** Stops the execution that waits for a token. */
  cancel(token: string): void {
    this.waiting.delete(token);
  }

  #end(token: string, end: unknown): void {
    if (this.ends.has(token)) throw new Error('The wait has ended twice');
    this.waiting.delete(token);
    this.ends.set(token, end);
  }

  #report(token: string, take: () => unknown): Reported {
    if (this.isDown) throw new Error('No answer');
    if (!this.waiting.has(token)) return 'gone';
    take();
    if (this.losesAnswers) throw new Error('No answer');
    return 'taken';
  }
}

/** Waits on a store, in front of projects whose progress a test sets. */
export function waitWorld(store: ListedStore) {
  let nowMs = NOW_MS;
  const now = () => nowMs;
  const stepFunctions = new FakeStepFunctions();
  /** The progress of each project; a deleted project has none. */
  const progress = new Map<number, number>();
  const failing = new Map<string, Error>();
  const asked: ProjectRef[] = [];
  const service = fakeService({
    async progress(ref) {
      asked.push(ref);
      const error = failing.get('progress');
      if (error) throw error;
      const total = 'id' in ref ? progress.get(ref.id) : undefined;
      if (total === undefined) throw projectNotFound();
      return { total, languages: [{ languageId: 53, languageCode: 'de-DE', progress: total }] };
    },
  });
  const lines: object[] = [];
  const requireCompany = async () => {
    const error = failing.get('company');
    if (error) throw error;
    return undefined;
  };
  const log = (line: object) => void lines.push(line);
  const handler = waitForProjectTask(service, { now, log, requireCompany, waits: waitsIn(store, now) });
  const entries = async () => {
    const pages = await Promise.all(
      OPEN_WAITS.partitions().map((name) => store.list(name, { prefix: '', limit: 1_000, maxBytes: 1_000_000 })),
    );
    return pages.flatMap(({ items }) => items);
  };

  return {
    stepFunctions,
    progress,
    failing,
    asked,
    lines,
    now,
    /** Runs the task. */
    call: (command: object) => handler({ companyId: 'acme', ...command }, contextOf()),
    /** Runs the task as a state does that waits by a token. */
    wait(token: string, command: object) {
      stepFunctions.waiting.add(token);
      return handler({ companyId: 'acme', taskToken: token, ...command }, contextOf());
    },
    pass(ms: number) {
      nowMs += ms;
    },
    /** Runs a new worker over what is due, as the schedule does each minute. */
    async work() {
      const worker = waitWorker({
        store,
        service,
        tokens: stepFunctions,
        requireCompany,
        now,
        pauseMs: 60_000,
        pause: async () => {},
        onAttempt: (ref, attempted) => log({ ...ref, ...attempted }),
      });
      // A run ends after some attempts, because this clock stands still.
      let leftMs = 15_300;
      return worker.workOnDue({ remainingMs: () => leftMs-- });
    },
    /** Returns how many records and entries of the list there are. */
    async kept(companyId = 'acme') {
      const { items } = await store.list(`waits/${companyId}`, { prefix: '', limit: 1_000, maxBytes: 1_000_000 });
      return [items.length, (await entries()).length];
    },
  };
}
