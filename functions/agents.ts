import { quotedEngine, supportsPair } from '#engine';
import { openService } from '#service';
import { answerAgent } from '../lib/agents/answer-agent.ts';
import { getAuthorizationServer, getProtectedResource } from '../lib/agents/authorization-metadata.ts';
import { hasTool } from '../lib/contract/agents.ts';
import { httpFunction } from '../lib/http/http-function.ts';
import { getProblemType } from '../lib/operations/get-problem-type.ts';
import { listLanguages } from '../lib/operations/list-languages.ts';
import { changeProjects, changeTranslations, ROUTES, readProjects } from '../lib/operations/routes.ts';

const service = await openService();
const options = { now: Date.now, supportsPair, quotedEngine };
const operations = [...changeProjects, ...readProjects, ...changeTranslations].flatMap((of) => of(service, options));
/** The ids of the operations with tools. */
const withTools = new Set<string>(ROUTES.filter(hasTool).map(({ id }) => id));

export const handler = httpFunction([
  answerAgent(
    [
      ...operations.filter(({ route }) => withTools.has(route.id)),
      listLanguages(options),
      getProblemType(ROUTES, options),
    ],
    options,
  ),
  ...getProtectedResource(options),
  getAuthorizationServer(options),
]);
