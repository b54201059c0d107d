/**
 * Asks the service behind to create a project.
 * @param {unknown} project
 * @param {{ companyId: string, apiKey: string }} account
 */
export async function createUpstream(project, { companyId, apiKey }) {
  const answer = await fetch(`${process.env.SEGUE_UPSTREAM_URL}/segments/projects`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${companyId}:${apiKey}`).toString('base64')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(project),
  });
  if (answer.status !== 201) throw new Error(`The service answered ${answer.status}`);
  return answer.json();
}
