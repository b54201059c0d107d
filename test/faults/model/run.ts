import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { Problem } from '../../../lib/contract/problem.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import {
  type CallContext,
  type OperationState,
  operationIdOf,
  type ProjectService,
} from '../../../lib/service/port.ts';
import type { ProjectDocument } from '../../../lib/service/project-document.ts';
import { textOf } from '../snapshot.ts';
import { type Ending, endingOf, START_MS, type World } from '../world.ts';
import { COMPANIES, type Command, type Company, commands, type Ref } from './commands.ts';
import { type Answer, Truth, type View } from './truth.ts';

/** Sends `sequences` sequences of commands to a service, and compares every answer with the model. */
export async function checkModel(world: World, sequences: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      world.nowMs = START_MS;
      const actual = new Actual(world);
      const truth = new Truth(actual.ids);
      for (const command of sequence) {
        world.nowMs += command.kind === 'wait' ? command.ms : 1;
        deepStrictEqual(await actual.answer(command), truth.answer(command, world.nowMs));
      }
      await world.sweep();
      for (const company of COMPANIES) {
        deepStrictEqual((await world.payloads(actual.companies[company])).length, truth.count(company));
      }
    }),
    { numRuns: sequences },
  );
}

/** An id that no project has. */
const NOBODY = 1;

/** The service under test. */
class Actual {
  /** The ids of the created projects, the latest last. */
  readonly ids: number[] = [];
  readonly companies: Readonly<Record<Company, string>>;
  readonly #world: World;
  #service: ProjectService;

  constructor(world: World) {
    this.#world = world;
    this.companies = { one: world.newCompany(), two: world.newCompany() };
    this.#service = world.service();
  }

  async answer(command: Command): Promise<Answer> {
    switch (command.kind) {
      case 'create': {
        const project = this.#world.project({
          ...command.body,
          segments: command.body.segments.map((one) => ({ ...one })),
        });
        const ending = await this.#send(command, (call) => this.#service.create(project, call));
        if (ending.is === 'done') this.ids.push(ending.value.id);
        return answerOf(ending, viewOf);
      }
      case 'get': {
        const { ref, taskId } = command;
        return answerOf(await this.#send(command, (call) => this.#service.get(this.#named(ref), taskId, call)), viewOf);
      }
      case 'delete': {
        const { ref, scope } = command;
        const ending = await this.#send(command, (call) => this.#service.delete(this.#named(ref), scope, call));
        return answerOf(ending, receiptOf);
      }
      case 'operation': {
        const operationId = operationIdOf(command.key);
        return answerOf(await this.#send(command, (call) => this.#service.operation(operationId, call)), stateOf);
      }
      case 'list':
        return { is: 'done', value: await this.#list(command.company) };
      case 'restart':
        this.#service = this.#world.service();
    }
    return { is: 'done', value: undefined };
  }

  #send<T>(
    { company, ...rest }: Extract<Command, { readonly company: Company }>,
    request: (call: CallContext) => Promise<T>,
  ): Promise<Ending<T>> {
    const key = rest.kind === 'create' || rest.kind === 'delete' ? rest.key : undefined;
    return endingOf((replayed) => request(this.#world.call(this.companies[company], key, replayed)));
  }

  /** Returns all projects of the list, read in pages of at most two. */
  async #list(company: Company): Promise<number[]> {
    const ids: number[] = [];
    let after: number | undefined;
    do {
      const page = await this.#service.list({ limit: 2, after }, this.#world.call(this.companies[company]));
      ids.push(...page.projects.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    return ids;
  }

  #named(ref: Ref) {
    return 'made' in ref ? { id: this.ids[ref.made] ?? NOBODY } : ref;
  }
}

function answerOf<T>(ending: Ending<T>, view: (value: T) => unknown): Answer {
  if (ending.is !== 'refused') return { is: ending.is, value: view(ending.value) };
  const { name: problem, occurrence } = ending.problem;
  const { deletedAtUtc } = occurrence;
  return { is: 'refused', problem, ...(deletedAtUtc !== undefined && { deletedAtUtc }) };
}

function viewOf(document: ProjectDocument): View {
  const { id, customId, taskId, segments }: Project = JSON.parse(textOf(document));
  return {
    id,
    ...(customId !== undefined && { customId }),
    ...(taskId !== undefined && { taskId }),
    segments: segments.map(({ content, taskId: task }) => ({ content, ...(task !== undefined && { taskId: task }) })),
  };
}

function receiptOf({ outcome: _, requestedBy: __, ...receipt }: Receipt) {
  return receipt;
}

/** Returns the state of an operation, with the answer to a retry. */
function stateOf({ kind: status, ...state }: OperationState) {
  const result = 'result' in state ? state.result : 'problem' in state ? state.problem : undefined;
  if (result instanceof Problem) return { status, result: answerOf({ is: 'refused', problem: result }, viewOf) };
  if (!result || 'json' in result) return { status, result: result && viewOf(result) };
  return { status, result: 'removed' in result ? receiptOf(result) : result };
}
