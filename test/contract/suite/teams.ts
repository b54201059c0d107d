import { afterAll, describe, expect, test } from 'vitest';
import { type JsonObject, member, smallProject, target, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId } from '../api.ts';
import { type ExpectedFault, expectInvalid, expectProblem } from '../problems.ts';

const proofreader = (n = 1) => member({ isTranslator: false, isProofreader: true }, n);
const TEAM = '/targetLanguages/0/team';
const NO_TRANSLATOR: ExpectedFault = [TEAM, 'team-without-translator'];

/** Tests the rules of a team: "Team member" of `service.md`, "Team" of "Fields" in `decisions.md`. */
export function teams(api: Api): void {
  const projectWith = (fields: Parameters<typeof target>[0]) => smallProject({ targetLanguages: [target(fields)] });

  describe('Fields: team', () => {
    afterAll(() => api.cleanUp());

    for (const service of ['serviceTranslation', 'serviceProofreading']) {
      for (const team of [null, []]) {
        test(`${service} needs a team, and refuses ${JSON.stringify(team)}`, async () => {
          expectInvalid(await api.post(projectWith({ [service]: true, team })), [TEAM, 'team-needed']);
        });
      }
      test(`${service} needs no team if the service manages the project`, async () => {
        await api.create(projectWith({ [service]: true, managedProject: true, team: null }));
      });
    }

    test('a team may be omitted for automatic translation, and if no service is requested', async () => {
      await api.create(projectWith({ serviceAutomaticTranslation: true, team: null }));
      await api.create(projectWith({ serviceTranslation: false, serviceProofreading: false, team: null }));
    });

    test('member ids are unique in a team', async () => {
      const team = [member({}, 1), member({ id: 7001 }, 2)];
      expectInvalid(await api.post(projectWith({ team })), [`${TEAM}/1/id`, 'duplicate-member']);
    });

    test('usernames are unique in a team, ignoring case', async () => {
      const team = [member({}, 1), member({}, 2), member({ username: 'PERSON.1@Example.com' }, 3)];
      expectInvalid(await api.post(projectWith({ team })), [`${TEAM}/2/username`, 'duplicate-member']);
    });

    test('one person may be in the teams of two languages', async () => {
      await api.create(smallProject({ targetLanguages: [target(), { targetLanguageCode: 'ja', team: [member()] }] }));
    });
  });

  describe('Team member: a team that has a proofreader and no translator makes creation fail', () => {
    afterAll(() => api.cleanUp());

    const refused = {
      alone: [proofreader()],
      'with isTranslator left out': [member({ isTranslator: null, isProofreader: true })],
      'beside a manager and a reviewer': [
        member({ isTranslator: false, isProjectManager: true }, 1),
        member({ isTranslator: false, isInCountryReviewer: true }, 2),
        proofreader(3),
      ],
    };
    for (const [title, team] of Object.entries(refused)) {
      test(`${title} is 500, nothing is written, and the custom id stays free`, async () => {
        const customId = uniqueId();
        const project = { ...projectWith({ team }), customId };
        const before = await api.list();
        expectProblem(await api.post(project), 'team-without-translator', [NO_TRANSLATOR]);
        expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
        expect(await api.list()).toEqual(before);
        await api.create(smallProject({ customId }));
      });
    }

    const services: JsonObject[] = [
      { serviceProofreading: true },
      { managedProject: true },
      { serviceAutomaticTranslation: true },
    ];
    for (const fields of services) {
      test(`such a team is 500 with every service: ${JSON.stringify(fields)}`, async () => {
        const project = projectWith({ ...fields, team: [proofreader()] });
        expectProblem(await api.post(project), 'team-without-translator', [NO_TRANSLATOR]);
      });
    }

    test('such a team is 500 in a later target language too', async () => {
      const project = smallProject({
        targetLanguages: [target(), { targetLanguageCode: 'ja', team: [proofreader()] }],
      });
      expectProblem(await api.post(project), 'team-without-translator', [
        ['/targetLanguages/1/team', 'team-without-translator'],
      ]);
    });

    test('such a team is 500 with validateOnly too', async () => {
      expectProblem(await api.check(projectWith({ team: [proofreader()] })), 'team-without-translator', [
        NO_TRANSLATOR,
      ]);
    });

    test('errors lists this fault and every other', async () => {
      const { name: _, ...project } = projectWith({ team: [proofreader()] });
      expectProblem(await api.post({ ...project, segments: [{ content: '' }] }), 'team-without-translator', [
        ['/name', 'required'],
        ['/segments/0/content', 'empty'],
        NO_TRANSLATOR,
      ]);
    });

    test('a team with a proofreader and a translator is accepted, also if one person is both', async () => {
      await api.create(projectWith({ team: [member({ isTranslator: true, isProofreader: true })] }));
      await api.create(projectWith({ team: [proofreader(1), member({}, 2)] }));
    });
  });
}
