import * as z from 'zod/mini';
import type { TranslationsReader } from '../files/project-translations.ts';
import { escapeControls } from './io.ts';

const text = z.catch(z.optional(z.string()), undefined);
/** What is read of a segment. A service behind Segue may leave any of it out. */
const Segment = z.object({
  source: z.object({ id: z.int(), customId: text }),
  translations: z.array(z.object({ languageCode: text, problem: text, lost: text })),
});

/** A reader of translations that collects why segments have no automatic translation. */
export interface ProblemsReader extends TranslationsReader {
  /** Returns a line for each segment that an engine could not translate. */
  lines(): readonly string[];
}

/** Creates a reader that collects the problems of engines in the segments that it reads. */
export function collectProblems(client: TranslationsReader): ProblemsReader {
  let lines: string[] = [];
  return {
    getProject: (id) => client.getProject(id),
    async *eachSegment(project, options) {
      // If the project changes meanwhile, it is read again.
      lines = [];
      for await (const segment of client.eachSegment(project, options)) {
        const { success, data } = z.safeParse(Segment, segment);
        if (success) lines.push(...linesOf(data));
        yield segment;
      }
    },
    lines: () => lines,
  };
}

function linesOf({ source: { id, customId }, translations }: z.infer<typeof Segment>): string[] {
  return translations.flatMap(({ languageCode, problem, lost }) => {
    if (problem === undefined) return [];
    const name = customId === undefined ? '' : ` ${JSON.stringify(customId)}`;
    const what = lost === undefined ? '' : `: the engine lost ${JSON.stringify(lost)}`;
    const detail = `In ${languageCode}, segment ${id}${name} has no automatic translation${what}`;
    return [`warning: ${escapeControls(`${problem}  ${detail}`)}\n`];
  });
}
