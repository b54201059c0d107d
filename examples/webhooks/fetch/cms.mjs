import { createServer } from 'node:http';

// A content system that gives its entries to programs with a token, at http://127.0.0.1:8790.
const { PORT = '8790', TOKEN = 'example-token' } = process.env;
const entries = {
  7: {
    title: 'Opening hours',
    revision: 3,
    blocks: [
      { key: 'lead', html: '<p>We are open from <b>9 to 5</b>.</p>' },
      { key: 'note', html: '<p>Closed on Sundays.</p>' },
    ],
  },
};

const server = createServer((request, response) => {
  const entry = entries[request.url?.replace('/entries/', '') ?? ''];
  const isAllowed = request.headers.authorization === `Bearer ${TOKEN}`;
  response.writeHead(!isAllowed ? 401 : entry ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(isAllowed && entry ? entry : {}));
});
server.listen(Number(PORT), '127.0.0.1');
