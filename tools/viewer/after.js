/** The languages of the samples. All others are hidden. */
const SAMPLES = { shell: ['curl'], js: ['fetch'], python: ['requests'] };
/** The clients of the viewer, by language. */
const CLIENTS = {
  ...{
    c: ['libcurl'],
    clojure: ['clj_http'],
    csharp: ['httpclient', 'restsharp'],
    dart: ['http'],
    fsharp: ['httpclient'],
  },
  ...{ go: ['native'], http: ['http1.1'], java: ['asynchttp', 'nethttp', 'okhttp', 'unirest'], julia: ['http'] },
  ...{ js: ['axios', 'fetch', 'jquery', 'ofetch', 'xhr'], node: ['axios', 'fetch', 'ofetch', 'undici'] },
  ...{ kotlin: ['okhttp'], objc: ['nsurlsession'], ocaml: ['cohttp'], php: ['curl', 'guzzle', 'laravel'] },
  ...{ powershell: ['restmethod', 'webrequest'], r: ['httr2'], ruby: ['native'], rust: ['reqwest'] },
  ...{ python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3', 'requests'], swift: ['nsurlsession'] },
  ...{ shell: ['curl', 'httpie', 'wget'] },
};

const hiddenClients = Object.fromEntries(
  Object.entries(CLIENTS).map(([language, clients]) => {
    const shown = SAMPLES[language];
    return [language, shown ? clients.filter((client) => !shown.includes(client)) : true];
  }),
);

/**
 * What the viewer leaves out for screen readers and keyboards: by selector, an attribute and its value. Without a value,
 * the attribute is removed, because it refers to nothing.
 */
const REPAIRS = [
  ['[role=combobox]:not([aria-expanded])', 'aria-expanded', () => 'false'],
  ['.code-input-lite__editor:not([aria-label])', 'aria-label', labelOfRow],
  ['.cm-content:not([aria-label])', 'aria-label', () => 'Text'],
  ['[class*="group/copy-button"]:not([aria-label])', 'aria-label', () => 'Copy'],
  ['[class*="group/copy-button"][aria-controls]', 'aria-controls'],
  ['button[aria-haspopup=menu]:not([title])', 'title', () => 'Value'],
  ['button[role=none]', 'role', () => 'button'],
  ['.show-more[aria-label^="Show all"]', 'aria-label', (button) => `${button.innerText}: ${button.ariaLabel}`],
  ['.endpoints:not([tabindex])', 'tabindex', () => '0'],
];

function labelOfRow(input) {
  return input.closest('tr')?.innerText.split(':')[0] || 'Value';
}

/** Shows the answer 201 of an operation first. The viewer sorts answers, and 200 needs a parameter there. */
function showCreated() {
  for (const card of document.querySelectorAll('.response-card:not([data-chosen])')) {
    card.dataset.chosen = '';
    const tabs = [...card.querySelectorAll('[role=tab]')];
    tabs.find((tab) => /\b201$/.test(tab.textContent.trim()))?.click();
  }
}

const styles = new CSSStyleSheet();
styles.replaceSync(`
  /* Otherwise outlines and buttons for copying stand on texts, and one button shows no focus. */
  #reference section:focus-visible { outline-offset: 12px; }
  #reference .response-card .code-copy { margin: 0 8px; padding: 0 4px; }
  #reference .response-card .code-copy:focus-visible { outline: 1px solid var(--scalar-color-accent); outline-offset: -2px; }
  #reference .code-snippet .scalar-code-block { padding-top: 28px; }
  #reference .code-snippet .scalar-code-copy { top: 4px; }
`);
document.adoptedStyleSheets.push(styles);

new MutationObserver(() => {
  showCreated();
  for (const [selector, attribute, valueFor] of REPAIRS) {
    for (const element of document.querySelectorAll(selector)) {
      if (valueFor) element.setAttribute(attribute, valueFor(element));
      else element.removeAttribute(attribute);
    }
  }
}).observe(document.body, { childList: true, subtree: true });

/**
 * Turns off the optional parameters with an example or a list of values. The viewer would send the example, or the first
 * value, with every request.
 */
function withoutDefaults(description) {
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const value = parameter.example ?? parameter.schema.enum?.[0];
    if (value === undefined || parameter.required) continue;
    delete parameter.example;
    parameter.examples = { default: { value, 'x-disabled': true } };
  }
  return description;
}

/**
 * Makes the request that the viewer sends. A project starts now: a reader may take longer than the five minutes by which
 * the start date of the example may differ from the present.
 */
async function requestFrom(input, options, exampleStart) {
  // Otherwise the browser answers 401 with its own dialog for a name and a password.
  const request = new Request(input, { ...options, credentials: 'omit' });
  const body = await request.clone().text();
  if (!body.includes(exampleStart)) return request;
  return new Request(request, { body: body.replace(exampleStart, new Date().toISOString()) });
}

async function showReference() {
  const answer = await fetch('openapi.json');
  const description = withoutDefaults(await answer.json());
  const { startDateUtc } = description.paths['/segments/projects'].post.requestBody.content['application/json'].example;
  globalThis.Scalar.createApiReference('#reference', {
    content: description,
    // The bar links to the description.
    documentDownloadType: 'none',
    authentication: { preferredSecurityScheme: 'basic' },
    generateOperationSlug: ({ operationId }) => operationId,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients,
    customFetch: async (input, options) => fetch(await requestFrom(input, options, startDateUtc)),
    // The page has the theme of the system, as the pages of problems have. The viewer would begin with its light theme,
    // and after the change of themes, Chromium would leave some texts dark on a dark ground.
    hideDarkModeToggle: true,
    darkMode: matchMedia('(prefers-color-scheme: dark)').matches,
    // Nothing comes from another machine, and nothing goes there.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    proxyUrl: '',
  });
}

showReference();
